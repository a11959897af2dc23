"""One Gaussian posterior, solved in whichever space is smaller.

Symbols: a latent vector with prior covariance S is seen through margins g = H latent with sites (w, b).

    duel space    latent = g,  S = C = D K D' (m x m),  H = I        when m <= u
    point space   latent = f,  S = K          (u x u),  H = D        when u < m

With any F and y such that F'F = H'WH and F'y = H'b,

    P = F' (I + F S F')^-1 F          a = F' (I + F S F')^-1 y
    mean = S a                        covariance = S - S P S

In duel space F = W^1/2 and y = W^1/2 t. In point space a QR factorisation compresses W^1/2 D to u rows: F = R and
y = Q' W^1/2 t. No covariance is inverted, so equal designs need no jitter, and I + F S F' has no eigenvalue below 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from anchorpbo.duels import Rows
from anchorpbo.numerics.linalg import (
    cholesky_of_identity_plus,
    cholesky_solve,
    inverse_lower,
    log_determinant,
    solve_lower,
)
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Solution:
    """The Gaussian posterior of the latent vector under given sites."""

    space: LatentSpace
    sites: Sites
    L: Array
    """Lower triangle with L L' = I + F S F', (r, r)."""
    F: Array
    """(r, n), or the diagonal of it, (n,)."""
    dual: Array
    """a, (n,); (s, n) for s draws that share their precisions."""

    @property
    def log_determinant(self) -> float:
        """Log |I + F S F'|."""
        return log_determinant(self.L)

    @cached_property
    def root(self) -> Array:
        """L^-1 F, (r, n), so that P = root' root."""
        return inverse_lower(self.L) * self.F if self.F.ndim == 1 else solve_lower(self.L, self.F)

    @cached_property
    def precision(self) -> Array:
        """P, (n, n)."""
        return self.root.T @ self.root

    @cached_property
    def covariance(self) -> Array:
        """S - S P S, (n, n)."""
        reduced = self.root @ self.space.prior
        return np.asarray(self.space.prior - reduced.T @ reduced)

    @property
    def margin_means(self) -> Array:
        """E[g], (m,)."""
        return self.space.margins(self.space.prior @ self.dual)

    @cached_property
    def margin_variances(self) -> Array:
        """Var[g], (m,); rounding below zero is cut off."""
        return np.maximum(self.space.margin_variances(self), 0.0)


class LatentSpace(ABC):
    """Where the posterior is solved; `rows` and `kernel_matrix` are the same in both."""

    def __init__(self, rows: Rows, kernel_matrix: Array) -> None:
        self.rows = rows
        self.kernel_matrix = kernel_matrix

    @property
    @abstractmethod
    def prior(self) -> Array:
        """S, (n, n)."""

    @abstractmethod
    def margins(self, latent: Array) -> Array:
        """H latent, (m,)."""

    @abstractmethod
    def pull(self, t: Array) -> Array:
        """H' t, (n,)."""

    @property
    @abstractmethod
    def latent_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """H as a_k, b_k, i_k, j_k with g_k = a_k latent_i - b_k latent_j, (m,) each, for compiled loops."""

    @abstractmethod
    def margin_variances(self, solution: Solution) -> Array:
        """Posterior variances of the margins, (m,)."""

    @abstractmethod
    def solve(self, sites: Sites) -> Solution:
        """Posterior of the latent vector under these sites, whose draws, if any, share their precisions."""

    @abstractmethod
    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Mean and variance of each margin without its own site, (m,) each."""

    @abstractmethod
    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Entries (k, columns_k) of W D Cov(f | sites), (m,): how utilities move with each site's precision."""

    @abstractmethod
    def prior_to_points(self, A: Array) -> Array:
        """What a derivative in the entries of S, (n, n), is in the entries of K, (u, u)."""

    @abstractmethod
    def dual_to_points(self, dual: Array) -> Array:
        """beta, (u,), the posterior mean's weights on the distinct designs, of a dual vector (n,)."""

    @abstractmethod
    def root_to_points(self, root: Array) -> Array:
        """Root, (r, u), of G, the posterior covariance's weights on the distinct designs, of a root of P, (r, n)."""


