"""Mixtures of posteriors with different kernels: moments of differences, equal components, and what is refused."""

import numpy as np
import pytest

from anchorpbo.acquisition import EI, EUBO, RAHBO, UCB, best_mean
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.kernels import RBF
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import GaussianPosterior, PosteriorMixture
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array

POINTS = np.random.default_rng(0).random((10, 2))
DUELS = Duels(POINTS, np.arange(5), np.arange(5, 10))
NOISE = NoiseMap.constant(0.3)


def component(length: float, scale: float = 4.0) -> GaussianPosterior:
    (_, part), *_ = PreferenceGP(RBF(length, scale), inference="ep", noise=NOISE).condition(DUELS).posterior.components
    return part


@pytest.fixture
def X() -> Array:
    return np.random.default_rng(1).random((5, 2))


@pytest.mark.parametrize("weights", [[1.0], [0.25, 0.75]])
def test_equal_components_are_the_single_posterior(weights: list[float], X: Array) -> None:
    one = component(0.4)
    mixture = PosteriorMixture(np.array(weights), (one,) * len(weights))
    total, alone = mixture.functional(X, np.ones(5)), one.functional(X, np.ones(5))
    for got, expected in (
        (mixture.mean(X), one.mean(X)),
        (mixture.variance(X), one.variance(X)),
        (mixture.covariance(X), one.covariance(X)),
        (mixture.prob_prefer(X, X[::-1]), one.prob_prefer(X, X[::-1])),
        (mixture.variance_gradient(X), one.variance_gradient(X)),
        (mixture.at_pairs(X, X[::-1]).variance, one.at_pairs(X, X[::-1]).variance),
        (total.mean, alone.mean),
        (total.variance, alone.variance),
        (total.covariance(X), alone.covariance(X)),
        (
            EUBO().bind(mixture, NOISE)(np.stack([X, X[::-1]], axis=1)),
            EUBO().bind(one, NOISE)(np.stack([X, X[::-1]], axis=1)),
        ),
        *((a.bind(mixture, NOISE)(X), a.bind(one, NOISE)(X)) for a in (EI(), EI(log=True), UCB(), RAHBO())),
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)


def test_a_shift_between_components_does_not_widen_differences(X: Array) -> None:
    """Adding a constant to one component's utility leaves the variance of every difference as it was."""
    first, second = component(0.4), component(0.2)
    # A kernel of a very long length-scale, with a weight on a design far away, adds a constant to the mean.
    kernel, points = second.kernel + RBF(1e6, 100.0), np.vstack([second.points, [[50.0, 50.0]]])
    shifted = GaussianPosterior(kernel, points, np.append(second.beta, 0.05), np.pad(second.root, [(0, 0), (0, 1)]))
    assert (np.abs(shifted.mean(X) - second.mean(X)) > 4.0).all()
    mixture, straight = (PosteriorMixture(np.array([0.5, 0.5]), (first, each)) for each in (shifted, second))
    assert (mixture.variance(X) > straight.variance(X) + 4.0).all()
    here, there = (each.at_pairs(X[1:], X[:-1]).variance for each in (mixture, straight))
    np.testing.assert_allclose(here, there, rtol=1e-6)
    average, plain = (each.functional(X, np.full(5, 0.2)) for each in (mixture, straight))
    relative, expected = (
        each.variance(X) - 2.0 * total.covariance(X) + total.variance
        for each, total in ((mixture, average), (straight, plain))
    )
    np.testing.assert_allclose(relative, expected, rtol=1e-6)


def test_the_incumbent_is_the_best_mean_of_each_component() -> None:
    parts = (component(0.4), component(0.1))
    mixture = PosteriorMixture(np.array([0.3, 0.7]), parts)
    assert EI().bind(mixture, NOISE).incumbents == tuple(map(best_mean, parts))
    assert EI().bind(mixture, NOISE, 0.5).incumbents == (0.5, 0.5)


def test_eubo_is_the_expected_maximum_under_the_mixture(X: Array) -> None:
    mixture = PosteriorMixture(np.array([0.3, 0.7]), (component(0.4), component(0.1, 9.0)))
    pairs, n = np.stack([X, X[::-1]], axis=1), 400_000
    draws = mixture.sample(X[:2], n, np.random.default_rng(2))
    best = draws.max(axis=1)
    value = EUBO().bind(mixture, NOISE)(np.stack([X[0], X[1]])[None])[0]
    assert abs(best.mean() - value) < 5.0 * best.std() / np.sqrt(n)
    assert EUBO().bind(mixture, NOISE)(pairs).shape == (5,)


@pytest.mark.parametrize("weights", [[0.5, 0.4], [1.0, 0.0], [1.5, -0.5]])
def test_weights_that_are_no_distribution_are_refused(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights must be above 0 and sum to 1"):
        PosteriorMixture(np.array(weights), (component(0.4), component(0.2)))


def test_one_weight_per_posterior_is_required() -> None:
    with pytest.raises(InputError, match="weights must hold one number per posterior; received 1 and 2"):
        PosteriorMixture(np.array([1.0]), (component(0.4), component(0.2)))
    with pytest.raises(InputError, match="weights must hold one number per posterior; received 0 and 0"):
        PosteriorMixture(np.array([]), ())


def test_components_of_different_dimensions_are_refused() -> None:
    with pytest.raises(InputError, match=r"posteriors must have the same dimension; received \[2, 3\]"):
        PosteriorMixture(np.array([0.5, 0.5]), (component(0.4), GaussianPosterior.prior(RBF(0.3), 3)))


def test_the_callers_weights_stay_writable() -> None:
    weights = np.array([0.5, 0.5])
    mixture = PosteriorMixture(weights, (component(0.4), component(0.2)))
    weights[0] = 0.9
    assert mixture.weights.tolist() == [0.5, 0.5]
