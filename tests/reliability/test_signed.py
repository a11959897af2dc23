"""Negative anchors: the formula, the limits of the noise, gradients, bandwidths, and invalid input."""

import math

import numpy as np
import pytest

from anchorpbo import NoiseMap
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.tiering import compile_eagerly
from anchorpbo.reliability import BoundedReliability, EuclideanMetric, GaussianDensity, SignedReliability, loo_bandwidth

GOOD = np.random.default_rng(0).random((5, 3))
POOR = np.random.default_rng(1).random((4, 3))
X = np.vstack([np.random.default_rng(2).random((7, 3)), GOOD[:2], POOR[:2], np.full((1, 3), 6.0)])


def naive(anchors, h, x):
    """1 - prod_i (1 - exp(-r_i^2 / (2 h^2))), factor by factor; 0 without anchors."""
    return 1 - math.prod(1 - math.exp(-sum((x - anchor) ** 2) / (2 * h**2)) for anchor in anchors)


@pytest.mark.parametrize("good", [GOOD, GOOD[:0], GOOD[:1]])
def test_score_is_the_reliability_of_the_anchors_minus_that_of_the_negative_ones(good):
    noise = NoiseMap.bounded(good, 0.4, negative=POOR, scale=0.7, strength=2.0)
    expected = [naive(good, 0.4, x) - naive(POOR, 0.4, x) for x in X]
    np.testing.assert_allclose(noise.reliability(X), expected, atol=1e-14)
    np.testing.assert_allclose(noise(X), 0.7 * np.exp(-2.0 * np.array(expected)), rtol=1e-12)


def test_noise_is_above_the_scale_near_negative_anchors_and_below_it_near_anchors():
    noise = NoiseMap.bounded([[0.1, 0.1]], 0.05, negative=[[0.9, 0.9]], scale=2.0, strength=3.0)
    values = noise([[0.1, 0.1], [0.9, 0.9], [0.5, 0.5]])
    np.testing.assert_allclose(values, [2.0 * math.exp(-3), 2.0 * math.exp(3), 2.0], rtol=1e-9)


def test_a_design_marked_both_ways_has_the_noise_of_one_without_anchors():
    noise = NoiseMap.bounded([[0.3, 0.3]], 0.2, negative=[[0.3, 0.3]], scale=0.5)
    np.testing.assert_allclose(noise([[0.3, 0.3], [0.4, 0.1]]), 0.5, rtol=1e-15)


def test_the_ceiling_holds_and_stops_the_gradients_where_it_binds():
    noise = NoiseMap.bounded(GOOD[:0], 0.3, negative=POOR, scale=2.0, strength=5000.0)
    assert np.all(noise(POOR) == pytest.approx(2e6))
    assert np.all(noise.gradient(POOR + 0.01) == 0)
    assert np.all(noise.log_parameter_gradients(POOR)["strength"] == 0)


@pytest.mark.parametrize("good", [GOOD, GOOD[:0]])
@pytest.mark.parametrize("metric", [EuclideanMetric(), EuclideanMetric(categorical=(2,))])
def test_gradients_agree_with_central_differences_in_both_tiers(good, metric, central_differences):
    noise = NoiseMap.bounded(good, 0.35, negative=POOR, scale=0.7, strength=2.5, metric=metric)
    points = X.copy()
    if metric.categorical:
        points[:, 2] = 0.5  # no value of an anchor, so a small step stays in the same category
    value, gradient = noise.value_and_gradient(points)
    expected = central_differences(noise, points, 2e-6)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-8)
    with compile_eagerly():
        compiled = noise.value_and_gradient(points)
    np.testing.assert_array_equal(compiled[0], value)
    np.testing.assert_array_equal(compiled[1], gradient)


