"""Predictions of people's answers: measures and models against values computed by hand, and a run on real people."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from anchorpbo.errors import UnknownNameError
from anchorpbo.model import Learn
from anchorpbo.problems import PairAnswers, soundquality_modes
from anchorpbo.research.answers import answer_prediction
from anchorpbo.research.answers.answer_prediction import (
    PREDICTION_SIZES,
    PREDICTORS,
    SOUND_COUNTS,
    TRAIN_COUNTS,
    CoinPredictor,
    PredictionTask,
    StudyPredictor,
    compare_predictions,
    make_prediction_tasks,
    score_predictions,
    split_answers,
    summarise_predictions,
    use_default,
    use_short_priors,
)
from anchorpbo.research.answers.pairwise_models import (
    expand_categories,
    fit_linear_utility,
    fit_pairwise_gp,
    predict_pairwise_gp,
)
from anchorpbo.research.experiments.records import MEASURED_COLUMNS, RecordStore
from anchorpbo.research.experiments.runner import SerialBackend, run_tasks
from anchorpbo.space import Real, Space
from anchorpbo.study import Optimizer

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))


def needs(folder):
    reason = f"ANCHORPBO_DATA is not a folder with {folder}/: the data may not be part of the project"
    return pytest.mark.skipif(not (DATA / folder).is_dir(), reason=reason)


SPACE = Space(x=Real(0, 1), y=Real(0, 1))


def make_person(m=12, seed=0):
    """A person who prefers a large x, whatever y."""
    pairs = np.random.default_rng(seed).random((m, 2, 2))
    pairs = np.array([[SPACE.nearest(x) for x in pair] for pair in pairs])
    return PairAnswers("p", SPACE, pairs, pairs[:, 0, 0] > pairs[:, 1, 0])


# -- measures ----------------------------------------------------------------------------------------------------------


def test_likelihood_and_accuracy_of_three_answers():
    loglik, accuracy = score_predictions(np.array([0.9, 0.8, 0.5]), np.array([True, False, True]))
    assert loglik == pytest.approx((np.log(0.9) + np.log(0.2) + np.log(0.5)) / 3)
    assert accuracy == pytest.approx((1 + 0 + 0.5) / 3)


def test_an_impossible_answer_has_a_finite_likelihood():
    loglik, accuracy = score_predictions(np.array([0.0]), np.array([True]))
    assert np.isfinite(loglik)
    assert loglik < -600
    assert accuracy == 0.0


def test_a_coin_scores_one_half():
    person = make_person()
    scores = score_predictions(CoinPredictor().predict(person, person.pairs), person.first_won)
    assert scores == (pytest.approx(np.log(0.5)), 0.5)


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 1.0])
def test_linear_weights_maximise_the_penalised_likelihood(ridge):
    differences = np.random.default_rng(3).normal(size=(15, 3)) * [1.0, 5.0, 0.1]

    def loss(b):
        return -np.log(expit(differences @ b)).sum() + 0.5 * ridge * b @ b

    expected = minimize(loss, np.zeros(3), tol=1e-12).x
    weights = fit_linear_utility(differences, ridge)
    assert loss(weights) <= loss(expected) + 1e-9
    np.testing.assert_allclose(weights, expected, rtol=2e-3, atol=1e-3)


def test_linear_weights_stay_finite_if_the_answers_are_separable():
    weights = fit_linear_utility(np.eye(2)[[0, 0, 0]], 1e-6)
    assert np.isfinite(weights).all()
    assert weights[0] > 5.0
    assert weights[1] == 0.0


def test_a_category_becomes_one_coordinate_per_value():
    modes = soundquality_modes(described=False)
    np.testing.assert_array_equal(expand_categories(modes, modes.points), np.eye(8))
    described = expand_categories(soundquality_modes(), soundquality_modes().points)
    np.testing.assert_array_equal(described[:, 2:], np.eye(8))
    np.testing.assert_array_equal(described[:, :2], soundquality_modes().points[:, :2])
    X = np.random.default_rng(0).random((4, 2))
    assert expand_categories(SPACE, X) is X


def test_a_study_predicts_as_its_model():
    person = make_person()
    told, asked = person.select(slice(8)), person.select(slice(8, None))
    study = Optimizer(SPACE)
    for winner, loser in zip(told.winners, told.losers, strict=True):
        study.tell_preference(SPACE.decode(winner), SPACE.decode(loser))
    expected = study.model.prob_choose(asked.pairs[:, 0], asked.pairs[:, 1])
    np.testing.assert_array_equal(StudyPredictor(use_default).predict(told, asked.pairs), expected)


@pytest.mark.parametrize("name", ["default", "short-priors", "linear"])
def test_a_person_with_a_simple_rule_is_predicted(name):
    person = make_person(30)
    p = PREDICTORS[name].predict(person.select(slice(20)), person.pairs[20:])
    loglik, accuracy = score_predictions(p, person.first_won[20:])
    assert accuracy >= 0.8
    assert loglik > np.log(0.5)


@pytest.mark.parametrize("name", ["default", "short-priors", "linear", "coin"])
def test_swapping_the_sides_of_a_pair_swaps_the_prediction(name):
    person = make_person()
    first, second = (PREDICTORS[name].predict(person, pairs) for pairs in (person.pairs, person.pairs[:, ::-1]))
    np.testing.assert_allclose(first + second, 1.0, atol=1e-9)


def test_short_priors_scale_with_the_dimension():
    learn = use_short_priors(SPACE)["learn"]
    assert all(isinstance(spec, Learn) for spec in learn.values())
    assert learn["lengthscale"].prior.median == pytest.approx(0.15 * 2**0.5)
    assert learn["outputscale"].prior.spread == 0.7


def test_botorch_predicts_with_the_noise_of_both_designs():
    torch = pytest.importorskip("torch", reason="needs the extra bench")
    pytest.importorskip("botorch", reason="needs the extra bench")
    person = make_person(20)
    model = fit_pairwise_gp(np.vstack([person.winners, person.losers]), np.arange(40).reshape(2, -1).T)
    p = predict_pairwise_gp(model, person.pairs[:3])
    # The answer as the mean of Phi(difference / sqrt(2)) over draws of the posterior.
    torch.manual_seed(0)
    with torch.no_grad():
        draws = model.posterior(torch.tensor(person.pairs[:3])).sample(torch.Size([20000])).numpy()[..., 0]
    np.testing.assert_allclose(p, ndtr((draws[:, :, 0] - draws[:, :, 1]) / np.sqrt(2)).mean(axis=0), atol=0.01)
    assert ((p > 0.5) == person.first_won[:3]).all()


# -- tables ------------------------------------------------------------------------------------------------------------


def make_records():
    """Two people and two contenders; the first person has two pieces of music."""
    columns = {
        "kind": "prediction", "dataset": "train", "target": "rest", "told": 4,
        "contender": ["x"] * 3 + ["y"] * 3, "person": ["1", "1", "2"] * 2,
        "log_likelihood": [-0.2, -0.4, -0.5, -0.7, -0.7, -0.6], "accuracy": [1.0, 0.5, 0.75, 0.5, 0.5, 0.25],
    }  # fmt: skip
    return pl.DataFrame(
        {name: column if isinstance(column, list) else [column] * 6 for name, column in columns.items()}
    )


def test_means_are_over_people_after_the_mean_of_each():
    table = summarise_predictions(make_records())
    row = table.row(by_predicate=(pl.col("contender") == "x") & (pl.col("measure") == "log_likelihood"), named=True)
    assert (row["people"], row["mean"]) == (2, pytest.approx((-0.3 - 0.5) / 2))
    half = 12.706204736 * 0.2 / np.sqrt(2) / np.sqrt(2)  # t quantile, standard deviation of -0.3 and -0.5, n = 2
    assert (row["low"], row["high"]) == (pytest.approx(-0.4 - half), pytest.approx(-0.4 + half))


def test_differences_are_paired_by_person():
    table = compare_predictions(make_records(), "y")
    assert table["contender"].unique().to_list() == ["x"]
    accuracy = table.row(by_predicate=pl.col("measure") == "accuracy", named=True)
    assert accuracy["mean"] == pytest.approx(((0.75 - 0.5) + (0.75 - 0.25)) / 2)
    assert accuracy["low"] < accuracy["mean"] < accuracy["high"]


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_tasks_cover_each_person_once_per_contender():
    tasks = make_prediction_tasks(["coin"], block=10)
    for dataset, size in PREDICTION_SIZES.items():
        people = [i for task in tasks if task.dataset == dataset for i in range(task.start, task.stop)]
        assert people == list(range(size))
    assert len({task.key for task in tasks}) == len(tasks)
    few = make_prediction_tasks(["coin", "linear"], people=3, block=2)
    assert {(task.start, task.stop) for task in few} == {(0, 2), (2, 3)}


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match="a contender must be one of"):
        PredictionTask("train", "oracle", 0, 1)
    with pytest.raises(UnknownNameError, match="a data set must be one of"):
        PredictionTask("coffee", "coin", 0, 1)


@needs("train")
def test_travellers_are_split_into_first_answers_and_the_rest():
    person, *_ = answer_prediction.train_answers()
    splits = list(split_answers("train", 0, 1))
    assert [len(split.told) for split in splits] == [count for count in TRAIN_COUNTS if count < len(person)]
    for split in splits:
        rest = split.asked["rest"]
        np.testing.assert_array_equal(np.concatenate([split.told.pairs, rest.pairs]), person.pairs)
        np.testing.assert_array_equal(np.concatenate([split.told.first_won, rest.first_won]), person.first_won)


@needs("soundquality")
def test_listeners_are_split_by_repetition_and_time():
    splits = list(split_answers("soundquality", 0, 1))
    assert [len(split.told) for split in splits] == list(SOUND_COUNTS) * 4
    few, _, every = splits[:3]
    assert {target: len(asked) for target, asked in every.asked.items()} == {"retest": 56, "later": 56}
    assert len(np.unique(every.told.pairs.reshape(28, -1), axis=0)) == 28  # each pair once: the first repetition
    told = {pair.tobytes() for pair in every.told.pairs}
    assert {pair.tobytes() for pair in few.told.pairs} <= told
    again = next(iter(split_answers("soundquality", 0, 2)))
    np.testing.assert_array_equal(again.told.pairs, few.told.pairs)


@needs("train")
@needs("soundquality")
def test_a_quick_run_gives_tables_and_resumes(tmp_path):
    tasks = make_prediction_tasks(["default", "linear", "coin"], people=2, block=2)
    tasks = [task for task in tasks if task.dataset != "soundquality-category" or task.contender == "coin"]
    store = RecordStore(tmp_path)
    assert all(ended.failure is None for ended in run_tasks(tasks, store, SerialBackend()))
    records = store.read(tasks)
    assert not list(run_tasks(tasks, RecordStore(tmp_path, resume=True), SerialBackend()))
    assert not set(MEASURED_COLUMNS) - set(records.columns) - {"seconds", "recommend_seconds"}
    table = summarise_predictions(records).filter(pl.col("measure") == "log_likelihood")
    coin = table.filter(pl.col("contender") == "coin")["mean"]
    np.testing.assert_allclose(coin, np.log(0.5))
    assert set(table.filter(pl.col("dataset") == "soundquality")["target"]) == {"retest", "later"}
    assert table.filter(pl.col("dataset") == "train", pl.col("told") == 4)["people"].to_list() == [2, 2, 2]
    assert len(compare_predictions(records, "coin")) > 0