class DuelSpace(LatentSpace):
    """Latent = margins."""

    @cached_property
    def prior(self) -> Array:
        """C = D K D'."""
        return self.rows.margin_covariance(self.kernel_matrix)

    def margins(self, latent: Array) -> Array:
        """The latent vector itself."""
        return latent

    def pull(self, t: Array) -> Array:
        """The vector itself."""
        return t

    @property
    def latent_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """1 and 0 at the margin itself."""
        m = len(self.rows)
        return np.ones(m), np.zeros(m), np.arange(m), np.arange(m)

    def margin_variances(self, solution: Solution) -> Array:
        """(1 - P_kk / w) / w where a site rules its margin, C_kk - (C P C)_kk elsewhere."""
        variances = np.diagonal(self.prior).copy()
        rules, w, diagonal = _ruling(solution)
        variances[rules] = (1.0 - diagonal / w) / w
        variances[~rules] -= ((solution.root @ self.prior[:, ~rules]) ** 2).sum(axis=0)
        return variances

    def solve(self, sites: Sites) -> Solution:
        """F = W^1/2, y = W^1/2 t."""
        root = sites.root
        L = cholesky_of_identity_plus(root[:, None] * self.prior * root, root, self.prior)
        dual = root * cholesky_solve(L, sites.scaled_target.T).T
        return Solution(self, sites, L, root, dual)

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Where a site rules its margin, by leaving it out of P: s2_c = 1 / P_kk - 1 / w, mu_c = t - a_k / P_kk."""
        mu_c, s2_c = _subtracted_cavities(solution)
        rules, w, diagonal = _ruling(solution)
        s2_c[rules] = 1.0 / diagonal - 1.0 / w
        mu_c[rules] = solution.sites.linear[rules] / w - solution.dual[rules] / diagonal
        return mu_c, s2_c

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """W D Cov(f) = P D K."""
        DK = self.rows.margins(self.kernel_matrix)
        return np.asarray((solution.precision * DK[:, columns].T).sum(axis=1))

    def prior_to_points(self, A: Array) -> Array:
        """D' A D."""
        return self.rows.transposed(self.rows.transposed(A).T)

    def dual_to_points(self, dual: Array) -> Array:
        """D' a."""
        return self.rows.transposed(dual)

    def root_to_points(self, root: Array) -> Array:
        """L^-1 F D."""
        return self.rows.transposed(root.T).T


class PointSpace(LatentSpace):
    """Latent = utilities at the distinct designs."""

    @property
    def prior(self) -> Array:
        """K."""
        return self.kernel_matrix

    def margins(self, latent: Array) -> Array:
        """D f."""
        return self.rows.margins(latent)

    def pull(self, t: Array) -> Array:
        """D' t."""
        return self.rows.transposed(t)

    @property
    def latent_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """The rows themselves."""
        return self.rows.coef_first, self.rows.coef_second, self.rows.first, self.rows.second

    def margin_variances(self, solution: Solution) -> Array:
        """Diagonal of D Cov(f) D'."""
        return self.rows.margin_variances(solution.covariance)

    def solve(self, sites: Sites) -> Solution:
        """F and y from the QR factorisation of W^1/2 D."""
        if not len(self.rows):  # LAPACK does not take empty matrices everywhere
            u = len(self.prior)
            return Solution(self, sites, np.empty((0, 0)), np.empty((0, u)), np.zeros((*sites.linear.shape[:-1], u)))
        targets = np.atleast_2d(sites.scaled_target)
        product = linalg.qr_multiply(self.rows.scaled(sites.root), targets, mode="right", overwrite_a=True)
        y, F = (np.asarray(part, dtype=np.float64) for part in product)
        B = F @ self.prior @ F.T
        L = cholesky_of_identity_plus(0.5 * (B + B.T), F, self.prior)
        dual = (F.T @ cholesky_solve(L, y.T)).T
        return Solution(self, sites, L, F, dual if sites.linear.ndim == 2 else dual[0])

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """By taking the site's precision from the margin's."""
        return _subtracted_cavities(solution)

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Two entries of the covariance a row."""
        a, b, i, j = self.rows.coef_first, self.rows.coef_second, self.rows.first, self.rows.second
        covariance = solution.covariance
        return np.asarray(solution.sites.precision * (a * covariance[i, columns] - b * covariance[j, columns]))

    def prior_to_points(self, A: Array) -> Array:
        """The derivative itself."""
        return A

    def dual_to_points(self, dual: Array) -> Array:
        """The dual vector itself."""
        return dual

    def root_to_points(self, root: Array) -> Array:
        """The root itself."""
        return root


def _ruling(solution: Solution) -> tuple[BoolArray, Array, Array]:
    """In duel space: which sites know more of their margin than its prior, with their w and P_kk.

    For these P_kk / w, the share of the margin's precision that is not the site's own, loses fewer digits than the
    margin's variance does when it is taken from the prior's by subtraction.
    """
    w, prior = solution.sites.precision, np.diagonal(solution.space.prior)
    rules = w * prior > 1.0
    return rules, w[rules], (solution.root[:, rules] ** 2).sum(axis=0)


def _subtracted_cavities(solution: Solution) -> tuple[Array, Array]:
    mu, s2, sites = solution.margin_means, solution.margin_variances, solution.sites
    # 1 - w s2 is the share of the margin's precision that is not its own site's; rounding must not take it all.
    share = np.maximum(1.0 - sites.precision * s2, np.finfo(float).eps)
    return (mu - sites.linear * s2) / share, s2 / share


def _smaller(rows: Rows, kernel_matrix: Array) -> LatentSpace:
    return (DuelSpace if len(rows) <= rows.designs else PointSpace)(rows, kernel_matrix)


SPACES: dict[str, Callable[[Rows, Array], LatentSpace]] = {"auto": _smaller, "duel": DuelSpace, "point": PointSpace}
"""The two spaces by name, and the smaller of them."""
