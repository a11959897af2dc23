"""Lapses in the model: learning their probability, and the probabilities of answers."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo import Duels, Learn, LogNormal, PreferenceGP, Probit
from anchorpbo.model.fitting import LAPSE_GRID

POINTS = np.linspace(0.0, 1.0, 9)[:, None]
PAIRS = np.array([(j, i) for i in range(9) for j in range(i + 2, 9)])
LEARN = ("lengthscale", "outputscale", "lapse")


def answers(*flipped):
    pairs = PAIRS.copy()
    pairs[list(flipped)] = pairs[list(flipped), ::-1]
    return Duels(POINTS, pairs[:, 0], pairs[:, 1])


def test_a_larger_lapse_is_learnt_from_contradictory_answers():
    consistent, contradictory = (
        PreferenceGP(noise=0.05, learn=LEARN).fit(duels) for duels in (answers(), answers(4, 5, 6, 12))
    )
    assert consistent.likelihood.lapse < 0.03
    assert contradictory.likelihood.lapse >= 0.1
    assert "lapse" in contradictory.fit_info.learnt


def test_the_lapse_is_one_of_a_grid_between_the_bounds():
    learn = {"lengthscale": None, "outputscale": None, "lapse": Learn((0.02, 0.08), LogNormal(0.04, 0.01))}
    model = PreferenceGP(noise=0.05, learn=learn).fit(answers(2, 9))
    grid = np.geomspace(0.02, 0.08, LAPSE_GRID)
    assert np.abs(grid - model.likelihood.lapse).min() < 1e-12
    assert model.likelihood.lapse == pytest.approx(0.04)  # the prior is narrow


def test_a_lapse_that_is_not_learnt_is_kept():
    model = PreferenceGP(likelihood=Probit(lapse=0.07)).fit(answers(3))
    assert model.likelihood.lapse == 0.07
    assert PreferenceGP().fit(answers(3)).likelihood.lapse == 0.0


def test_condition_keeps_the_learnt_lapse_and_a_second_fit_starts_afresh():
    model = PreferenceGP(noise=0.05, learn=LEARN).fit(answers(4, 5, 6, 12))
    learnt = model.likelihood.lapse
    assert model.condition(answers(2, 9)).likelihood.lapse == learnt
    assert (
        model.fit(answers()).likelihood.lapse == PreferenceGP(noise=0.05, learn=LEARN).fit(answers()).likelihood.lapse
    )


def test_probabilities_of_answers_are_those_of_a_model_of_the_others():
    """The cavity of EP against a model conditioned on all answers but one."""
    duels = answers(4)
    likelihood = Probit(0.0, lapse=0.1)
    model = PreferenceGP(ap.RBF(0.5, 4.0), likelihood, "ep", 0.5).condition(duels)
    got = model.prob_answers()
    for k in (4, 11):
        others = np.arange(len(PAIRS)) != k
        rest = Duels(POINTS, duels.winners[others], duels.losers[others])
        without = PreferenceGP(ap.RBF(0.5, 4.0), likelihood, "ep", 0.5).condition(rest)
        winner, loser = duels.points[duels.winners[[k]]], duels.points[duels.losers[[k]]]
        assert got[k] == pytest.approx(without.prob_choose(winner, loser)[0], abs=0.02)
    assert got.argmin() == 4


def test_prob_choose_is_bounded_by_the_lapse():
    model = PreferenceGP(ap.RBF(0.5, 100.0), Probit(lapse=0.2), "ep", 0.01).condition(answers())
    sure = model.prob_choose(POINTS[-1:], POINTS[:1])[0]
    assert 0.85 < sure <= 0.9


def test_posterior_after_a_surprising_answer_has_the_moments_of_the_mixture():
    """The rank-one update against the moments by quadrature over the margin."""
    likelihood = Probit(0.0, lapse=0.2)
    model = PreferenceGP(ap.RBF(0.5, 9.0), likelihood, "ep", 0.2).condition(answers())
    pair, row = POINTS[[0, 8]], np.array([1.0, -1.0]) / np.sqrt(0.4)
    mean, variance = row @ model.posterior.mean(pair), row @ model.posterior.covariance(pair) @ row
    g = mean + np.sqrt(variance) * np.linspace(-12, 12, 20_001)
    weight = np.exp(likelihood.log_prob(g, np.zeros(len(g), dtype=bool)).value - 0.5 * (g - mean) ** 2 / variance)
    weight /= weight.sum()
    after = model.posterior_after(pair[0], pair[1])
    assert row @ after.mean(pair) == pytest.approx(weight @ g, abs=1e-6)
    true = weight @ (g - weight @ g) ** 2
    assert row @ after.covariance(pair) @ row == pytest.approx(true, rel=1e-6)
    assert true > variance  # the answer is so surprising that it widens the posterior
