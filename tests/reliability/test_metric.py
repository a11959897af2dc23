"""Distances against loops over pairs, the dimension each metric stands for, and what a supplied function may return."""

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.reliability import CallableMetric, EuclideanMetric, HammingMetric, Metric, ProductMetric, TanimotoMetric
from anchorpbo.reliability.metric import as_metric, as_smooth_metric


def euclidean(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) ** 0.5


def tanimoto(x, y):
    common = sum(a * b for a, b in zip(x, y, strict=True))
    union = sum(a * a for a in x) + sum(b * b for b in y) - common
    return 0.0 if union == 0 else 1 - common / union


def hamming(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True)) / len(x)


def designs(seed, rows, columns, binary):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (rows, columns)).astype(float) if binary else rng.normal(size=(rows, columns))


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(
    ("metric", "formula"), [(EuclideanMetric(), euclidean), (TanimotoMetric(), tanimoto), (HammingMetric(), hamming)]
)
def test_distances_follow_their_formula_pair_by_pair(metric, formula, binary):
    X, Y = designs(0, 7, 9, binary), designs(1, 4, 9, binary)
    naive = np.array([[formula(x, y) for y in Y] for x in X])
    np.testing.assert_allclose(metric.distances(X, Y), naive, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("metric", [EuclideanMetric(), TanimotoMetric(), HammingMetric()])
def test_a_design_is_at_distance_zero_from_itself(metric):
    X = np.vstack([designs(2, 6, 8, True), np.zeros((2, 8))])
    assert np.all(np.diag(metric.distances(X, X)) == 0)


def test_all_zero_fingerprints_are_at_distance_zero_from_each_other_and_one_from_the_rest():
    zero, some = np.zeros((1, 4)), np.array([[1.0, 0.0, 1.0, 0.0]])
    assert TanimotoMetric().distances(zero, zero) == 0
    assert TanimotoMetric().distances(zero, some) == 1


def test_tanimoto_of_real_vectors_is_never_negative():
    X = designs(3, 40, 3, False)
    assert TanimotoMetric().distances(X, X).min() >= 0


def test_only_the_euclidean_metric_counts_columns_and_has_a_gradient():
    metrics = [
        EuclideanMetric(),
        TanimotoMetric(),
        HammingMetric(),
        CallableMetric(lambda X, Y: np.zeros((len(X), len(Y)))),
    ]
    assert [metric.dimension(6) for metric in metrics] == [6, 1, 1, 1]
    assert [metric.has_gradient for metric in metrics] == [True, False, False, False]


def test_weighted_gradient_is_that_of_the_weighted_squared_distances(central_differences):
    rng = np.random.default_rng(4)
    X, Y, weights = rng.normal(size=(5, 3)), rng.normal(size=(4, 3)), rng.normal(size=(5, 4))
    expected = central_differences(lambda Z: (weights * EuclideanMetric().distances(Z, Y) ** 2).sum(axis=1), X)
    np.testing.assert_allclose(EuclideanMetric().weighted_gradient(weights, X, Y), expected, rtol=1e-7, atol=1e-9)


def test_weighted_gradient_keeps_its_digits_far_from_the_origin():
    X, Y = np.array([[1e8 + 0.5]]), np.array([[1e8]])
    assert EuclideanMetric().weighted_gradient(np.ones((1, 1)), X, Y) == 1.0


def test_names_objects_and_functions_resolve_to_metrics():
    assert as_metric("euclidean") == EuclideanMetric()
    assert as_metric("tanimoto") == TanimotoMetric()
    assert as_metric("hamming") == HammingMetric()
    assert as_metric(HammingMetric()) == HammingMetric()

    def manhattan(X, Y):
        return np.abs(X[:, None] - Y[None]).sum(axis=2)

    resolved = as_metric(manhattan)
    assert resolved == CallableMetric(manhattan)
    np.testing.assert_allclose(resolved.distances(np.eye(3), np.zeros((2, 3))), np.ones((3, 2)))
    assert CallableMetric(manhattan, intrinsic_dimension=3).dimension(9) == 3


def test_a_metric_without_a_gradient_says_so():
    with pytest.raises(UnsupportedError, match=r"a gradient needs a SmoothMetric.*TanimotoMetric\(\)"):
        as_smooth_metric(TanimotoMetric())
    assert as_smooth_metric(EuclideanMetric()) == EuclideanMetric()


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda X, Y: np.zeros(len(X)), ShapeError, r"must have shape \(3, 2\) here; received \(3,\)"),
        (lambda X, Y: np.zeros((len(Y), len(X))), ShapeError, r"must have shape \(3, 2\) here; received \(2, 3\)"),
        (lambda X, Y: np.full((len(X), len(Y)), np.nan), InputError, r"supplied metric must be finite; received nan"),
        (lambda X, Y: np.full((len(X), len(Y)), -0.5), InputError, r"must be at least 0; received -0.5"),
        (lambda X, Y: "far", InputError, r"distances of the supplied metric must be numbers; received 'far'"),
    ],
)
def test_what_a_supplied_function_returns_is_checked(function, error, message):
    with pytest.raises(error, match=message):
        CallableMetric(function).distances(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize("dimension", [0, -1, 1.5, True, "1"])
def test_an_intrinsic_dimension_is_a_whole_number_above_zero(dimension):
    with pytest.raises(InputError, match="intrinsic_dimension must be a whole number above 0"):
        CallableMetric(euclidean, intrinsic_dimension=dimension)


def test_what_is_no_metric_is_refused():
    with pytest.raises(InputError, match=r"function must be callable; received 3"):
        CallableMetric(3)
    with pytest.raises(
        UnknownNameError, match=r"metric must be one of euclidean, hamming, tanimoto; received 'cosine'"
    ):
        as_metric("cosine")
    with pytest.raises(InputError, match=r"metric must be a name, a Metric or a function.*received 3"):
        as_metric(3)
    with pytest.raises(InputError, match=r"write EuclideanMetric\(\) rather than EuclideanMetric"):
        as_metric(EuclideanMetric)
    with pytest.raises(TypeError, match="abstract"):
        Metric()


def test_categories_are_one_apart_and_have_no_slope():
    rng = np.random.default_rng(0)
    X, Y = (np.column_stack([rng.random((5, 2)), rng.integers(0, 3, 5) / 2]) for _ in range(2))
    metric = EuclideanMetric(categorical=(2,))
    naive = [[np.sqrt(((x - y)[:2] ** 2).sum() + (x[2] != y[2])) for y in Y] for x in X]
    assert metric.distances(X, Y) == pytest.approx(np.array(naive))
    weights = rng.standard_normal((5, 5))
    gradient = metric.weighted_gradient(weights, X, Y)
    assert (gradient[:, 2] == 0).all()
    assert gradient[:, :2] == pytest.approx(EuclideanMetric().weighted_gradient(weights, X[:, :2], Y[:, :2]))
    only = EuclideanMetric(categorical=(0, 1))
    assert only.distances(X[:, :2], X[:, :2]) == pytest.approx(np.sqrt(2.0) * (1 - np.eye(5)))


def test_joined_metrics_add_their_squares():
    X = np.random.default_rng(0).integers(0, 2, (4, 6)).astype(float)
    joined = ProductMetric(((EuclideanMetric(), (0, 1)), (TanimotoMetric(), (2, 3, 4, 5))))
    squares = EuclideanMetric().distances(X[:, :2], X[:, :2]) ** 2 + TanimotoMetric().distances(X[:, 2:], X[:, 2:]) ** 2
    assert joined.distances(X, X) == pytest.approx(np.sqrt(squares))
    assert joined.dimension(6) == 3


LENGTHS = (0.5, 2.0, 0.25, 4.0)


@pytest.mark.parametrize("categorical", [(), (1, 3)])
def test_length_scales_divide_the_coordinates(categorical):
    rng = np.random.default_rng(5)
    X, Y = (np.column_stack([rng.random((6, 3)), rng.integers(0, 3, 6) / 2]) for _ in range(2))
    apart = X[:, None] - Y
    for c in categorical:
        apart[:, :, c] = apart[:, :, c] != 0
    naive = [[sum((a / s) ** 2 for a, s in zip(row, LENGTHS, strict=True)) ** 0.5 for row in rows] for rows in apart]
    np.testing.assert_allclose(EuclideanMetric(categorical, LENGTHS).distances(X, Y), naive, rtol=1e-14)


def test_gradient_with_length_scales_agrees_with_central_differences(central_differences):
    rng, metric = np.random.default_rng(6), EuclideanMetric((1,), LENGTHS)
    X, Y, weights = rng.random((5, 4)), rng.random((3, 4)), rng.normal(size=(5, 3))
    expected = central_differences(lambda Z: (weights * metric.distances(Z, Y) ** 2).sum(axis=1), X)
    np.testing.assert_allclose(metric.weighted_gradient(weights, X, Y), expected, rtol=1e-6, atol=1e-8)


def test_effective_dimension_is_the_sum_of_the_squared_ratios_to_the_shortest_length_scale():
    assert EuclideanMetric(lengthscales=LENGTHS).dimension(4) == pytest.approx(0.25 + 1 / 64 + 1 + 1 / 256)
    assert EuclideanMetric(lengthscales=(2.0, 2.0, 2.0)).dimension(3) == 3
    assert EuclideanMetric(lengthscales=(1.0, 1e6)).dimension(2) == pytest.approx(1)


def test_length_scales_of_a_kernel_become_ratios_with_limits():
    metric = EuclideanMetric((2,)).with_lengthscales(np.array([0.5, 1.0, 0.25, 50.0]))
    assert metric == EuclideanMetric((2,), (2.0, 4.0, 1.0, 10.0))
    assert EuclideanMetric().with_lengthscales(np.array([1.5, np.inf])) == EuclideanMetric(lengthscales=(1.0, 2.0))


@pytest.mark.parametrize("length", [0.01, 0.3, 5.0, np.inf])
def test_equal_length_scales_give_the_metric_without_them(length):
    assert EuclideanMetric((1,), (3.0, 1.0)).with_lengthscales(np.full(2, length)) == EuclideanMetric((1,))


def test_length_scales_reach_the_euclidean_part_of_a_product_and_no_other_metric():
    lengths = np.array([0.2, 0.3, 0.4, 0.6])
    joined = ProductMetric(((EuclideanMetric(), (0, 3)), (TanimotoMetric(), (1, 2))))
    rescaled = ProductMetric(((EuclideanMetric(lengthscales=(1.0, 0.6 / 0.2)), (0, 3)), (TanimotoMetric(), (1, 2))))
    scaled = joined.with_lengthscales(lengths)
    assert scaled.parts[1] == rescaled.parts[1]
    np.testing.assert_allclose(scaled.parts[0][0].lengthscales, (1.0, 3.0))
    for metric in (TanimotoMetric(), HammingMetric(), CallableMetric(lambda X, Y: np.zeros((len(X), len(Y))))):
        assert metric.with_lengthscales(lengths) is metric


def test_default_bandwidths_are_a_tenth_to_a_fifth_of_the_diagonal():
    assert EuclideanMetric().default_bandwidths(9) == pytest.approx((0.3, 0.6))
    assert EuclideanMetric(lengthscales=(1.0, 2.0)).default_bandwidths(2) == pytest.approx(
        (0.1 * 1.25**0.5, 0.2 * 1.25**0.5)
    )


def test_bad_length_scales_are_refused():
    for bad in ((1.0, 0.0), (-1.0,), ()):
        with pytest.raises(InputError, match="lengthscales must be one or more numbers above 0"):
            EuclideanMetric(lengthscales=bad)
    with pytest.raises(ShapeError, match="a metric with 4 length-scales needs designs with as many coordinates; rec"):
        EuclideanMetric(lengthscales=LENGTHS).distances(np.zeros((1, 3)), np.zeros((1, 3)))


def test_fingerprints_have_bandwidths_of_a_chemical_neighbourhood():
    assert TanimotoMetric().default_bandwidths(2048) == (0.2, 0.3)
    assert (TanimotoMetric().dimension(2048), TanimotoMetric().loo_dimension(2048)) == (1, 6)
    assert HammingMetric().default_bandwidths(5) == (0.1, 0.2)
    assert (EuclideanMetric().loo_dimension(4), HammingMetric().loo_dimension(4)) == (4, 1)


def test_bandwidths_of_a_product_add_their_squares():
    joined = ProductMetric(((EuclideanMetric(), (0, 1)), (TanimotoMetric(), (2, 3, 4))))
    expected = [(0.01 * 2 + 0.04) ** 0.5, (0.04 * 2 + 0.09) ** 0.5]
    assert joined.default_bandwidths(5) == pytest.approx(expected)
    assert joined.loo_dimension(5) == 8
    plain = ProductMetric(((EuclideanMetric(), (0, 1)), (EuclideanMetric(), (2, 3))))
    assert plain.default_bandwidths(4) == pytest.approx(EuclideanMetric().default_bandwidths(4))
