"""Predicted answers, against predictions made one by one."""

import numpy as np
import pytest
from scipy.stats import beta

from anchorpbo import RBF, Duels, NoiseMap, Optimizer, PreferenceGP, Real, Space
from anchorpbo.analysis import Calibration, calibration
from anchorpbo.errors import InputError
from anchorpbo.study.calibration import summarise_predictions
from support.drawn_studies import ANCHORS, SPACE, played

POINTS = np.random.default_rng(0).random((9, 2))
WINS = ([0, 2, 4, 6, 1, 8, 3], [1, 3, 5, 7, 2, 0, 5])


def test_each_answer_of_a_study_is_predicted_from_those_before_it():
    study = played()
    again = Optimizer(SPACE, ANCHORS, inference="laplace", initial=3)
    sure, chosen = [], []
    for event in study.history:
        sides = ("winner", "loser") if event["type"] == "preferred" else ("first", "second")
        first, second = (event[side] for side in sides)
        outcome = event.get("outcome", "first")
        if outcome in ("first", "second") and len(again):
            X, Y = SPACE.encode(first)[None], SPACE.encode(second)[None]
            p = np.array([again.model.prob_choose(X, Y)[0], again.model.prob_choose(Y, X)[0]])
            sure.append(p.max() / p.sum())
            chosen.append(("first", "second")[int(p.argmax())] == outcome)
        if outcome == "skip":
            again.tell(again.ask(), "skip")
        else:
            pair = (second, first) if outcome == "second" else (first, second)
            again.tell_preference(*pair, tie=outcome == "tie")
    found = calibration(study)
    assert np.allclose(found.predicted, sure)
    assert list(found.chosen) == chosen
    assert "those before it" in found.how


def test_each_duel_of_a_model_is_predicted_from_all_others():
    duels = Duels(POINTS, *WINS, ties=[[0, 4]])
    model = PreferenceGP(inference="ep", noise=NoiseMap.bounded(POINTS[:2])).fit(duels)
    sure, chosen = [], []
    for k in range(7):
        rest = [i for i in range(7) if i != k]
        others = Duels(POINTS, np.array(WINS[0])[rest], np.array(WINS[1])[rest], [[0, 4]])
        alone = PreferenceGP(model.kernel, model.likelihood, "ep", model.noise, learn=None).condition(others)
        X, Y = POINTS[[WINS[0][k]]], POINTS[[WINS[1][k]]]
        p = np.array([alone.prob_choose(X, Y)[0], alone.prob_choose(Y, X)[0]])
        sure.append(p.max() / p.sum())
        chosen.append(p[0] > p[1])
    before = model.posterior.mean(POINTS)
    found = calibration(model)
    assert np.allclose(found.predicted, sure)
    assert list(found.chosen) == chosen
    assert "all others" in found.how
    assert np.array_equal(model.posterior.mean(POINTS), before)


def test_duels_that_were_merged_are_predicted_one_by_one():
    duels = Duels(POINTS, [*WINS[0], 0, 0, 1], [*WINS[1], 1, 1, 0], ties=[[0, 4], [0, 4]])
    plain, merged = (PreferenceGP(RBF(0.3), learn=None).condition(some) for some in (duels, duels.merge_repeats()))
    expected, found = calibration(plain), calibration(merged)
    assert len(found.predicted) == 10
    assert np.allclose(sorted(found.predicted), sorted(expected.predicted))
    assert found.log_loss == pytest.approx(expected.log_loss)


def test_of_many_answers_an_even_choice_is_predicted(monkeypatch):
    study, model = played(), PreferenceGP().fit(Duels(POINTS, *WINS))
    every, others = calibration(study).predicted, calibration(model).predicted
    monkeypatch.setattr("anchorpbo.analysis.predictions.MAX_PREDICTIONS", 3)
    last = len(every) - 1
    assert np.allclose(calibration(study).predicted, [every[i] for i in (0, round(last / 2), last)])
    assert np.allclose(calibration(model).predicted, [others[i] for i in (0, 3, 6)])


def test_a_single_duel_leaves_nothing_to_predict_from_but_a_coin():
    model = PreferenceGP().fit(Duels(POINTS[:2], [0], [1]))
    assert (calibration(model).predicted, calibration(model).log_loss) == ((0.5,), pytest.approx(np.log(2)))


def test_scores_and_intervals_are_what_their_formulas_say():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.5, 1, 60)
    won = rng.random(60) < p
    winner, loser = np.where(won, p, 1 - p), np.where(won, 1 - p, p)
    # Ties take a part of the probability; what counts is which of the two is chosen.
    found = summarise_predictions(0.8 * winner, 0.8 * loser, "so")
    assert np.allclose(found.predicted, p)
    assert list(found.chosen) == list(won)
    assert found.log_loss == pytest.approx(-np.log(winner).mean())
    assert found.brier == pytest.approx(((p - won) ** 2).mean())
    assert found.accuracy == won.mean()
    order = np.argsort(p)
    assert [one.count for one in found.bins] == [12] * 5
    for one, part in zip(found.bins, np.split(order, 5), strict=True):
        k = won[part].sum()
        assert (one.predicted, one.observed) == (pytest.approx(p[part].mean()), k / 12)
        assert one.low == pytest.approx(beta.ppf(0.05, k + 0.5, 12.5 - k) if k else 0)
        assert one.high == pytest.approx(beta.ppf(0.95, k + 0.5, 12.5 - k) if k < 12 else 1)
    sure = summarise_predictions(np.full(4, 0.9), np.full(4, 0.1), "so")
    assert (sure.bins[0].high, len(sure.bins)) == (1.0, 1)


def test_what_was_held_impossible_has_a_finite_price():
    found = Calibration((1.0, 1.0), (True, False), (), "so")
    assert found.log_loss == pytest.approx(-np.log(np.finfo(float).eps) / 2)


def test_a_coin_is_right_half_the_time():
    assert summarise_predictions(np.full(10, 0.5), np.full(10, 0.5), "so").accuracy == 0.5


def test_a_model_that_knows_the_user_is_calibrated():
    # The user answers by the utility of a draw from the prior, with the noise the model expects.
    rng = np.random.default_rng(3)
    X = rng.random((40, 1))
    K = np.exp(-0.5 * ((X - X.T) / 0.3) ** 2) * 4
    f = np.linalg.cholesky(K + 1e-9 * np.eye(40)) @ rng.standard_normal(40)
    pairs = rng.permutation(np.array([(i, j) for i in range(40) for j in range(i)]))[:120]
    first = f[pairs[:, 0]] - f[pairs[:, 1]] + np.sqrt(2) * rng.standard_normal(120) > 0
    winners, losers = np.where(first, *pairs.T), np.where(first, *pairs.T[::-1])
    model = PreferenceGP(RBF(0.3, 4.0), inference="ep", learn=None).condition(Duels(X, winners, losers))
    found = calibration(model)
    p = np.array(found.predicted)
    z = (np.sum(found.chosen) - p.sum()) / np.sqrt((p * (1 - p)).sum())
    assert abs(z) < 3
    assert sum(one.low <= one.predicted <= one.high for one in found.bins) >= 4
    assert found.log_loss < np.log(2)


def test_calibration_needs_choices_to_predict():
    study = Optimizer(Space(x=Real(0, 1)), inference="laplace", initial=2)
    study.tell(study.ask(), "first")
    with pytest.raises(InputError, match="needs answers with a winner, and others to predict them from"):
        calibration(study)
    with pytest.raises(InputError, match="an Optimizer or a PreferenceGP"):
        calibration(3)
