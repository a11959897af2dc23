"""Products with a root that is a triangle times rows of two entries."""

from dataclasses import replace

import numpy as np
import pytest

from anchorpbo.duels import Rows
from anchorpbo.kernels import RBF
from anchorpbo.posterior import Sites, posterior_from_sites
from anchorpbo.posterior.duel_latent import DuelLatent
from anchorpbo.posterior.duel_root import MIN_DUELS, DuelRoot
from anchorpbo.posterior.point_latent import PointLatent


def rows_of(m, u, seed=0):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(u, size=(2, m))
    return Rows(first, second, *rng.uniform(0.5, 2.0, size=(2, m)), np.zeros(m, dtype=bool), u)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("u", [6, 30])
def test_both_products_are_those_with_the_dense_root(n, u):
    """Designs may be in many duels, in none, or in one with themselves."""
    rng, rows = np.random.default_rng(1), rows_of(12, u)
    R = np.tril(rng.standard_normal((12, 12)))
    dense, root = R @ rows.D.toarray(), DuelRoot(np.asfortranarray(R), rows)
    k, w = rng.random((n, u)), rng.random((n, 12))
    before = w.copy()
    np.testing.assert_allclose(root.multiply_transpose(k), k @ dense.T, atol=1e-12)
    np.testing.assert_allclose(root.multiply(w), w @ dense, atol=1e-12)
    np.testing.assert_array_equal(w, before)


def test_a_posterior_of_many_duels_has_the_same_moments_and_gradients_by_either_root():
    rng, m = np.random.default_rng(2), MIN_DUELS
    points, kernel = rng.random((2 * m, 2)), RBF(0.4)
    rows = rows_of(m, 2 * m)
    sites = Sites(rng.uniform(0.0, 3.0, size=m), rng.standard_normal(m))
    posterior = posterior_from_sites(kernel, points, DuelLatent(rows, kernel(points, points)), sites)
    assert posterior.factors is not None
    dense, X = replace(posterior, factors=None), rng.random((5, 2))
    np.testing.assert_allclose(posterior.variance(X), dense.variance(X), atol=1e-12)
    np.testing.assert_allclose(posterior.variance_gradient(X), dense.variance_gradient(X), atol=1e-11)
    np.testing.assert_allclose(posterior.at(X).covariance, dense.covariance(X), atol=1e-12)


def test_few_duels_and_other_spaces_keep_the_dense_root():
    root, K = np.eye(MIN_DUELS), np.eye(3)
    assert DuelRoot.of(PointLatent(rows_of(MIN_DUELS, 3), K), root) is None
    assert DuelRoot.of(DuelLatent(rows_of(MIN_DUELS - 1, 3), K), root[1:, 1:]) is None
    assert DuelRoot.of(DuelLatent(rows_of(MIN_DUELS, 3), K), root) is not None
