"""Duel space: the latent vector is the margins, S = C = D K D', H = I; see `latent`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from anchorpbo.numerics.linalg import cholesky_by_root, cholesky_solve, solve_lower
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.posterior.latent import ExactLatent, Solution, subtract_sites
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, BoolArray, IntArray

# A site's precision in units of its margin's own.
_MIN_SHARE = 1e-2


class DuelLatent(ExactLatent):
    """Latent = margins."""

    @cached_property
    def prior(self) -> Array:
        """C = D K D'."""
        return self.rows.margin_covariance(self.kernel_matrix)

    def margins(self, x: Array) -> Array:
        """The latent vector itself."""
        return x

    def apply_transpose(self, t: Array) -> Array:
        """The vector itself."""
        return t

    @property
    def sparse_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """1 and 0 at the margin itself."""
        m = len(self.rows)
        return np.ones(m), np.zeros(m), np.arange(m), np.arange(m)

    def margin_variances(self, solution: Solution) -> Array:
        """(1 - P_kk / w) / w where a site rules its margin, C_kk - (C P C)_kk elsewhere."""
        variances = np.diagonal(self.prior).copy()
        rules, w, diagonal = _find_informative(solution)
        variances[rules] = (1.0 - diagonal / w) / w
        if not rules.all():
            seen = solve_lower(solution.L, solution.F[:, None] * self.prior[:, ~rules])
            variances[~rules] -= (seen**2).sum(axis=0)
        return variances

    def solve(self, sites: Sites) -> Solution:
        """F = W^1/2, y = W^1/2 t."""
        root, A = sites.root, np.zeros(self.prior.shape)
        _fill_identity_plus(self.prior, root, A)
        L = cholesky_by_root(A, root, self.prior)
        dual = root * cholesky_solve(L, sites.scaled_target.T).T
        return Solution(self, sites, L, root, dual)

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Where a site rules its margin, by leaving it out of P: s2_c = 1 / P_kk - 1 / w, mu_c = t - a_k / P_kk."""
        mu_c, s2_c = subtract_sites(solution)
        rules, w, diagonal = _find_informative(solution)
        s2_c[rules] = 1.0 / diagonal - 1.0 / w
        mu_c[rules] = solution.sites.linear[rules] / w - solution.dual[rules] / diagonal
        return mu_c, s2_c

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """W D Cov(f) = P D K."""
        DK = self.rows.margins(self.kernel_matrix)
        return np.asarray((solution.precision * DK[:, columns].T).sum(axis=1))

    def prior_to_points(self, A: Array) -> Array:
        """D' A D."""
        return self.rows.apply_transpose(self.rows.apply_transpose(A).T)

    def dual_to_points(self, dual: Array) -> Array:
        """D' a."""
        return self.rows.apply_transpose(dual)

    def root_to_points(self, root: Array) -> Array:
        """L^-1 F D."""
        return self.rows.apply_transpose(root.T).T


def _find_informative(solution: Solution) -> tuple[BoolArray, Array, Array]:
    """In duel space: which sites know more than next to nothing of their margin, with their w and P_kk.

    For these P_kk / w, the share of the margin's precision that is not the site's own, loses at most two digits. The
    margin's variance, where it is taken from the prior's by subtraction, loses more the more is known, and costs more.
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
