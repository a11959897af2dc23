"""Local bandwidths: Abramson's formula, its limits, and the maps that use it."""

import math

import numpy as np
import pytest

from anchorpbo import NoiseMap
from anchorpbo.errors import InputError
from anchorpbo.numerics.tiering import compile_eagerly
from anchorpbo.reliability import BoundedReliability, EuclideanMetric, TanimotoMetric, local_factors

RNG = np.random.default_rng(0)
CLUSTERS = np.vstack([0.2 + 0.02 * RNG.normal(size=(6, 2)), 0.7 + 0.15 * RNG.normal(size=(6, 2))])
X = np.vstack([RNG.random((8, 2)), CLUSTERS[:2]])


def naive_factors(anchors, h):
    """Abramson's factors from a Gaussian pilot density with all its constants."""
    n, d = anchors.shape
    pilot = []
    for x in anchors:
        total = sum(math.exp(-sum((x - a) ** 2) / (2 * h**2)) for a in anchors)
        pilot.append(total / (n * h**d * (2 * math.pi) ** (d / 2)))
    g = math.exp(sum(map(math.log, pilot)) / n)
    return [min(max((f / g) ** -0.5, 0.5), 2.0) for f in pilot]


@pytest.mark.parametrize("h", [0.03, 0.14, 0.5])
def test_factors_are_those_of_abramson(h):
    np.testing.assert_allclose(local_factors(CLUSTERS, h), naive_factors(CLUSTERS, h), rtol=1e-12)


def test_dense_anchors_have_narrow_bandwidths_and_sparse_ones_wide():
    factors = local_factors(CLUSTERS, 0.1)
    assert factors[:6].max() < 1 < factors[6:].max()


def test_factors_are_limited_to_a_half_and_two():
    anchors = np.vstack([np.full((200, 2), 0.1), [[0.9, 0.9]]])
    np.testing.assert_allclose(local_factors(anchors, 0.1), [1.0 / 1.0] * 200 + [2.0], rtol=0.05)
    many = np.vstack([np.full((50, 1), 0.1), np.arange(2.0, 52.0)[:, None]])
    assert set(local_factors(many, 0.1)) == {0.5, 2.0}


@pytest.mark.parametrize("equal", [CLUSTERS[:1], CLUSTERS[[0, 0, 0]], np.array([[0.0], [1.0]])])
def test_anchors_that_are_alike_have_factors_of_one(equal):
    np.testing.assert_allclose(local_factors(equal, 0.1), 1.0, rtol=1e-15)


def test_the_pilot_has_the_leave_one_out_bandwidth():
    noise = NoiseMap.bounded(CLUSTERS, adaptive=True)
    assert noise.bandwidth == NoiseMap.bounded(CLUSTERS).bandwidth
    np.testing.assert_array_equal(noise.score.factors, local_factors(CLUSTERS, noise.bandwidth))


def test_the_score_is_one_minus_the_product_with_local_bandwidths():
    noise = NoiseMap.bounded(CLUSTERS, 0.12, adaptive=True)
    factors = naive_factors(CLUSTERS, 0.12)
    for x, q in zip(X, noise.reliability(X), strict=True):
        k = [math.exp(-sum((x - a) ** 2) / (2 * (0.12 * f) ** 2)) for a, f in zip(CLUSTERS, factors, strict=True)]
        assert q == pytest.approx(1 - math.prod(1 - each for each in k), abs=1e-13)
    assert np.all(noise.reliability(CLUSTERS) == 1)


@pytest.mark.parametrize("metric", [EuclideanMetric(), EuclideanMetric((), (1.0, 2.0))])
def test_gradient_agrees_with_central_differences_in_both_tiers(metric, central_differences):
    noise = NoiseMap.bounded(CLUSTERS, 0.15, adaptive=True, metric=metric, negative=X[:3])
    values, gradient = noise.value_and_gradient(X)
    np.testing.assert_allclose(gradient, central_differences(noise, X, 1e-6), rtol=1e-5, atol=1e-7)
    with compile_eagerly():
        compiled = noise.value_and_gradient(X)
    np.testing.assert_array_equal(compiled[0], values)
    np.testing.assert_array_equal(compiled[1], gradient)


def test_negative_anchors_have_factors_of_their_own():
    score = NoiseMap.bounded(CLUSTERS[:4], 0.1, negative=CLUSTERS[2:], adaptive=True).score
    np.testing.assert_array_equal(score.good.factors, local_factors(CLUSTERS[:4], 0.1))
    np.testing.assert_array_equal(score.poor.factors, local_factors(CLUSTERS[2:], 0.1))


def test_any_metric_has_local_bandwidths():
    prints = RNG.integers(0, 2, (8, 20)).astype(float)
    noise = NoiseMap.bounded(prints, 0.3, metric="tanimoto", adaptive=True)
    factors = local_factors(prints, 0.3, "tanimoto")
    r = TanimotoMetric().distances(prints[:3] * prints[3:6], prints)
    expected = 1 - np.prod(1 - np.exp(-((r / (0.3 * factors)) ** 2) / 2), axis=1)
    np.testing.assert_allclose(noise.reliability(prints[:3] * prints[3:6]), expected, rtol=1e-10)


class OwnEuclidean(EuclideanMetric.__bases__[0]):
    """The Euclidean distance, written by a user, which is not compiled."""

    distances = EuclideanMetric().distances
    weighted_gradient = EuclideanMetric().weighted_gradient

    def dimension(self, columns):
        return columns


def test_gradients_of_a_metric_that_is_not_compiled_agree():
    mine, theirs = (
        BoundedReliability(CLUSTERS, 0.15, metric, local_factors(CLUSTERS, 0.15)).value_and_gradient(X)
        for metric in (EuclideanMetric(), OwnEuclidean())
    )
    np.testing.assert_allclose(theirs[0], mine[0], rtol=1e-12)
    np.testing.assert_allclose(theirs[1], mine[1], rtol=1e-9, atol=1e-13)


def test_maps_with_and_without_local_bandwidths_differ():
    assert NoiseMap.bounded(CLUSTERS, 0.1, adaptive=True) != NoiseMap.bounded(CLUSTERS, 0.1)
    assert NoiseMap.bounded(CLUSTERS, 0.1, adaptive=True) == NoiseMap.bounded(CLUSTERS.tolist(), 0.1, adaptive=True)


@pytest.mark.parametrize("factors", [[1.0], [0.0] * 12, [-1.0] * 12])
def test_invalid_factors_are_refused(factors):
    with pytest.raises(
        InputError, match=r"factors must be 12 numbers of at least 0.001, one for each anchor; received"
    ):
        BoundedReliability(CLUSTERS, 0.1, factors=factors)
