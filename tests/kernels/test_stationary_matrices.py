"""The compiled stationary kernels between two lists of designs."""

import numpy as np
import pytest

from anchorpbo.kernels import RBF, Matern32, Matern52

KERNELS = [RBF, Matern32, Matern52]


def naive(kernel, X, Y):
    r2 = np.zeros((len(X), len(Y)))
    for c in range(X.shape[1]):
        difference = X[:, c, None] - Y[:, c]
        if c in kernel.categorical:
            difference = (difference != 0.0).astype(float)
        r2 += (difference / np.broadcast_to(kernel.lengths, X.shape[1])[c]) ** 2
    return [kernel.outputscale * part for part in kernel.shape(r2)]


@pytest.mark.parametrize("cls", KERNELS)
@pytest.mark.parametrize("categorical", [(), (1,)])
@pytest.mark.parametrize("p", [0, 1, 7, 1300])
def test_the_matrix_and_its_gradient_are_the_formulas(cls, categorical, p):
    rng = np.random.default_rng(p)
    kernel = cls([0.3, 0.7, 1.1], 2.0, categorical=categorical)
    X, Y = rng.random((5, 3)), rng.random((p, 3))
    X[:, 1], Y[:, 1] = np.round(2 * X[:, 1]) / 2, np.round(2 * Y[:, 1]) / 2
    value, slope = naive(kernel, X, Y)
    K, pull = kernel.value_with_input_pullback(X, Y)
    np.testing.assert_allclose(K, value, rtol=1e-13)
    np.testing.assert_array_equal(kernel(X, Y), K)
    A = rng.standard_normal((5, p))
    expected = 2.0 * ((A * slope)[:, :, None] * (X[:, None] - Y)).sum(axis=1) / kernel.lengths**2
    expected[:, list(categorical)] = 0.0
    np.testing.assert_allclose(pull(A), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("cls", KERNELS)
@pytest.mark.parametrize("categorical", [(), (0, 1)])
def test_designs_side_by_side_are_the_diagonal(cls, categorical):
    rng = np.random.default_rng(0)
    kernel = cls(0.4, 3.0, categorical=categorical)
    X, Y, a = rng.random((6, 2)), rng.random((6, 2)), rng.standard_normal(6)
    Y[0] = X[0]
    values, pull = kernel.paired_with_pullback(X, Y)
    np.testing.assert_allclose(values, np.diagonal(kernel(X, Y)), rtol=1e-13)
    np.testing.assert_allclose(values, kernel.paired(X, Y), rtol=1e-13)
    np.testing.assert_allclose(pull(a), kernel.input_gradient(X, Y, np.diag(a)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("cls", KERNELS)
def test_designs_almost_at_one_place_keep_their_digits(cls):
    """1 - k is of the order 1e-18 or 1e-9 there, but the gradient is the difference itself."""
    kernel, X = cls(0.5), np.full((1, 2), 0.7)
    Y = X + np.array([[1e-9, 0.0]])
    gradient = kernel.value_with_input_pullback(X, Y)[1](np.ones((1, 1)))[0]
    slope = kernel.shape(np.zeros(1))[1][0]
    assert gradient[0] == pytest.approx(2.0 * slope * (X - Y)[0, 0] / 0.25, rel=1e-7)
    assert gradient[1] == 0.0


@pytest.mark.parametrize("cls", KERNELS)
def test_arrays_may_be_read_only_or_parts_of_others(cls):
    kernel, pairs = cls([0.2, 0.9]), np.random.default_rng(0).random((4, 2, 2))
    whole = pairs.copy()
    whole.setflags(write=False)
    X, Y = pairs[:, 0], pairs[:, 1].T.copy().T
    np.testing.assert_array_equal(kernel(X, Y), kernel(whole[:, 0].copy(), whole[:, 1].copy()))
    np.testing.assert_array_equal(
        kernel.input_gradient(X, Y, np.ones((4, 4))), kernel.input_gradient(whole[:, 0], whole[:, 1], np.ones((4, 4)).T)
    )


def test_a_shape_of_its_own_is_what_a_derived_kernel_uses():
    class Rough(RBF):
        def shape(self, r2):
            return 1.0 / (1.0 + r2), -1.0 / (1.0 + r2) ** 2

    X, Y = np.random.default_rng(1).random((2, 3, 2))
    kernel = Rough(0.5, 2.0)
    r2 = ((X[:, None] - Y) ** 2).sum(axis=2) / 0.25
    np.testing.assert_allclose(kernel(X, Y), 2.0 / (1.0 + r2), rtol=1e-13)
    np.testing.assert_allclose(kernel.value_with_pullback(X)[0], kernel(X, X), rtol=1e-13)

    class Renamed(RBF):
        """The same shape under another name is still compiled."""

    assert Renamed.family == RBF.family
