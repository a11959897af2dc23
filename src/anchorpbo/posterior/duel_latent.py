"""Duel space: the latent vector holds the margins, S = C = D K D', H = I; see `latent`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from anchorpbo.numerics.linalg import cholesky_by_root, cholesky_solve, solve_lower
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.posterior.latent import ExactLatent, Solution, subtract_sites
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, BoolArray, IntArray

# Precision of a site, relative to its margin's prior precision, above which the site is informative.
_MIN_SHARE = 1e-2


class DuelLatent(ExactLatent):
    """Latent vector of the margins, (m,)."""

    @cached_property
    def prior(self) -> Array:
        """Prior covariance C = D K D', (m, m)."""
        return self.rows.margin_covariance(self.kernel_matrix)

    def margins(self, x: Array) -> Array:
        """Return the latent vector itself, since H = I."""
        return x

    def apply_transpose(self, t: Array) -> Array:
        """Return t itself, since H = I."""
        return t

    @property
    def sparse_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """H = I as sparse rows: coefficients 1 and 0 at each margin."""
        m = len(self.rows)
        return np.ones(m), np.zeros(m), np.arange(m), np.arange(m)

    def margin_variances(self, solution: Solution) -> Array:
        """Return (1 - P_kk / w) / w for informative sites and C_kk - (C P C)_kk for the others, (m,)."""
        variances = np.diagonal(self.prior).copy()
        rules, w, diagonal = _find_informative(solution)
        variances[rules] = (1.0 - diagonal / w) / w
        if not rules.all():
            seen = solve_lower(solution.L, solution.F[:, None] * self.prior[:, ~rules])
            variances[~rules] -= (seen**2).sum(axis=0)
        return variances

    def solve(self, sites: Sites) -> Solution:
        """Return the solution with F = W^1/2 and y = W^1/2 t."""
        root, A = sites.root, np.zeros(self.prior.shape)
        _fill_identity_plus(self.prior, root, A)
        L = cholesky_by_root(A, root, self.prior)
        dual = root * cholesky_solve(L, sites.scaled_target.T).T
        return Solution(self, sites, L, root, dual)

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Return the cavities; for informative sites s2_c = 1 / P_kk - 1 / w and mu_c = t - a_k / P_kk."""
        mu_c, s2_c = subtract_sites(solution)
        rules, w, diagonal = _find_informative(solution)
        s2_c[rules] = 1.0 / diagonal - 1.0 / w
        mu_c[rules] = solution.sites.linear[rules] / w - solution.dual[rules] / diagonal
        return mu_c, s2_c

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Return entries of W D Cov(f) = P D K, (m,)."""
        DK = self.rows.margins(self.kernel_matrix)
        return np.asarray((solution.precision * DK[:, columns].T).sum(axis=1))

    def prior_to_points(self, A: Array) -> Array:
        """Return D' A D, (u, u)."""
        return self.rows.apply_transpose(self.rows.apply_transpose(A).T)

    def dual_to_points(self, dual: Array) -> Array:
        """Return D' a, (u,)."""
        return self.rows.apply_transpose(dual)

    def root_to_points(self, root: Array) -> Array:
        """Return L^-1 F D, (r, u)."""
        return self.rows.apply_transpose(root.T).T


def _find_informative(solution: Solution) -> tuple[BoolArray, Array, Array]:
    """Return which sites are informative about their margin, (m,), and the w and P_kk of these sites.

    For these sites P_kk / w, the share of the margin's precision from other sources, loses at most two digits. The
    alternative, a subtraction from the prior variance, loses more digits the more informative a site is, and is slower.
    """
    w, prior = solution.sites.precision, np.diagonal(solution.latent.prior)
    rules = w * prior > _MIN_SHARE
    return rules, w[rules], np.diagonal(solution.precision)[rules]


@jit_tiered
def _fill_identity_plus(C: Array, root: Array, A: Array) -> None:
    """Fill the upper triangle of I + W^1/2 C W^1/2."""
    for i in range(len(C)):
        C_i, A_i, root_i, rest = C[i, i:], A[i, i:], root[i], root[i:]
        for j in range(len(rest)):
            A_i[j] = root_i * C_i[j] * rest[j]
        A_i[0] += 1.0
