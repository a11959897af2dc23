"""Predictions of people's answers: measures and models against values computed by hand, and a run on real people."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import PairAnswers, soundquality_modes, train_answers
from anchorpbo.research.answers.one_hot import OneHotCoding
from anchorpbo.research.answers.pairwise_gp import fit_pairwise_gp, make_pairwise_gp, seed_torch
from anchorpbo.research.people.answer_prediction import (
    PREDICTION_SIZES,
    SOUND_COUNTS,
    TRAIN_COUNTS,
    PredictionTask,
    make_prediction_tasks,
    score_predictions,
    split_answers,
)
from anchorpbo.research.people.answer_predictors import (
    BoTorchPredictor,
    ChancePredictor,
    StudyPredictor,
    fit_linear_utility,
)
from anchorpbo.research.people.people_contenders import PREDICTORS
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


def test_chance_scores_one_half():
    person = make_person()
    scores = score_predictions(ChancePredictor().predict(person, person.pairs), person.first_won)
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
    codes = OneHotCoding.of(modes).encode(modes.points)
    np.testing.assert_array_equal(codes.sum(axis=0), np.ones(8))
    np.testing.assert_array_equal(codes.sum(axis=1), np.ones(8))
    X = np.random.default_rng(0).random((4, 2))
    np.testing.assert_array_equal(OneHotCoding.of(SPACE).encode(X), X)


@pytest.mark.parametrize("version", [1, 2])
def test_a_study_predicts_as_its_model(version):
    person = make_person()
    told, asked = person.select(slice(8)), person.select(slice(8, None))
    study = Optimizer(SPACE, preset_version=version)
    for winner, loser in zip(told.winners, told.losers, strict=True):
        study.tell_preference(SPACE.decode(winner), SPACE.decode(loser))
    expected = study.model.prob_choose(asked.pairs[:, 0], asked.pairs[:, 1])
    found = StudyPredictor({"preset_version": version}).predict(told, asked.pairs)
    np.testing.assert_array_equal(found, expected)


def test_the_default_predictor_is_the_default_preset():
    person = make_person()
    latest = StudyPredictor({"preset": "default"}).predict(person, person.pairs)
    np.testing.assert_array_equal(PREDICTORS["default"].predict(person, person.pairs), latest)
    assert not np.allclose(PREDICTORS["version-1"].predict(person, person.pairs), latest)


@pytest.mark.parametrize("name", ["default", "version-1", "paper", "linear"])
def test_a_person_with_a_simple_rule_is_predicted(name):
    person = make_person(30)
    p = PREDICTORS[name].predict(person.select(slice(20)), person.pairs[20:])
    loglik, accuracy = score_predictions(p, person.first_won[20:])
    assert accuracy >= 0.8
    assert loglik > np.log(0.5)


@pytest.mark.parametrize("name", ["default", "version-1", "paper", "linear", "chance"])
def test_swapping_the_sides_of_a_pair_swaps_the_prediction(name):
    person = make_person()
    first, second = (PREDICTORS[name].predict(person, pairs) for pairs in (person.pairs, person.pairs[:, ::-1]))
    np.testing.assert_allclose(first + second, 1.0, atol=1e-9)


def test_botorch_predicts_with_the_noise_of_both_designs():
    torch = pytest.importorskip("torch", reason="needs the extra bench")
    pytest.importorskip("botorch", reason="needs the extra bench")
    person = make_person(20)
    p = BoTorchPredictor().predict(person, person.pairs[:3])
    points, m = person.pairs.reshape(-1, 2), np.arange(20)
    winners, losers = 2 * m + ~person.first_won, 2 * m + person.first_won
    with seed_torch(20):
        model = make_pairwise_gp(points, winners.tolist(), losers.tolist(), "probit")
        fit_pairwise_gp(model)
    # The answer as the mean of Phi(difference / sqrt(2)) over draws of the posterior.
    torch.manual_seed(0)
    with torch.no_grad():
        draws = model.eval().posterior(torch.tensor(person.pairs[:3])).sample(torch.Size([20000])).numpy()[..., 0]
    np.testing.assert_allclose(p, ndtr((draws[:, :, 0] - draws[:, :, 1]) / np.sqrt(2)).mean(axis=0), atol=0.01)
    assert ((p > 0.5) == person.first_won[:3]).all()


def test_a_fit_that_fails_keeps_the_initial_hyper_parameters(monkeypatch):
    pytest.importorskip("botorch", reason="needs the extra bench")
    from botorch.exceptions import ModelFittingError

    def fail(model):
        model.covar_module.outputscale = 0.01  # a fit that fails may leave any hyper-parameters
        raise ModelFittingError("no")

    monkeypatch.setattr("anchorpbo.research.people.answer_predictors.fit_pairwise_gp", fail)
    person = make_person(20)
    p = BoTorchPredictor().predict(person, person.pairs)
    assert ((p > 0.5) == person.first_won).mean() > 0.8
    assert np.abs(p - 0.5).max() > 0.02  # 0.002 with that output scale


# -- tasks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dataset", "size"), PREDICTION_SIZES.items())
def test_tasks_cover_each_person_once_per_contender(dataset, size):
    tasks = make_prediction_tasks(dataset, ["chance"], 1000, block=10)
    assert [i for task in tasks for i in range(task.start, task.stop)] == list(range(size))
    assert len({task.key for task in tasks}) == len(tasks)
    few = make_prediction_tasks(dataset, ["chance", "linear"], 3, block=2)
    assert {(task.start, task.stop) for task in few} == {(0, 2), (2, 3)}


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match="a contender must be one of"):
        PredictionTask("train", "oracle", 0, 1)
    with pytest.raises(UnknownNameError, match="a data set must be one of"):
        PredictionTask("coffee", "chance", 0, 1)


@needs("train")
def test_travellers_are_split_into_first_answers_and_the_rest():
    person, *_ = train_answers()
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
