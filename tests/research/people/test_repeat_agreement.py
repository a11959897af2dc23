"""Predicted agreement of repeated answers: Monte Carlo, shares by hand, and simulated listeners."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr
from test_answer_consistency import TABLES, make_block

from anchorpbo import RBF, Duels, PreferenceGP
from anchorpbo.errors import IncompatibleError, UnknownNameError
from anchorpbo.likelihoods import Probit
from anchorpbo.problems import soundquality_modes
from anchorpbo.research.people.repeat_agreement import (
    AGREEMENT_MODELS,
    AGREEMENT_TITLES,
    OBSERVED,
    AgreementTask,
    average_agreement,
    average_bands,
    average_listeners,
    compare_agreement,
    fit_listener,
    make_agreement_tasks,
    measure_agreement,
    predict_agreement,
)

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
MODES = soundquality_modes().points


@pytest.mark.parametrize("lapse", [0.0, 0.1, 0.6])
def test_the_agreement_is_the_mean_over_the_margin(lapse):
    mean, variance = np.array([-2.0, 0.0, 0.7, 3.0]), np.array([0.3, 4.0, 1e-12, 2.0])
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    g = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    p = lapse / 2 + (1 - lapse) * ndtr(g)
    exact = (p**2 + (1 - p) ** 2) @ weights / weights.sum()
    np.testing.assert_allclose(average_agreement(mean, variance, lapse), exact, atol=1e-7)


@pytest.mark.parametrize("options", [{"integration": "qmc"}, {"likelihood": Probit(lapse=0.2)}])
def test_the_prediction_agrees_with_two_simulated_answers_that_share_the_utility(options):
    rng = np.random.default_rng(0)
    X = rng.random((6, 2))
    winners, losers = rng.integers(3, size=12), 3 + rng.integers(3, size=12)
    model = PreferenceGP(RBF(0.4, 3.0), inference="ep", **options).fit(Duels(X, winners, losers))
    first, second = X[[0, 1, 4]], X[[3, 5, 2]]
    shares = np.zeros(3)
    for part in model.components:
        f = part.posterior.sample(np.vstack([first, second]), 40_000, rng)
        noise = part.noise(np.vstack([first, second]))
        answers = []
        for _ in range(2):
            seen = f + np.sqrt(noise) * rng.normal(size=f.shape)
            attentive = seen[:, :3] > seen[:, 3:]
            slips = rng.random(attentive.shape) < part.likelihood.lapse
            answers.append(np.where(slips, rng.random(attentive.shape) < 0.5, attentive))
        shares += part.weight * (answers[0] == answers[1]).mean(axis=0)
    predicted = predict_agreement(model, first, second)
    np.testing.assert_allclose(predicted, shares, atol=0.01)
    p = model.prob_choose(first, second)
    assert (predicted > p**2 + (1 - p) ** 2).all()


def test_ties_are_an_error():
    model = PreferenceGP(inference="ep").fit(Duels([[0.1], [0.5], [0.9]], [0, 1], [1, 2], [[0, 2]]))
    with pytest.raises(IncompatibleError, match="agreement is predicted for probit answers without ties"):
        predict_agreement(model, np.array([[0.1]]), np.array([[0.5]]))


def test_the_agreement_of_unseen_answers_by_hand():
    # Before: 111, 101, 001; after: 11, 11, 01.
    one, two = measure_agreement(TABLES, 1), measure_agreement(TABLES, 2)
    np.testing.assert_array_equal(one["same session"], [1, 0, 0])
    np.testing.assert_allclose(one["later"], [1, 0.5, 0.5])
    assert "same session" not in two
    np.testing.assert_allclose(two["later"], [1, 1, 0.5])
    assert list(measure_agreement((TABLES[0], np.empty((3, 0))), 1)) == ["same session"]


def simulate_listener(name, noise, seed, repetitions=3):
    """A listener with utilities of standard deviation 1 and this noise of a mode."""
    rng = np.random.default_rng(seed)
    utility, pairs = rng.permutation(np.linspace(-1.5, 1.5, 8)), np.array(list(combinations(range(8), 2)))
    margins = (utility[pairs[:, 0]] - utility[pairs[:, 1]]) / (np.sqrt(2) * noise)
    early, late = ((rng.random((28, n)) < ndtr(margins)[:, None]).astype(float) for n in (repetitions, 2))
    return make_block(name, (early, late))


def test_consistent_listeners_are_predicted_to_be_consistent():
    noises, predicted = (0.15, 0.6, 2.5), []
    for noise in noises:
        means = []
        for seed in range(3):
            block = simulate_listener("l", noise, seed)
            told = block.answers.select(np.flatnonzero(~block.after & (block.repetitions <= 2)))
            model = fit_listener("default", told)
            i, j = np.array(list(combinations(range(8), 2))).T
            means.append(predict_agreement(model, MODES[i], MODES[j]).mean())
        predicted.append(np.mean(means))
    assert predicted[0] > predicted[1] + 0.05 > predicted[2] + 0.1


@pytest.mark.parametrize("name", AGREEMENT_MODELS)
def test_every_model_predicts_probabilities_of_at_least_one_half(name):
    block = simulate_listener("l", 0.5, 1)
    model = fit_listener(name, block.answers.select(np.flatnonzero(~block.after & (block.repetitions == 1))))
    predicted = predict_agreement(model, MODES[:4], MODES[4:])
    assert ((predicted >= 0.5) & (predicted <= 1.0)).all()


def make_records():
    rows = [(m, 1, "later", str(i), 0.55 + 0.1 * (i % 4), (i % 4) / 4) for m in ("default", OBSERVED) for i in range(8)]
    return pl.DataFrame(rows, schema=["model", "told", "target", "person", "predicted", "observed"], orient="row")


def test_listeners_and_bands_are_means():
    double = pl.concat([make_records(), make_records().with_columns(pl.col("observed") + 0.2)])
    listeners = average_listeners(double)
    assert listeners.height == 16
    assert listeners.filter(pl.col("person") == "1")["observed"].to_list() == [pytest.approx(0.35)] * 2
    bands = average_bands(double)
    assert set(bands["model"]) == {"default"}
    assert bands["pairs"].to_list() == [4, 4, 4, 4]
    np.testing.assert_allclose(bands["observed"], [0.1, 0.35, 0.6, 0.85])


def test_the_comparison_over_listeners():
    rng = np.random.default_rng(0)
    predicted = rng.uniform(0.6, 0.9, 200)
    observed = 0.3 + 0.5 * predicted + rng.normal(0, 0.02, 200)
    over = compare_agreement(predicted, observed)
    assert over.difference.mean == pytest.approx((predicted - observed).mean())
    assert over.slope.low < 0.5 < over.slope.high
    assert over.correlation.low > 0.8
    assert np.isnan(compare_agreement(np.full(5, 0.7), observed[:5]).slope.mean)


def test_tasks_cover_each_listener_once_per_model():
    tasks = make_agreement_tasks(25, block=10)
    for model in AGREEMENT_TITLES:
        own = [i for task in tasks if task.model == model for i in range(task.start, task.stop)]
        assert own == list(range(25))
    with pytest.raises(UnknownNameError, match="a model must be one of"):
        AgreementTask("oracle", 0, 1)


@pytest.mark.skipif(not (DATA / "soundquality").is_dir(), reason="ANCHORPBO_DATA has no soundquality/")
def test_a_task_on_real_listeners_has_a_row_per_pair_and_setting():
    records = pl.DataFrame(AgreementTask("mode", 0, 1).run())
    assert records["person"].n_unique() == 1
    assert records.group_by("material", "told", "target").len()["len"].unique().to_list() == [28]
    settings = {("same session", 1), ("later", 1), ("later", 2)}
    assert set(records.select("target", "told").rows()) == settings
    assert records["predicted"].is_between(0.5, 1.0).all()
