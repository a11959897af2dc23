"""The bounded score: its formula, its range, exactness at anchors, monotonicity and gradient."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anchorpbo.errors import InputError, UnsupportedError
from anchorpbo.numerics.tiering import compile_eagerly
from anchorpbo.reliability import BoundedReliability, DensityReliability, EuclideanMetric, SmoothMetric, TanimotoMetric


def naive(anchors, h, x):
    """1 - prod_i (1 - exp(-r_i^2 / (2 h^2))), factor by factor."""
    product = 1.0
    for anchor in anchors:
        r2 = sum((a - b) ** 2 for a, b in zip(x, anchor, strict=True))
        product *= 1 - math.exp(-r2 / (2 * h**2))
    return 1 - product


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("h", [0.05, 0.3, 2.0])
def test_value_is_one_minus_the_product(d, h):
    rng = np.random.default_rng(d)
    anchors, X = rng.random((6, d)), rng.random((9, d))
    np.testing.assert_allclose(BoundedReliability(anchors, h).value(X), [naive(anchors, h, x) for x in X], atol=1e-15)


def test_far_from_all_anchors_the_score_keeps_its_relative_precision():
    value = BoundedReliability([[0.0], [1.0]], 1.0).value(np.array([[20.0]]))
    assert value == pytest.approx(math.exp(-200) + math.exp(-(19**2) / 2), rel=1e-12)


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("h", [1e-6, 0.2, 5.0, 1e6])
def test_score_is_exactly_one_at_every_anchor_and_never_leaves_the_unit_interval(d, h):
    rng = np.random.default_rng(20 + d)
    anchors = np.vstack([rng.random((8, d)), rng.random((1, d)) + 4])
    anchors = np.vstack([anchors, anchors[:2]])
    bounded = BoundedReliability(anchors, h)
    assert np.all(bounded.value(anchors) == 1)
    q = bounded.value(rng.normal(size=(300, d)) * 3)
    assert 0 <= q.min() <= q.max() <= 1


@given(seed=st.integers(0, 2**32 - 1), h=st.floats(0.01, 10), d=st.integers(1, 6), n=st.integers(1, 12))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_one_more_anchor_never_lowers_the_score(seed, h, d, n):
    rng = np.random.default_rng(seed)
    anchors, X = rng.random((n + 1, d)), rng.random((40, d)) * 1.5
    assert np.all(BoundedReliability(anchors, h).value(X) >= BoundedReliability(anchors[:-1], h).value(X) - 2e-16)


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_gradient_agrees_with_central_differences(d, n, central_differences):
    rng = np.random.default_rng(30 + d)
    anchors = rng.random((n, d))
    bounded = BoundedReliability(anchors, 0.4)
    X = np.vstack([rng.random((8, d)), rng.random((2, d)) + 1.5])
    value, gradient = bounded.value_and_gradient(X)
    np.testing.assert_array_equal(value, bounded.value(X))
    expected = central_differences(bounded.value, X, 2e-6)
    rounding = 3e-10 * value  # of a difference of two values of this size, divided by the step
    error = np.linalg.norm(gradient - expected, axis=1)
    assert np.all(error <= 1e-6 * np.linalg.norm(expected, axis=1) + rounding)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_gradient_at_an_anchor_is_exactly_zero_also_when_it_is_there_twice(d, central_differences):
    anchors = np.random.default_rng(40 + d).random((4, d))
    for marked in (anchors, np.vstack([anchors, anchors[:1]])):
        bounded = BoundedReliability(marked, 0.5)
        assert np.all(bounded.value_and_gradient(marked)[1] == 0)
        np.testing.assert_allclose(central_differences(bounded.value, marked), 0, atol=1e-9)


def test_gradient_close_to_an_anchor_has_no_zero_over_zero():
    anchors = np.array([[0.5, 0.5], [0.6, 0.5]])
    X = anchors[:1] + 1e-9
    gradient = BoundedReliability(anchors, 0.3).value_and_gradient(X)[1]
    # Near anchor 1, q = 1 - r_1^2 / (2 h^2) (1 - k_2), so its gradient is -(x - x_1) / h^2 (1 - k_2).
    expected = -(X - anchors[:1]) / 0.09 * (1 - math.exp(-0.01 / 0.18))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)


@pytest.mark.parametrize("size", [1e3, 1e160, 1e300])
def test_value_and_gradient_vanish_infinitely_far_away(size):
    value, gradient = BoundedReliability([[0.5, 0.5], [0.1, 0.2]], 1e-3).value_and_gradient(np.full((1, 2), size))
    assert np.all(value == 0)
    assert not np.signbit(value)
    assert np.all(gradient == 0)


def test_fingerprints_have_a_score_but_no_gradient():
    prints = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    bounded = BoundedReliability(prints, 0.3, TanimotoMetric())
    assert np.all(bounded.value(prints) == 1)
    with pytest.raises(UnsupportedError, match=r"a gradient needs a SmoothMetric.*TanimotoMetric\(\)"):
        bounded.value_and_gradient(prints)


def test_invalid_scores_cannot_be_built():
    with pytest.raises(InputError, match=r"anchors must hold at least one design; received shape \(0, 2\)"):
        BoundedReliability(np.zeros((0, 2)), 1.0)
    with pytest.raises(InputError, match="bandwidth must be a finite number above 0; received 0"):
        BoundedReliability([[0.1]], 0)


class OwnEuclidean(SmoothMetric):
    """The Euclidean distance, written by a user."""

    def distances(self, X, Y):
        return np.sqrt(((X[:, None] - Y) ** 2).sum(axis=2))

    def dimension(self, columns):
        return columns

    def weighted_gradient(self, weights, X, Y):
        return 2.0 * np.einsum("nm,nmc->nc", weights, X[:, None] - Y)


@pytest.mark.parametrize("score", [BoundedReliability, DensityReliability])
def test_a_metric_of_the_users_own_gives_what_the_compiled_one_gives(score):
    rng = np.random.default_rng(3)
    anchors, X = rng.random((6, 3)), rng.random((8, 3))
    X[0] = anchors[0]
    ours, theirs = score(anchors, 0.3), score(anchors, 0.3, metric=OwnEuclidean())
    np.testing.assert_allclose(theirs.value(X), ours.value(X), rtol=1e-13)
    for mine, other in zip(ours.value_and_gradient(X), theirs.value_and_gradient(X), strict=True):
        np.testing.assert_allclose(other, mine, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("score", [BoundedReliability, DensityReliability])
def test_categories_are_one_apart_and_have_no_slope(score):
    rng = np.random.default_rng(4)
    anchors, X = rng.random((5, 2)), rng.random((7, 2))
    anchors[:, 1], X[:, 1] = rng.integers(3, size=5) / 2, rng.integers(3, size=7) / 2
    # An axis for each value, on which the three values are one apart.
    spread = [np.column_stack([Z[:, 0], np.eye(3)[(2 * Z[:, 1]).astype(int)] / np.sqrt(2.0)]) for Z in (anchors, X)]
    given = (
        {"peak": 1.0} if score is BoundedReliability else {"peak": 0.4**-2}
    )  # the density's d is the number of columns
    q, gradient = score(anchors, 0.4, metric=EuclideanMetric(categorical=(1,))).value_and_gradient(X)
    wide, wide_gradient = score(spread[0], 0.4).value_and_gradient(spread[1])
    np.testing.assert_allclose(q * given["peak"], wide, rtol=1e-12)
    np.testing.assert_allclose(gradient[:, 0] * given["peak"], wide_gradient[:, 0], rtol=1e-10)
    np.testing.assert_array_equal(gradient[:, 1], 0.0)


@pytest.mark.parametrize("score", [BoundedReliability, DensityReliability])
def test_length_scales_are_compiled_with_their_gradient(score, central_differences):
    rng, metric = np.random.default_rng(7), EuclideanMetric((2,), (1.0, 3.0, 2.0))
    anchors, X = rng.random((5, 3)), rng.random((8, 3))
    anchors[:, 2], X[:, 2] = rng.integers(3, size=5) / 2, rng.integers(3, size=8) / 2
    scored = score(anchors, 0.4, metric=metric)
    by_distances = score(anchors, 0.4, metric=OwnScaled())
    value, gradient = scored.value_and_gradient(X)
    np.testing.assert_allclose(by_distances.value(X), value, rtol=1e-12)
    np.testing.assert_allclose(by_distances.value_and_gradient(X)[1], gradient, rtol=1e-10, atol=1e-13)
    smooth = central_differences(scored.value, X, 1e-6)
    np.testing.assert_allclose(gradient[:, :2], smooth[:, :2], rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(gradient[:, 2], 0.0)
    with compile_eagerly():
        compiled = scored.value_and_gradient(X)
    np.testing.assert_array_equal(compiled[0], value)
    np.testing.assert_array_equal(compiled[1], gradient)


@pytest.mark.parametrize("score", [BoundedReliability, DensityReliability])
def test_length_scales_of_one_change_no_bit(score):
    rng = np.random.default_rng(8)
    anchors, X = rng.random((5, 3)), rng.random((8, 3))
    plain = score(anchors, 0.3).value_and_gradient(X)
    scaled = score(anchors, 0.3, metric=EuclideanMetric(lengthscales=(1.0, 1.0, 1.0))).value_and_gradient(X)
    for mine, theirs in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(mine, theirs)


class OwnScaled(SmoothMetric):
    """The metric of `test_length_scales_are_compiled_with_their_gradient`, through its distances."""

    metric = EuclideanMetric((2,), (1.0, 3.0, 2.0))

    def distances(self, X, Y):
        return self.metric.distances(X, Y)

    def dimension(self, columns):
        return self.metric.dimension(columns)

    def weighted_gradient(self, weights, X, Y):
        return self.metric.weighted_gradient(weights, X, Y)


@pytest.mark.parametrize("score", [BoundedReliability, DensityReliability])
@pytest.mark.parametrize("duplicate", [lambda score: pickle.loads(pickle.dumps(score)), copy.deepcopy])
def test_a_copy_is_equal_and_its_arrays_have_the_types_of_the_compiled_code(score, duplicate):
    anchors = np.random.default_rng(9).random((4, 2))
    original = score(anchors, 0.3, metric=EuclideanMetric((1,), (1.0, 2.0)))
    again = duplicate(original)
    assert again == original
    np.testing.assert_array_equal(again.value(anchors + 0.1), original.value(anchors + 0.1))
    coordinates = again._coordinates
    for array in (coordinates.anchors, coordinates.widths, coordinates.weights):
        assert not array.flags.writeable


def test_scores_of_other_widths_differ():
    anchors = np.random.default_rng(9).random((4, 2))
    scored = BoundedReliability(anchors, 0.3)
    assert scored != BoundedReliability(anchors, 0.31)
    assert scored != BoundedReliability(anchors, 0.3, EuclideanMetric((1,)))
    assert scored != BoundedReliability(anchors, 0.3, EuclideanMetric((), (1.0, 2.0)))
    assert scored != BoundedReliability(anchors, 0.3, factors=[1.0, 1.0, 1.0, 2.0])
