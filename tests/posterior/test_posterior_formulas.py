"""Moments, gradients and probabilities of the posterior against its formulas."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.kernels import RBF, Kernel, Matern52, Tanimoto
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.testing import KernelContract
from anchorpbo.typing import Array

Build = Callable[..., Any]
SIZES = [(6, 4), (4, 9), (5, 5)]


@pytest.mark.parametrize(("u", "m"), SIZES)
@pytest.mark.parametrize("kind", ["duel", "point", "auto"])
def test_weights_are_those_of_the_dense_inverse(example: Build, u: int, m: int, kind: str) -> None:
    one = example(u, m, seed=u)
    posterior, (beta, G) = one.posterior(kind), one.dense()
    np.testing.assert_allclose(posterior.beta, beta, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(posterior.G, G, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("u", "m"), SIZES)
def test_moments_are_those_of_the_dense_formulas(example: Build, X: Array, u: int, m: int) -> None:
    one = example(u, m, seed=10 + u)
    posterior, (beta, G) = one.posterior(), one.dense()
    k, Y = one.kernel(X, one.points), X[::-1] + 0.1
    np.testing.assert_allclose(posterior.mean(X), k @ beta, rtol=1e-9, atol=1e-11)
    cov = one.kernel(X, Y) - k @ G @ one.kernel(one.points, Y)
    np.testing.assert_allclose(posterior.covariance(X, Y), cov, rtol=1e-9, atol=1e-11)
    own = one.kernel(X, X) - k @ G @ k.T
    np.testing.assert_allclose(posterior.covariance(X), own, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(posterior.variance(X), np.diagonal(own), rtol=1e-9, atol=1e-11)


def test_a_difference_has_the_variance_of_the_joint(example: Build, X: Array) -> None:
    posterior, Y = example(5, 4, seed=3).posterior(), X[::-1] * 0.9
    here = posterior.at_pairs(X, Y)
    cross = np.diagonal(posterior.covariance(X, Y))
    np.testing.assert_allclose(here.variance, posterior.variance(X) + posterior.variance(Y) - 2 * cross, rtol=1e-9)
    np.testing.assert_allclose(here.mean[:, 0], posterior.mean(X), rtol=1e-12)
    np.testing.assert_allclose(here.mean[:, 1], posterior.mean(Y), rtol=1e-12)


def test_margins_are_linear_in_the_utility(example: Build, X: Array) -> None:
    posterior, Y, rng = example(5, 4, seed=4).posterior(), X[::-1] * 0.9, np.random.default_rng(0)
    a, b = rng.uniform(0.5, 2.0, size=(2, len(X)))
    ((mean, variance),) = posterior.margins(X, Y, a, b)
    np.testing.assert_allclose(mean, a * posterior.mean(X) - b * posterior.mean(Y), rtol=1e-10)
    cross = np.diagonal(posterior.covariance(X, Y))
    expected = a**2 * posterior.variance(X) + b**2 * posterior.variance(Y) - 2 * a * b * cross
    np.testing.assert_allclose(variance, expected, rtol=1e-9)


@pytest.mark.parametrize("draws", [0, 7])
def test_gradients_are_what_differences_say(example: Build, X: Array, draws: int) -> None:
    posterior = example(5, 8, seed=5, draws=draws).posterior()
    step = 1e-5

    def differences(function: Callable[[Array], Array]) -> Array:
        columns = [(function(X + shift) - function(X - shift)) / (2 * step) for shift in step * np.eye(2)]
        return np.stack(columns, axis=1)

    np.testing.assert_allclose(posterior.mean_gradient(X), differences(posterior.mean), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(posterior.variance_gradient(X), differences(posterior.variance), rtol=1e-6, atol=1e-8)
    Y = X[::-1] * 0.9
    a, b, c = np.random.default_rng(0).standard_normal((3, len(X)))

    def combined(X: Array, Y: Array) -> Array:
        here = posterior.at_pairs(X, Y)
        return a * here.mean[:, 0] + b * here.mean[:, 1] + c * here.variance

    both = posterior.at_pairs(X, Y).gradient(np.stack([a, b], axis=1), c)
    np.testing.assert_allclose(both[:, 0], differences(lambda Z: combined(Z, Y)), rtol=1e-6, atol=1e-8)
    shifted = [(combined(X, Y + s) - combined(X, Y - s)) / (2 * step) for s in step * np.eye(2)]
    np.testing.assert_allclose(both[:, 1], np.stack(shifted, axis=1), rtol=1e-6, atol=1e-8)
    designs = posterior.at(X).gradient(a, c)
    expected = a[:, None] * posterior.mean_gradient(X) + c[:, None] * posterior.variance_gradient(X)
    np.testing.assert_allclose(designs, expected, rtol=1e-10)


def test_prob_prefer_is_that_of_a_gaussian_difference(example: Build, X: Array) -> None:
    posterior, Y = example(5, 4, seed=6).posterior(), X[::-1] * 0.9
    here = posterior.at_pairs(X, Y)
    expected = ndtr((here.mean[:, 0] - here.mean[:, 1]) / np.sqrt(here.variance))
    np.testing.assert_allclose(posterior.prob_prefer(X, Y), expected, rtol=1e-9)
    np.testing.assert_allclose(posterior.prob_prefer(Y, X), 1.0 - expected, rtol=1e-9)


def test_equal_designs_are_a_coin_flip(example: Build, X: Array) -> None:
    np.testing.assert_array_equal(example(5, 4, seed=6).posterior().prob_prefer(X, X), 0.5)


def test_without_spread_the_larger_mean_is_preferred_surely() -> None:
    kernel, points = RBF(0.3), np.array([[0.2], [0.8]])
    root = np.linalg.inv(np.linalg.cholesky(kernel(points, points)))
    posterior = GaussianPosterior(kernel, points, np.array([1.0, -1.0]), root)
    assert posterior.variance(points) == pytest.approx([0.0, 0.0], abs=1e-15)
    probability = posterior.prob_prefer(points, points[::-1])
    assert probability == pytest.approx([1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(("draws", "shared"), [(0, True), (4, True), (4, False)])
def test_pickled_posterior_is_the_same(example: Build, X: Array, draws: int, shared: bool) -> None:
    posterior = example(5, 8, seed=6, draws=draws, shared=shared).posterior()
    copy = pickle.loads(pickle.dumps(posterior))
    np.testing.assert_array_equal(copy.mean(X), posterior.mean(X))
    np.testing.assert_array_equal(copy.covariance(X), posterior.covariance(X))
    draws_here, draws_there = (p.sample(X, 5, np.random.default_rng(0)) for p in (posterior, copy))
    np.testing.assert_array_equal(draws_there, draws_here)


class TestSampling:
    N = 40_000

    def test_moments(self, example: Build, X: Array) -> None:
        posterior = example(5, 4, seed=7).posterior()
        draws = posterior.sample(X, self.N, np.random.default_rng(0))
        std = np.sqrt(posterior.variance(X))
        assert (np.abs(draws.mean(axis=0) - posterior.mean(X)) < 5 * std / np.sqrt(self.N)).all()
        error = 5 * np.sqrt(2 / self.N) * np.outer(std, std)
        assert (np.abs(np.cov(draws.T) - posterior.covariance(X)) < error).all()

    @pytest.mark.parametrize("draws", [0, 5])
    def test_prob_prefer_counts_draws(self, example: Build, X: Array, draws: int) -> None:
        posterior, Y = example(5, 8, seed=8, draws=draws).posterior(), X[::-1] * 0.9
        both = posterior.sample(np.vstack([X, Y]), self.N, np.random.default_rng(1))
        share = (both[:, : len(X)] > both[:, len(X) :]).mean(axis=0)
        np.testing.assert_allclose(share, posterior.prob_prefer(X, Y), atol=5 * 0.5 / np.sqrt(self.N))

    def test_equal_designs_get_equal_draws(self, example: Build, X: Array) -> None:
        draws = example(5, 4, seed=9).posterior().sample(np.vstack([X, X]), 50, np.random.default_rng(2))
        np.testing.assert_allclose(draws[:, : len(X)], draws[:, len(X) :], atol=1e-7)

    def test_generator_alone_decides(self, example: Build, X: Array) -> None:
        posterior = example(5, 4, seed=9, draws=3).posterior()
        one, again, other = (posterior.sample(X, 4, np.random.default_rng(seed)) for seed in (5, 5, 6))
        np.testing.assert_array_equal(one, again)
        assert (one != other).any()

    def test_no_draws(self, example: Build, X: Array) -> None:
        assert example(5, 4, seed=9).posterior().sample(X, 0, np.random.default_rng(0)).shape == (0, len(X))
        assert example(5, 4, seed=9).posterior().sample(X[:0], 3, np.random.default_rng(0)).shape == (3, 0)

    def test_negative_number_of_draws(self, example: Build, X: Array) -> None:
        with pytest.raises(InputError, match="n must be a whole number of at least 0; received -1"):
            example(5, 4, seed=9).posterior().sample(X, -1, np.random.default_rng(0))


class TestPrior:
    def test_prior_has_the_moments_of_the_kernel(self, X: Array) -> None:
        kernel = Matern52(0.4, 2.0)
        prior = GaussianPosterior.prior(kernel, 2)
        np.testing.assert_array_equal(prior.mean(X), np.zeros(len(X)))
        np.testing.assert_allclose(prior.covariance(X), kernel(X, X), rtol=1e-15)
        np.testing.assert_array_equal(prior.variance(X), np.full(len(X), 2.0))
        assert not prior.mean_gradient(X).any()
        assert prior.prob_prefer(X[:1], X[1:2]) == pytest.approx([0.5])
        draws = prior.sample(X, 20_000, np.random.default_rng(0))
        np.testing.assert_allclose(np.cov(draws.T), kernel(X, X), atol=0.1)

    def test_no_designs_asked_about(self, example: Build) -> None:
        posterior, none = example(5, 4, seed=9).posterior(), np.empty((0, 2))
        assert posterior.mean(none).shape == (0,)
        assert posterior.variance(none).shape == (0,)
        assert posterior.covariance(none).shape == (0, 0)
        assert posterior.prob_prefer(none, none).shape == (0,)
        assert posterior.mean_gradient(none).shape == (0, 2)


class TestRules:
    @pytest.mark.parametrize("method", ["mean", "variance", "covariance", "mean_gradient", "variance_gradient", "at"])
    def test_designs_have_the_dimension_of_the_duels(self, example: Build, method: str) -> None:
        call = getattr(example(5, 4, seed=9).posterior(), method)
        with pytest.raises(ShapeError, match=r"X must have shape \(n, 2\); received \(1, 3\); give one design per row"):
            call([[0.1, 0.2, 0.3]])
        with pytest.raises(ShapeError, match=r"X must have shape \(n, 2\); received \(2,\)"):
            call([0.1, 0.2])
        with pytest.raises(InputError, match="X must be finite"):
            call([[0.1, np.nan]])

    @pytest.mark.parametrize("method", ["prob_prefer", "at_pairs"])
    def test_pairs_have_equal_shapes(self, example: Build, method: str) -> None:
        call = getattr(example(5, 4, seed=9).posterior(), method)
        message = r"X and Y must have the same shape; received \(2, 2\) and \(1, 2\); pair them row by row"
        with pytest.raises(ShapeError, match=message):
            call(np.zeros((2, 2)), np.zeros((1, 2)))

    def test_no_gradient_without_one_in_the_kernel(self) -> None:
        posterior = GaussianPosterior(Tanimoto(), np.eye(3), np.ones(3), np.eye(3))
        with pytest.raises(UnsupportedError, match="the Tanimoto kernel has no gradient in x"):
            posterior.mean_gradient(np.eye(3))


class Linear(Kernel):
    """k(x, y) = s (1 + x.y): its diagonal varies with x, as those of the kernels in the library do not."""

    def __init__(self, outputscale: float = 1.0) -> None:
        self.outputscale = outputscale

    def __call__(self, X, Y):
        return self.outputscale * (1.0 + X @ Y.T)

    def paired(self, X, Y):
        return self.outputscale * (1.0 + (X * Y).sum(axis=1))

    def diagonal(self, X):
        return self.paired(X, X)

    def input_gradient(self, X, Y, A):
        return self.outputscale * A @ Y

    def paired_gradient(self, X, Y, a):
        return self.outputscale * a[:, None] * Y

    def diagonal_gradient(self, X, a):
        return 2.0 * self.outputscale * a[:, None] * X

    @property
    def parameter_names(self):
        return ("outputscale",)

    @property
    def log_parameters(self):
        return np.log([self.outputscale])

    def with_log_parameters(self, theta):
        return Linear(float(np.exp(theta[0])))

    def parameter_gradient(self, X, A):
        return np.array([np.vdot(A, self(X, X))])

    def check_dimension(self, dimension):
        pass


@pytest.mark.parametrize(
    "kernel",
    [Linear(2.0), Linear() + RBF(0.4), Linear() * RBF(0.4), Linear().on([1])],
    ids=["linear", "sum", "product", "column"],
)
def test_gradients_know_a_diagonal_that_varies(kernel) -> None:
    rng = np.random.default_rng(0)
    posterior = GaussianPosterior(kernel, rng.random((4, 2)), rng.standard_normal(4), 0.1 * rng.standard_normal((3, 4)))
    X, Y = rng.random((2, 3, 2))
    for c in range(2):
        step = np.zeros(2)
        step[c] = 1e-6
        variance = (posterior.variance(X + step) - posterior.variance(X - step)) / 2e-6
        np.testing.assert_allclose(posterior.variance_gradient(X)[:, c], variance, atol=1e-6)
        between = (posterior.at_pairs(X + step, Y).variance - posterior.at_pairs(X - step, Y).variance) / 2e-6
        in_x = posterior.at_pairs(X, Y).gradient(np.zeros((3, 2)), np.ones(3))[:, 0]
        np.testing.assert_allclose(in_x[:, c], between, atol=1e-6)


def test_a_varying_diagonal_without_its_gradient_fails_the_contract() -> None:
    class Forgetful(Linear):
        diagonal_gradient = Kernel.diagonal_gradient

    KernelContract(Linear(), 2).check("check_diagonal_gradient")
    with pytest.raises(AssertionError, match="diagonal_gradient"):
        KernelContract(Forgetful(), 2).check("check_diagonal_gradient")
