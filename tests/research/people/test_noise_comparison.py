"""Anchored against constant noise on simulated people: the sign of the difference is that of the truth."""

import numpy as np
import pytest
from scipy.stats import norm

from anchorpbo import Duels, NoiseMap
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.people.calibration import score_log_likelihood
from anchorpbo.research.people.noise_comparison import (
    MANY_ANSWERS,
    MATCHED,
    STRENGTH_NODES,
    STRENGTH_PRIOR,
    DesignModel,
    compare_maps,
    fit_map,
    integrate_profile,
    profile_strength,
)

ANCHORS = np.arange(6)


def simulate(strength, people=800, seed=1):
    """Kinds, and the pairs that people answer: their error is smaller near the anchors, by ``exp(-strength q)``."""
    rng = np.random.default_rng(seed)
    points = rng.random((40, 2))
    # The anchors are in a corner, so that they do not vouch for everything.
    points = points[np.argsort(points.sum(axis=1))]
    utility = 1.2 * np.sin(5.0 * points[:, 0]) + points[:, 1]
    noise = NoiseMap.bounded(points[ANCHORS], strength=3.0).with_parameters(strength=strength)(points)
    pairs = rng.permuted(np.tile(np.arange(40), (people, 1)), axis=1)[:, :10].reshape(-1, 2)
    seen = utility[pairs] + np.sqrt(noise[pairs]) * rng.normal(size=pairs.shape)
    pairs = np.where((seen[:, 0] > seen[:, 1])[:, None], pairs, pairs[:, ::-1])
    return points, (pairs[::2, 0], pairs[::2, 1]), (pairs[1::2, 0], pairs[1::2, 1])


@pytest.mark.parametrize("make", [DesignModel.of_coordinates, DesignModel.of_kinds])
def test_with_truly_anchored_noise_the_anchored_map_wins(make):
    points, told, asked = simulate(3.0)
    results = {each.name: each for each in compare_maps(make(points), ANCHORS, told, asked)}
    for name in ("bounded", "learnt"):
        gain = score_log_likelihood(results[name].p) - score_log_likelihood(results["constant"].p)
        assert Interval.of_mean(gain).low > 0.0
        assert results[name].log_bayes_factor > 10.0
    assert 2.0 < results["learnt"].strength < 4.5


@pytest.mark.parametrize("make", [DesignModel.of_coordinates, DesignModel.of_kinds])
def test_with_constant_noise_it_does_not(make):
    points, told, asked = simulate(0.0)
    results = {each.name: each for each in compare_maps(make(points), ANCHORS, told, asked)}
    gain = score_log_likelihood(results["bounded"].p) - score_log_likelihood(results["constant"].p)
    assert gain.mean() < 0.0
    assert results["bounded"].log_bayes_factor < -5.0
    # A learnt strength is small, the evidence is against it, and it costs little.
    assert results["learnt"].strength < 1.0
    assert results["learnt"].log_bayes_factor < -1.0
    loss = score_log_likelihood(results["constant"].p) - score_log_likelihood(results["learnt"].p)
    assert Interval.of_mean(loss).high < 0.005


def test_wrong_anchors_are_not_supported():
    points, told, asked = simulate(3.0)
    far = np.argsort(NoiseMap.bounded(points[ANCHORS]).reliability(points))[:6]
    (wrong,) = compare_maps(DesignModel.of_coordinates(points), far, told, asked, ["learnt"])
    assert wrong.log_bayes_factor < 0.0


def test_the_nodes_are_quantiles_of_the_prior_and_the_factor_is_the_mean_over_them():
    quantiles = norm(np.log(STRENGTH_PRIOR.median), STRENGTH_PRIOR.spread).cdf(np.log(STRENGTH_NODES))
    np.testing.assert_allclose(quantiles, (np.arange(8) + 0.5) / 8)
    profile = np.array([0.5, -1.0, 2.0, -3.0])
    assert integrate_profile(profile) == pytest.approx(np.log(np.mean(np.exp(profile))))
    assert integrate_profile(np.array([-2000.0, -2001.0])) == pytest.approx(-2000.0 + np.log((1 + np.exp(-1)) / 2))


def test_the_profile_agrees_with_a_fit_at_each_strength():
    points, told, _ = simulate(3.0)
    designs, duels = DesignModel.of_coordinates(points), Duels(points, told[0][:100], told[1][:100], bounds=None)
    constant = fit_map(designs, "constant", ANCHORS, duels)
    profile = profile_strength(designs, ANCHORS, duels, constant)
    assert profile.shape == STRENGTH_NODES.shape
    fixed = fit_map(designs, "bounded", ANCHORS, duels)
    at_fixed = np.interp(np.log(3.0), np.log(STRENGTH_NODES), profile)
    assert at_fixed == pytest.approx(fixed.fit_info.objective - constant.fit_info.objective, abs=0.15)


def test_constant_noise_has_no_strength_and_is_the_reference():
    points, told, asked = simulate(0.0, 120)
    results = compare_maps(DesignModel.of_coordinates(points), ANCHORS, told, asked)
    assert [each.name for each in results] == list(MANY_ANSWERS)
    assert (results[0].strength, results[0].log_bayes_factor) == (0.0, 0.0)
    assert all(len(each.p) == len(asked[0]) for each in results)


def test_the_lower_constant_noise_has_the_mean_of_the_bounded_map():
    points, told, _ = simulate(0.0, 100)
    designs = DesignModel.of_coordinates(points)
    matched = fit_map(designs, MATCHED, ANCHORS, Duels(points, *told, bounds=None))
    values = matched.noise(points)
    assert np.ptp(values) == 0.0
    assert values[0] == pytest.approx(np.mean(NoiseMap.bounded(points[ANCHORS], strength=3.0)(points)))
    assert values[0] < 0.9


def test_a_utility_of_kinds_fits_what_no_smooth_function_does():
    rng = np.random.default_rng(5)
    points, utility = np.linspace(0, 1, 12)[:, None], np.tile([1.0, -1.0], 6)
    pairs = rng.integers(12, size=(600, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    seen = utility[pairs] + rng.normal(size=pairs.shape)
    pairs = np.where((seen[:, 0] > seen[:, 1])[:, None], pairs, pairs[:, ::-1])
    designs = DesignModel.of_kinds(points)
    model = fit_map(designs, "constant", np.arange(2), Duels(designs.points, *pairs.T, bounds=None))
    means = model.posterior.mean(designs.points)
    assert (np.sign(means - means.mean()) == utility).all()
