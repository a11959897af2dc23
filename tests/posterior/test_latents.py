"""Two spaces, one posterior: the duel space, the point space, and dense matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anchorpbo.duels import Duels, Rows
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior import LATENTS, DuelLatent, PointLatent, Sites, posterior_from_sites

Build = Callable[..., Any]
SIZES = [(6, 3), (4, 9), (5, 5), (1, 3), (8, 1)]


@pytest.mark.parametrize(("u", "m"), SIZES)
@pytest.mark.parametrize("silent", [0, 1])
@pytest.mark.parametrize("seed", [0, 1])
def test_spaces_agree(example: Build, u: int, m: int, silent: int, seed: int) -> None:
    one = example(u, m, seed=seed, silent=silent)
    duel, point = one.posterior("duel"), one.posterior("point")
    np.testing.assert_allclose(point.beta, duel.beta, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(point.G, duel.G, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("u", "m"), SIZES)
@pytest.mark.parametrize("kind", ["duel", "point"])
def test_solution_is_that_of_the_dense_formulas(example: Build, u: int, m: int, kind: str) -> None:
    one = example(u, m, seed=2, silent=min(1, m - 1))
    latent, (beta, G) = one.latent(kind), one.dense()
    solution = latent.solve(one.sites)
    K, D, w = one.K, one.D, one.sites.precision
    covariance = K - K @ G @ K
    np.testing.assert_allclose(latent.dual_to_points(solution.dual), beta, atol=1e-10)
    np.testing.assert_allclose(solution.margin_means, D @ K @ beta, atol=1e-10)
    np.testing.assert_allclose(solution.margin_variances, np.diagonal(D @ covariance @ D.T), atol=1e-10)
    root = latent.root_to_points(solution.root)
    np.testing.assert_allclose(root.T @ root, G, atol=1e-10)
    np.testing.assert_allclose(solution.root.T @ solution.root, solution.precision, atol=1e-12)
    determinant = np.linalg.slogdet(np.eye(m) + (w[:, None] * D) @ K @ D.T)[1]
    assert solution.log_determinant == pytest.approx(determinant, abs=1e-10)
    columns = np.arange(m) % u
    reduced = (w[:, None] * D @ covariance)[np.arange(m), columns]
    np.testing.assert_allclose(latent.reduced_entries(solution, columns), reduced, atol=1e-10)
    # Sum of A dS is sum of prior_to_points(A) dK, for any change of K.
    A, change = (B + B.T for B in (np.random.default_rng(3).standard_normal((n, n)) for n in (len(latent.prior), u)))
    moved = type(latent)(latent.rows, K + change).prior - latent.prior
    assert np.vdot(latent.prior_to_points(A), change) == pytest.approx(np.vdot(A, moved), rel=1e-9)


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_latent_vector_gives_the_margins(example: Build, kind: str) -> None:
    one = example(5, 7, seed=3)
    latent = one.latent(kind)
    x = np.random.default_rng(0).standard_normal(len(latent.prior))
    a, b, i, j = latent.sparse_rows
    margins = latent.margins(x)
    np.testing.assert_allclose(a * x[i] - b * x[j], margins, atol=1e-13)
    t = np.random.default_rng(1).standard_normal(7)
    assert latent.apply_transpose(t) @ x == pytest.approx(t @ margins, rel=1e-12)
    H = np.array([latent.margins(e) for e in np.eye(len(x))]).T
    np.testing.assert_allclose(H @ latent.prior @ H.T, one.D @ one.K @ one.D.T, atol=1e-12)
    # Sites from silent to ruling: their margins' variances, and what these are without them, by leaving each out.
    sites = Sites(np.logspace(-3, 5, 7), np.logspace(-3, 5, 7) * t)
    solution = latent.solve(sites)
    np.testing.assert_allclose(
        solution.margin_variances, np.diagonal(H @ solution.covariance @ H.T), rtol=1e-7, atol=1e-12
    )
    mean, variance = latent.cavities(solution)
    # Point space has nothing better than to subtract, and loses the digits that a ruling site takes up.
    tolerance = 1e-6 if kind == "duel" else 1e-3
    for k in range(7):
        others = np.where(np.arange(7) == k, 0.0, 1.0)
        without = latent.solve(Sites(sites.precision * others, sites.linear * others))
        assert variance[k] == pytest.approx(without.margin_variances[k], rel=tolerance)
        assert mean[k] == pytest.approx(without.margin_means[k], rel=tolerance)


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_silent_sites_leave_the_prior(example: Build, kind: str) -> None:
    one = example(5, 4, seed=4, silent=4)
    posterior = one.posterior(kind)
    assert not posterior.beta.any()
    assert not posterior.G.any()


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_a_silent_site_changes_nothing(example: Build, kind: str) -> None:
    one = example(5, 6, seed=5, silent=2)
    rows, sites = one.rows, one.sites
    fewer = Rows(*(part[2:] for part in (rows.first, rows.second, rows.coef_first, rows.coef_second, rows.tied)), 5)
    latent = LATENTS[kind](fewer, one.K)
    without = posterior_from_sites(one.kernel, one.points, latent, Sites(sites.precision[2:], sites.linear[2:]))
    np.testing.assert_allclose(one.posterior(kind).beta, without.beta, atol=1e-12)
    np.testing.assert_allclose(one.posterior(kind).G, without.G, atol=1e-12)


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_a_repeated_row_is_one_of_twice_the_precision(example: Build, kind: str) -> None:
    one = example(5, 4, seed=6)
    rows, sites = one.rows, one.sites
    parts = (rows.first, rows.second, rows.coef_first, rows.coef_second, rows.tied)
    twice = LATENTS[kind](Rows(*(np.concatenate([part, part[:2]]) for part in parts), 5), one.K)
    repeated = Sites(
        np.concatenate([sites.precision, sites.precision[:2]]), np.concatenate([sites.linear, sites.linear[:2]])
    )
    factor = np.array([2.0, 2.0, 1.0, 1.0])
    doubled = Sites(factor * sites.precision, factor * sites.linear)
    got = posterior_from_sites(one.kernel, one.points, twice, repeated)
    expected = posterior_from_sites(one.kernel, one.points, one.latent(kind), doubled)
    np.testing.assert_allclose(got.beta, expected.beta, atol=1e-10)
    np.testing.assert_allclose(got.G, expected.G, atol=1e-10)


@pytest.mark.parametrize("likelihood", [Probit(), Logistic()], ids=str)
def test_spaces_agree_at_small_noise(likelihood: Probit | Logistic) -> None:
    """Steep contrasts: the posterior's moments agree although its weights are of the order 1e6."""
    rng = np.random.default_rng(7)
    points, kernel = rng.uniform(size=(6, 2)), RBF(0.5)
    winners, losers = rng.integers(0, 6, size=(2, 12))
    duels = Duels(points, winners, losers)
    rows, K = likelihood.rows(duels, np.full(len(duels.points), 1e-6)), kernel(duels.points, duels.points)
    sites = Sites(rng.uniform(0.5, 2.0, 12), rng.standard_normal(12))
    duel, point = (
        posterior_from_sites(kernel, duels.points, LATENTS[kind](rows, K), sites) for kind in ("duel", "point")
    )
    X = rng.uniform(size=(20, 2))
    np.testing.assert_allclose(point.mean(X), duel.mean(X), atol=1e-8)
    np.testing.assert_allclose(point.covariance(X), duel.covariance(X), atol=1e-8)


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_equal_and_nearly_equal_designs_need_no_jitter(kind: str) -> None:
    points = np.array([[0.3, 0.3], [0.3, 0.3 + 1e-14], [0.3, 0.3 + 1e-9], [0.7, 0.1]])
    kernel = RBF(0.5)
    rows = Probit().rows(Duels(points, [0, 1, 2, 0], [3, 0, 1, 2]), np.full(4, 1e-3))
    sites = Sites(np.ones(4), np.ones(4))
    posterior = posterior_from_sites(kernel, points, LATENTS[kind](rows, kernel(points, points)), sites)
    assert np.isfinite(posterior.mean(points)).all()
    assert posterior.mean(points)[0] == pytest.approx(posterior.mean(points)[1], abs=1e-8)
    assert (np.linalg.eigvalsh(posterior.covariance(points)) > -1e-10).all()


