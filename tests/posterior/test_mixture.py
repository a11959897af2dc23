"""A mixture over draws of sites: its two moments as (beta, G), everything else through its components."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from anchorpbo.duels import Duels
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Probit
from anchorpbo.posterior import LATENTS, GaussianPosterior, Sites, posterior_from_sites
from anchorpbo.typing import Array

Build = Callable[..., Any]
CASES = [(shared, kind, size) for shared in (True, False) for kind in ("duel", "point") for size in ((5, 4), (3, 7))]


@pytest.mark.parametrize(("shared", "kind", "size"), CASES)
def test_weights_are_the_mean_and_the_covariance_between_draws(
    example: Build, shared: bool, kind: str, size: tuple[int, int]
) -> None:
    """beta = mean_s beta_s and G = mean_s G_s - cov_s(beta_s)."""
    one = example(*size, seed=1, draws=6, shared=shared)
    betas, Gs = zip(*(one.dense(one.sites.draw(s)) for s in range(6)), strict=True)
    mixture = one.posterior(kind)
    np.testing.assert_allclose(mixture.beta, np.mean(betas, axis=0), atol=1e-10)
    expected = np.mean(Gs, axis=0) - np.cov(np.array(betas).T, bias=True)
    np.testing.assert_allclose(mixture.G, expected, atol=1e-9)


@pytest.mark.parametrize(("shared", "kind", "size"), CASES)
def test_moments_are_those_of_the_mixture(
    example: Build, X: Array, shared: bool, kind: str, size: tuple[int, int]
) -> None:
    """Law of total covariance over the components."""
    one = example(*size, seed=2, draws=6, shared=shared)
    parts = [posterior_from_sites(one.kernel, one.points, one.latent(kind), one.sites.draw(s)) for s in range(6)]
    mixture = one.posterior(kind)
    means = np.array([part.mean(X) for part in parts])
    covariance = np.mean([part.covariance(X) for part in parts], axis=0) + np.cov(means.T, bias=True)
    np.testing.assert_allclose(mixture.mean(X), means.mean(axis=0), atol=1e-11)
    np.testing.assert_allclose(mixture.covariance(X), covariance, atol=1e-10)
    np.testing.assert_allclose(mixture.variance(X), np.diagonal(covariance), atol=1e-10)
    here = mixture.at_pairs(X, X[::-1])
    cross = np.diagonal(covariance[:, ::-1])
    np.testing.assert_allclose(
        here.variance, np.diagonal(covariance) + np.diagonal(covariance)[::-1] - 2 * cross, atol=1e-9
    )


@pytest.mark.parametrize(("shared", "kind", "size"), CASES)
def test_components_are_the_draws(example: Build, shared: bool, kind: str, size: tuple[int, int]) -> None:
    one = example(*size, seed=3, draws=4, shared=shared)
    mixture = one.posterior(kind)
    assert mixture.draws is not None
    assert len(mixture.parts) == 4
    for s, (beta, root) in enumerate(mixture.draws):
        expected_beta, expected_G = one.dense(one.sites.draw(s))
        np.testing.assert_allclose(beta, expected_beta, atol=1e-10)
        np.testing.assert_allclose(root.T @ root, expected_G, atol=1e-10)
    last, before = mixture.draws[-1][0], mixture.draws[2:][1][0]
    np.testing.assert_array_equal(last, before)


def test_one_draw_is_a_gaussian(example: Build, X: Array) -> None:
    one = example(5, 4, seed=4, draws=1)
    posterior = one.posterior()
    assert posterior.draws is None
    plain = posterior_from_sites(one.kernel, one.points, one.latent(), one.sites.draw(0))
    np.testing.assert_array_equal(posterior.mean(X), plain.mean(X))


def test_equal_draws_are_one_gaussian(example: Build, X: Array) -> None:
    one = example(5, 4, seed=5)
    repeated = Sites(one.sites.precision, np.tile(one.sites.linear, (5, 1)))
    mixture, plain = posterior_from_sites(one.kernel, one.points, one.latent(), repeated), one.posterior()
    np.testing.assert_allclose(mixture.mean(X), plain.mean(X), atol=1e-12)
    np.testing.assert_allclose(mixture.covariance(X), plain.covariance(X), atol=1e-12)
    np.testing.assert_allclose(mixture.prob_prefer(X, X[::-1]), plain.prob_prefer(X, X[::-1]), atol=1e-12)


def skewed_mixture(shared: bool) -> GaussianPosterior:
    """Three draws of which one lies far out."""
    duels, kernel = Duels([[0.2], [0.8]], [0], [1]), RBF(0.4, 4.0)
    latent = LATENTS["duel"](Probit().rows(duels, np.full(2, 0.5)), kernel(duels.points, duels.points))
    precision = np.array([1.0]) if shared else np.array([[4.0], [1.0], [0.5]])
    return posterior_from_sites(kernel, duels.points, latent, Sites(precision, np.array([[0.2], [0.3], [15.0]])))


@pytest.mark.parametrize("shared", [True, False])
def test_samples_have_the_mixtures_moments_and_skewness(shared: bool) -> None:
    mixture, X, n = skewed_mixture(shared), np.array([[0.2], [0.6]]), 60_000
    draws = mixture.sample(X, n, np.random.default_rng(0))
    parts = [GaussianPosterior(mixture.kernel, mixture.points, beta, root) for beta, root in mixture.parts]
    means, variances = (np.array([getattr(part, name)(X) for part in parts]) for name in ("mean", "variance"))
    shift = means - means.mean(axis=0)
    second, third = (variances + shift**2).mean(axis=0), (shift**3 + 3 * shift * variances).mean(axis=0)
    np.testing.assert_allclose(mixture.variance(X), second, rtol=1e-9)
    std = np.sqrt(second)
    np.testing.assert_allclose(draws.mean(axis=0), mixture.mean(X), atol=5 * std.max() / np.sqrt(n))
    np.testing.assert_allclose(draws.var(axis=0), second, rtol=0.05)
    centred = draws - mixture.mean(X)
    skewness = third / std**3
    assert abs(skewness[0]) > 0.3
    np.testing.assert_allclose((centred**3).mean(axis=0) / std**3, skewness, atol=0.07)


@pytest.mark.parametrize("shared", [True, False])
def test_prob_prefer_averages_over_components(shared: bool) -> None:
    mixture, X, Y = skewed_mixture(shared), np.array([[0.2], [0.3]]), np.array([[0.8], [0.6]])
    each = []
    for beta, root in mixture.parts:
        here = GaussianPosterior(mixture.kernel, mixture.points, beta, root).at_pairs(X, Y)
        each.append(ndtr((here.mean[:, 0] - here.mean[:, 1]) / np.sqrt(here.variance)))
    np.testing.assert_allclose(mixture.prob_prefer(X, Y), np.mean(each, axis=0), rtol=1e-10)
    moments = mixture.at_pairs(X, Y)
    gaussian = ndtr((moments.mean[:, 0] - moments.mean[:, 1]) / np.sqrt(moments.variance))
    assert (np.abs(gaussian - np.mean(each, axis=0)) > 0.01).any(), "the mixture is too close to a Gaussian to tell"