@pytest.mark.parametrize("good", [GOOD, GOOD[:0]])
def test_log_parameter_gradients_agree_with_central_differences(good):
    noise, step = NoiseMap.bounded(good, 0.3, negative=POOR, scale=0.7, strength=2.5), 1e-6
    for parameter, gradient in noise.log_parameter_gradients(X).items():
        up, down = (
            noise.with_parameters(**{parameter: getattr(noise, parameter) * math.exp(shift)})(X)
            for shift in (step, -step)
        )
        np.testing.assert_allclose(gradient, (up - down) / (2 * step), rtol=1e-6, atol=1e-8)


def test_the_anchors_choose_the_bandwidth_and_the_negative_ones_only_without_them():
    diagonal = math.sqrt(3)
    bounds = (0.1 * diagonal, 0.2 * diagonal)
    assert NoiseMap.bounded(GOOD, negative=POOR).bandwidth == NoiseMap.bounded(GOOD).bandwidth
    alone = NoiseMap.bounded([], negative=POOR)
    assert alone.bandwidth == loo_bandwidth(POOR, bounds, GaussianDensity())
    assert alone.anchors.shape == (0, 3)
    assert NoiseMap.bounded(GOOD[:1], negative=POOR).bandwidth == pytest.approx(bounds[0])


@pytest.mark.parametrize("none", [None, [], np.zeros((0, 3))])
def test_without_negative_anchors_the_map_is_the_bounded_one(none):
    noise = NoiseMap.bounded(GOOD, negative=none)
    assert noise == NoiseMap.bounded(GOOD)
    assert noise.negative is None


def test_maps_are_equal_when_both_kinds_of_anchors_are_and_say_how_many_there_are():
    noise = NoiseMap.bounded(GOOD, 0.3, negative=POOR)
    assert noise == NoiseMap.bounded(GOOD.tolist(), 0.3, negative=POOR.tolist())
    assert hash(noise) == hash(NoiseMap.bounded(GOOD, 0.3, negative=POOR))
    assert noise != NoiseMap.bounded(GOOD, 0.3)
    assert noise != NoiseMap.bounded(GOOD, 0.3, negative=POOR[:3])
    assert noise != NoiseMap.bounded(POOR, 0.3, negative=GOOD)
    assert repr(noise) == "NoiseMap(kind='signed', anchors=5, negative=4, bandwidth=0.3, scale=1, strength=3)"
    with pytest.raises(ValueError, match="read-only"):
        noise.negative[0, 0] = 1.0


def test_strength_matters_with_negative_anchors_only():
    assert NoiseMap.bounded([], negative=POOR).strength_matters
    assert not NoiseMap.bounded([], negative=POOR, strength=0.0).strength_matters


def test_fingerprints_can_be_negative_anchors():
    prints = np.eye(4)
    noise = NoiseMap.bounded(prints[:2], 0.2, negative=prints[2:], metric="tanimoto")
    np.testing.assert_allclose(noise.reliability(prints), [1, 1, -1, -1], atol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"anchors": [], "negative": []}, InputError, "anchors must hold at least one design"),
        ({"negative": [[0.1, 0.2]]}, InputError, "negative anchors must have the 3 coordinates of the anchors; rec"),
        ({"negative": [[0.1, np.nan, 0.2]]}, InputError, r"negative must be finite; received nan at index \(0, 1\)"),
        ({"negative": [0.1, 0.2, 0.3]}, ShapeError, r"negative must have shape \(n, d\); received \(3,\)"),
        ({"negative": [[1e60, 0.2, 0.3]]}, InputError, r"negative must be at most 1e\+50 in size"),
    ],
)
def test_errors_name_the_rule(arguments, error, message):
    with pytest.raises(error, match=message):
        NoiseMap.bounded(**{"anchors": GOOD, **arguments})


def test_parts_must_be_bounded_reliabilities():
    with pytest.raises(InputError, match="both parts must be a BoundedReliability; received 'far'"):
        SignedReliability(BoundedReliability(GOOD, 0.3), "far")
    with pytest.raises(InputError, match="both parts must be a BoundedReliability; received 'near'"):
        SignedReliability("near", BoundedReliability(GOOD, 0.3))