def test_auto_takes_the_smaller_space(example: Build) -> None:
    assert isinstance(example(5, 5, seed=0).latent("auto"), DuelLatent)
    assert isinstance(example(5, 4, seed=0).latent("auto"), DuelLatent)
    assert isinstance(example(5, 6, seed=0).latent("auto"), PointLatent)


@pytest.mark.parametrize("kind", ["duel", "point"])
def test_no_duels(kind: str) -> None:
    rows = Probit().rows(Duels.empty(2), np.empty(0))
    latent = LATENTS[kind](rows, np.empty((0, 0)))
    solution = latent.solve(Sites(np.empty(0), np.empty(0)))
    assert solution.log_determinant == 0.0
    assert solution.margin_means.shape == (0,)
    assert solution.margin_variances.shape == (0,)
    assert latent.dual_to_points(solution.dual).shape == (0,)


class TestSites:
    def test_natural_parameters_become_scaled_targets(self) -> None:
        """W^1/2 t with t = b / w."""
        w, t = np.array([4.0, 0.25, 9.0]), np.array([1.0, -2.0, 3.0])
        np.testing.assert_allclose(Sites(w, w * t).scaled_target, np.sqrt(w) * t, rtol=1e-15)
        np.testing.assert_allclose(Sites(w, w * t).root, np.sqrt(w))

    def test_silent_sites_have_target_zero(self) -> None:
        assert Sites(np.array([0.0, 1.0]), np.array([0.0, 2.0])).scaled_target.tolist() == [0.0, 2.0]

    def test_draws(self) -> None:
        plain = Sites(np.ones(3), np.ones(3))
        assert plain.draws == 1
        assert plain.draw(0).linear.shape == (3,)
        shared = Sites(np.ones(3), np.arange(6.0).reshape(2, 3))
        assert shared.draws == 2
        assert shared.shares_precision
        assert shared.draw(1).linear.tolist() == [3.0, 4.0, 5.0]
        assert shared.draw(1).precision.tolist() == [1.0, 1.0, 1.0]
        own = Sites(np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3))
        assert not own.shares_precision
        assert own.draw(1).precision.tolist() == [3.0, 4.0, 5.0]
