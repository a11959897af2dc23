"""The compiled matrices of stationary kernels against the formulas as they are written in numpy."""

import numpy as np
import pytest

from anchorpbo.kernels import RBF, Matern32, Matern52


class PlainRBF(RBF):
    family = None


class PlainMatern32(Matern32):
    family = None


class PlainMatern52(Matern52):
    family = None


PAIRS = [(RBF, PlainRBF), (Matern32, PlainMatern32), (Matern52, PlainMatern52)]
SETTINGS = [
    ([0.3, 0.5, 0.7, 1.0], ()),
    (0.4, ()),
    ([0.3, 0.5, 0.7, 1.0], (2,)),
    (0.4, (0, 2)),
]


@pytest.fixture
def designs():
    X = np.random.default_rng(0).random((41, 4))
    X[:, [0, 2]] = np.round(3.0 * X[:, [0, 2]])
    X[7], X[8] = X[3], X[3] + 1e-9 * np.array([0.0, 1.0, 0.0, 1.0])
    return X


@pytest.mark.parametrize(("compiled", "plain"), PAIRS)
@pytest.mark.parametrize(("lengthscale", "categorical"), SETTINGS)
def test_matrix_and_gradient_on_one_list_are_those_of_the_formulas(compiled, plain, lengthscale, categorical, designs):
    one, other = (kind(lengthscale, 2.0, categorical=categorical) for kind in (compiled, plain))
    K, pull = one.value_with_pullback(designs)
    np.testing.assert_allclose(K, other(designs, designs), rtol=1e-13)
    assert np.array_equal(K, K.T)
    A = np.random.default_rng(1).normal(size=K.shape)
    A += A.T
    np.testing.assert_allclose(pull(A), other.parameter_gradient(designs, A), rtol=1e-10)


@pytest.mark.parametrize("count", [0, 1, 2, 32, 33, 70])
def test_matrix_is_right_at_sizes_around_its_tiles(count):
    X = np.random.default_rng(2).random((count, 3))
    K, pull = RBF([0.2, 0.3, 0.4]).value_with_pullback(X)
    np.testing.assert_allclose(K, PlainRBF([0.2, 0.3, 0.4])(X, X), rtol=1e-13)
    assert pull(np.ones((count, count))).shape == (4,)


def test_designs_a_hair_apart_keep_their_digits():
    X = np.array([[0.5, 0.5], [0.5 + 1e-9, 0.5]])
    K, pull = Matern32([1.0, 1.0]).value_with_pullback(X)
    # 1 - k is 3/2 r^2 to first order, below rounding; its slope in the length-scale, 3 r^2, is not.
    assert K[0, 1] == 1.0
    r2 = (X[1, 0] - X[0, 0]) ** 2
    np.testing.assert_allclose(pull(np.array([[0.0, 0.5], [0.5, 0.0]]))[0], 3.0 * r2, rtol=1e-6)


def test_a_shape_that_comes_from_elsewhere_is_the_one_that_counts():
    class Cauchy:
        def shape(self, r2):
            return 1.0 / (1.0 + r2), -1.0 / (1.0 + r2) ** 2

    class Mixed(Cauchy, RBF):
        pass

    class Renamed(RBF):
        pass

    assert Mixed.family is None
    assert Renamed.family == RBF.family
    assert Mixed(1.0)(np.zeros((1, 1)), np.ones((1, 1)))[0, 0] == pytest.approx(0.5)
