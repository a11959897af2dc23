"""One more duel by a rank-one update: exact moment matching, which for a first duel is EP."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from anchorpbo.duels import Duels
from anchorpbo.inference import EP
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LATENTS, GaussianPosterior, posterior_from_sites
from anchorpbo.typing import Array

Build = Callable[..., Any]
PAIR = np.array([[0.2, 0.3], [0.7, 0.6]])
NOISE = np.array([0.4, 1.3])


def after(
    posterior: GaussianPosterior, likelihood: Likelihood, pair: Array, noise: Array, tie: bool
) -> GaussianPosterior:
    """The posterior with one more duel."""
    a, b = likelihood.coefficients(noise[:1], noise[1:])
    row = np.array([a[0], -b[0]])
    mean, variance = row @ posterior.mean(pair), row @ posterior.covariance(pair) @ row
    logZ = likelihood.log_marginal(np.array([mean]), np.array([variance]), np.array([tie]))
    return posterior.condition_on_duel(pair, (float(a[0]), float(b[0])), float(logZ.d1[0]), float(-logZ.d2[0]))


@pytest.mark.parametrize("likelihood", [Probit(0.3), Logistic(0.5), Logistic(0.5, "difference")], ids=str)
@pytest.mark.parametrize("tie", [False, True])
def test_first_duel_is_that_of_ep(likelihood: Likelihood, tie: bool, X: Array) -> None:
    kernel = RBF(0.5, 3.0)
    updated = after(GaussianPosterior.prior(kernel, 2), likelihood, PAIR, NOISE, tie)
    duels = Duels(PAIR, [], [], [[0, 1]]) if tie else Duels(PAIR, [0], [1])
    latent = LATENTS["duel"](likelihood.rows(duels, NOISE), kernel(PAIR, PAIR))
    sites = EP().infer(latent, likelihood, np.random.default_rng(0)).sites
    ep = posterior_from_sites(kernel, duels.points, latent, sites)
    np.testing.assert_allclose(updated.mean(X), ep.mean(X), atol=1e-9)
    np.testing.assert_allclose(updated.covariance(X), ep.covariance(X), atol=1e-9)


@pytest.mark.parametrize("draws", [0, 5])
@pytest.mark.parametrize("tie", [False, True])
def test_update_is_the_dense_rank_one_formula(example: Build, X: Array, draws: int, tie: bool) -> None:
    """mean + Cov(f, g) dlogZ and covariance + Cov(f, g) d2logZ Cov(g, f), whatever the posterior was."""
    posterior, likelihood = example(5, 4, seed=1, draws=draws).posterior(), Probit(0.3)
    a, b = (float(c[0]) for c in likelihood.coefficients(NOISE[:1], NOISE[1:]))
    row = np.array([a, -b])
    effect = posterior.covariance(X, PAIR) @ row
    moments = np.array([row @ posterior.mean(PAIR)]), np.array([row @ posterior.covariance(PAIR) @ row])
    logZ = likelihood.log_marginal(*moments, np.array([tie]))
    updated = after(posterior, likelihood, PAIR, NOISE, tie)
    np.testing.assert_allclose(updated.mean(X), posterior.mean(X) + effect * logZ.d1[0], atol=1e-11)
    expected = posterior.covariance(X) + np.outer(effect, effect) * logZ.d2[0]
    np.testing.assert_allclose(updated.covariance(X), expected, atol=1e-11)
    np.testing.assert_allclose(updated.variance(X), np.diagonal(expected), atol=1e-11)
    # Draws and probabilities have the same variance, also if the posterior was a mixture.
    difference = np.array([1.0, -1.0])
    mean, deviation = difference @ updated.mean(X[:2]), np.sqrt(difference @ expected[:2, :2] @ difference)
    assert updated.prob_prefer(X[:1], X[1:2])[0] == pytest.approx(ndtr(mean / deviation), rel=1e-9)
    sampled = updated.sample(X[:2], 20_000, np.random.default_rng(0)) @ difference
    assert sampled.std() == pytest.approx(deviation, rel=0.03)


def test_queried_designs_may_be_asked_about_again(example: Build, X: Array) -> None:
    posterior = example(5, 4, seed=2).posterior()
    pair = posterior.points[:2]
    updated = after(posterior, Probit(), pair, NOISE, tie=False)
    rise = updated.mean(pair) - posterior.mean(pair)
    assert rise[0] > 0 > rise[1]
    assert (updated.variance(X) <= posterior.variance(X) + 1e-12).all()


def test_the_posterior_is_left_alone(example: Build, X: Array) -> None:
    posterior = example(5, 4, seed=3).posterior()
    before = posterior.mean(X), posterior.covariance(X)
    after(posterior, Probit(), PAIR, NOISE, tie=False)
    np.testing.assert_array_equal(posterior.mean(X), before[0])
    np.testing.assert_array_equal(posterior.covariance(X), before[1])


def test_an_uninformative_duel_changes_nothing(example: Build, X: Array) -> None:
    posterior = example(5, 4, seed=4).posterior()
    same = posterior.condition_on_duel(PAIR, (1.0, 1.0), slope=0.0, curvature=0.0)
    np.testing.assert_allclose(same.mean(X), posterior.mean(X), atol=1e-14)
    np.testing.assert_allclose(same.covariance(X), posterior.covariance(X), atol=1e-14)


def test_updates_may_be_chained_near_ep(X: Array) -> None:
    """Three duels one after the other are close to EP on all three, which goes over them again."""
    kernel, likelihood = RBF(0.5, 2.0), Probit()
    points = np.array([[0.2, 0.3], [0.7, 0.6], [0.4, 0.9]])
    noise, pairs = np.array([0.5, 1.0, 0.8]), [(0, 1), (1, 2), (0, 2)]
    posterior = GaussianPosterior.prior(kernel, 2)
    for i, j in pairs:
        posterior = after(posterior, likelihood, points[[i, j]], noise[[i, j]], tie=False)
    duels = Duels(points, *zip(*pairs, strict=True))
    latent = LATENTS["auto"](likelihood.rows(duels, noise), kernel(points, points))
    ep = posterior_from_sites(
        kernel, duels.points, latent, EP().infer(latent, likelihood, np.random.default_rng(0)).sites
    )
    np.testing.assert_allclose(posterior.mean(X), ep.mean(X), atol=0.02)
    np.testing.assert_allclose(posterior.variance(X), ep.variance(X), atol=0.02)
