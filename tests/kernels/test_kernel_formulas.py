"""Each docstring's formula, evaluated by a double loop."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from anchorpbo.errors import InputError
from anchorpbo.kernels import RBF, Hamming, Kernel, Matern32, Matern52, OnColumns, Product, Sum, Tanimoto
from anchorpbo.typing import Array

Scalar = Callable[[Array, Array], float]

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(size=(7, 3)), RNG.uniform(size=(5, 3))
Y[0] = X[0]
LENGTHS = [0.2, 0.7, 3.0]
BITS_X, BITS_Y = RNG.integers(0, 2, size=(7, 4)).astype(float), RNG.integers(0, 3, size=(5, 4)).astype(float)
BITS_X[0] = BITS_Y[0] = 0.0


def by_double_loop(k: Scalar, X: Array, Y: Array) -> Array:
    return np.array([[k(x, y) for y in Y] for x in X])


def distance(x: Array, y: Array, lengths: list[float]) -> float:
    return math.sqrt(sum(((a - b) / length) ** 2 for a, b, length in zip(x, y, lengths, strict=True)))


def rbf(lengths: list[float], s: float) -> Scalar:
    return lambda x, y: s * math.exp(-(distance(x, y, lengths) ** 2) / 2)


def matern32(lengths: list[float], s: float) -> Scalar:
    def k(x: Array, y: Array) -> float:
        a = math.sqrt(3) * distance(x, y, lengths)
        return s * (1 + a) * math.exp(-a)

    return k


def matern52(lengths: list[float], s: float) -> Scalar:
    def k(x: Array, y: Array) -> float:
        a = math.sqrt(5) * distance(x, y, lengths)
        return s * (1 + a + a * a / 3) * math.exp(-a)

    return k


def hamming(lengths: list[float], s: float) -> Scalar:
    def k(x: Array, y: Array) -> float:
        differing = sum((a != b) / length for a, b, length in zip(x, y, lengths, strict=True))
        return s * math.exp(-differing / len(x))

    return k


def tanimoto(s: float) -> Scalar:
    def k(x: Array, y: Array) -> float:
        shared, size_x, size_y = float(x @ y), float(x @ x), float(y @ y)
        return s if size_x == size_y == 0 else s * shared / (size_x + size_y - shared)

    return k


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        (RBF(0.4, 2.5), rbf([0.4] * 3, 2.5)),
        (RBF(LENGTHS, 2.5), rbf(LENGTHS, 2.5)),
        (Matern32(0.4, 2.5), matern32([0.4] * 3, 2.5)),
        (Matern32(LENGTHS, 2.5), matern32(LENGTHS, 2.5)),
        (Matern52(0.4, 2.5), matern52([0.4] * 3, 2.5)),
        (Matern52(LENGTHS, 2.5), matern52(LENGTHS, 2.5)),
    ],
)
def test_stationary(kernel: Kernel, formula: Scalar) -> None:
    np.testing.assert_allclose(kernel(X, Y), by_double_loop(formula, X, Y), rtol=1e-13)


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        (Hamming(0.4, 2.5), hamming([0.4] * 4, 2.5)),
        (Hamming([0.2, 0.7, 3.0, 1.0], 2.5), hamming([0.2, 0.7, 3.0, 1.0], 2.5)),
        (Tanimoto(2.5), tanimoto(2.5)),
    ],
)
def test_finite(kernel: Kernel, formula: Scalar) -> None:
    np.testing.assert_allclose(kernel(BITS_X, BITS_Y), by_double_loop(formula, BITS_X, BITS_Y), rtol=1e-13)


def test_empty_fingerprints_are_alike_and_unlike_all_others() -> None:
    empty, other = np.zeros((1, 4)), np.array([[1.0, 0.0, 0.0, 1.0]])
    assert Tanimoto(2.0)(empty, empty)[0, 0] == 2.0
    assert Tanimoto(2.0)(empty, other)[0, 0] == 0.0


def test_sum() -> None:
    left, right = rbf([0.4] * 3, 2.5), matern52(LENGTHS, 0.3)
    kernel = RBF(0.4, 2.5) + Matern52(LENGTHS, 0.3)
    assert isinstance(kernel, Sum)
    np.testing.assert_allclose(kernel(X, Y), by_double_loop(lambda x, y: left(x, y) + right(x, y), X, Y), rtol=1e-13)


def test_product() -> None:
    left, right = rbf([0.4] * 3, 2.5), matern52(LENGTHS, 0.3)
    kernel = RBF(0.4, 2.5) * Matern52(LENGTHS, 0.3)
    assert isinstance(kernel, Product)
    np.testing.assert_allclose(kernel(X, Y), by_double_loop(lambda x, y: left(x, y) * right(x, y), X, Y), rtol=1e-13)


def test_on_columns_sees_the_chosen_coordinates_in_the_order_given() -> None:
    kernel, formula = RBF([0.2, 0.7], 2.5).on([2, 0]), rbf([0.2, 0.7], 2.5)
    assert isinstance(kernel, OnColumns)
    expected = by_double_loop(lambda x, y: formula(x[[2, 0]], y[[2, 0]]), X, Y)
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-13)


def test_numbers_and_a_category() -> None:
    designs = np.column_stack([X[:, :2], RNG.integers(0, 3, size=7)])
    kernel = RBF(0.3).on([0, 1]) * Hamming(1.0).on([2])
    numbers, category = rbf([0.3, 0.3], 1.0), hamming([1.0], 1.0)
    expected = by_double_loop(lambda x, y: numbers(x[:2], y[:2]) * category(x[2:], y[2:]), designs, designs)
    np.testing.assert_allclose(kernel(designs, designs), expected, rtol=1e-13)


def test_equal_length_scales_are_the_same_as_one() -> None:
    for family in (RBF, Matern32, Matern52):
        np.testing.assert_allclose(family([0.4] * 3)(X, Y), family(0.4)(X, Y), rtol=1e-14)


def test_a_long_length_scale_switches_a_coordinate_off() -> None:
    np.testing.assert_allclose(RBF([0.3, 0.3, 1e6])(X, Y), RBF(0.3).on([0, 1])(X, Y), rtol=1e-10)


@pytest.mark.parametrize("kernel", [RBF(0.4), Matern32(0.4), Matern52(0.4)])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_near_designs_keep_their_distance(kernel: Kernel, offset: float) -> None:
    """1 - k is r^2 / 2, 3 r^2 / 2 or 5 r^2 / 6: expanding the square would leave rounding instead."""
    x, y = np.full((1, 2), offset), np.full((1, 2), offset)
    y[0, 0] += 2.0**-20
    r2 = (2.0**-20 / 0.4) ** 2
    curvature = {RBF: 0.5, Matern32: 1.5, Matern52: 5 / 6}[type(kernel)]  # type: ignore[index]
    assert 1.0 - kernel(x, y)[0, 0] == pytest.approx(curvature * r2, rel=1e-3)


def test_parameter_names_follow_the_structure() -> None:
    kernel = RBF([0.2, 0.7]).on([0, 1]) * Hamming(1.0).on([2]) + Tanimoto()
    assert kernel.parameter_names == (
        "left.left.lengthscale[0]",
        "left.left.lengthscale[1]",
        "left.left.outputscale",
        "left.right.lengthscale",
        "left.right.outputscale",
        "right.outputscale",
    )
    np.testing.assert_allclose(kernel.log_parameters, np.log([0.2, 0.7, 1.0, 1.0, 1.0, 1.0]))


def test_length_scale_reads_as_it_was_written() -> None:
    assert RBF(0.3).lengthscale == 0.3
    assert isinstance(RBF(0.3).lengthscale, float)
    np.testing.assert_array_equal(RBF([0.3]).lengthscale, [0.3])
    moved = RBF([0.3, 0.4], 2.0).with_log_parameters(np.log([0.5, 0.6, 3.0]))
    np.testing.assert_allclose(moved.lengthscale, [0.5, 0.6], rtol=1e-14)
    assert moved.outputscale == pytest.approx(3.0, rel=1e-14)


def test_equality_compares_hyper_parameters() -> None:
    assert RBF(0.3) == RBF(0.3)
    assert RBF(0.3) != RBF(0.4)
    assert RBF(0.3) != Matern32(0.3)
    assert RBF(0.3) != RBF([0.3])
    assert RBF([0.3, 0.4]) + Tanimoto() == RBF([0.3, 0.4]) + Tanimoto()
    assert RBF(0.3) + RBF(0.4) != RBF(0.4) + RBF(0.3)


class TestCategoricalCoordinates:
    """A categorical coordinate is as good as one axis a value."""

    KINDS = (RBF, Matern32, Matern52)
    X = np.column_stack([np.random.default_rng(3).random((7, 2)), [0.0, 0.5, 1.0, 0.5, 0.5, 1.0, 0.0]])
    LENGTHS = np.array([0.3, 0.6, 0.8])

    @staticmethod
    def one_hot(X):
        # Entries of 1 / sqrt(2) put any two values at distance 1.
        return np.column_stack([X[:, :2], (X[:, 2:] == [0.0, 0.5, 1.0]) / np.sqrt(2.0)])

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("shared", [True, False])
    def test_equals_a_kernel_with_one_axis_a_value(self, kind, shared):
        kernel = kind(0.4 if shared else self.LENGTHS, 2.0, categorical=[2])
        spread = kind(0.4 if shared else self.LENGTHS[[0, 1, 2, 2, 2]], 2.0)
        X, Z = self.X, self.one_hot(self.X)
        assert kernel(X[:3], X) == pytest.approx(spread(Z[:3], Z), rel=1e-12)
        assert kernel.paired(X, X[::-1]) == pytest.approx(spread.paired(Z, Z[::-1]), rel=1e-12)
        A = np.random.default_rng(0).standard_normal((7, 7))
        assert kernel.input_gradient(X, X, A)[:, :2] == pytest.approx(spread.input_gradient(Z, Z, A)[:, :2])
        assert (kernel.input_gradient(X, X, A)[:, 2] == 0).all()
        a = A[0]
        assert kernel.paired_gradient(X, X[::-1], a)[:, :2] == pytest.approx(
            spread.paired_gradient(Z, Z[::-1], a)[:, :2]
        )
        by_parameter, spread_out = kernel.parameter_gradient(X, A + A.T), spread.parameter_gradient(Z, A + A.T)
        if not shared:
            spread_out = np.array([*spread_out[:2], spread_out[2:5].sum(), spread_out[5]])
        assert by_parameter == pytest.approx(spread_out, rel=1e-10)

    def test_survives_new_hyper_parameters_and_shows_itself(self):
        kernel = RBF(self.LENGTHS, categorical=[2])
        assert kernel.with_log_parameters(kernel.log_parameters) == kernel
        assert kernel != RBF(self.LENGTHS)
        assert "categorical=(2,)" in repr(kernel)

    def test_columns_that_are_not_there_are_refused(self):
        with pytest.raises(InputError, match="distinct column numbers"):
            RBF(categorical=[0, 0])
        with pytest.raises(InputError, match="must be below the 2 coordinates"):
            RBF(categorical=[2]).check_dimension(2)
