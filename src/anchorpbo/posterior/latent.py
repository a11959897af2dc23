"""Latent Gaussian vectors: the posterior is solved in the smaller of several representations.

Symbols: x ~ N(0, S) is a latent vector, and the margins g = H x have sites (w, b).

    duel space       x = g,  S = C = D K D' (m x m),  H = I        when m <= u
    point space      x = f,  S = K          (u x u),  H = D        when u < m
    inducing points  x = v,  S = I          (r x r),  H dense      thousands of both; an approximation

With any F and y such that F'F = H'WH and F'y = H'b,

    P = F' (I + F S F')^-1 F          a = F' (I + F S F')^-1 y
    mean = S a                        covariance = S - S P S

In duel space F = W^1/2 and y = W^1/2 t. In point space designs are eliminated one by one (`point_latent`), or a QR
factorisation compresses W^1/2 D to u rows: F = R and y = Q' W^1/2 t. No covariance is inverted, so equal designs need
no jitter, and all eigenvalues of I + F S F' are at least 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.duels import Rows
from anchorpbo.numerics.linalg import (
    inverse_from_cholesky,
    inverse_lower,
    log_determinant,
    scale_symmetric,
    solve_lower,
)
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, IntArray


@dataclass(frozen=True, eq=False)
class Solution:
    """Gaussian posterior of the latent vector under given sites."""

    latent: LatentGaussian
    sites: Sites
    L: Array
    """Lower triangle with L L' = I + F S F', (r, r)."""
    F: Array
    """F, (r, n), or its diagonal, (n,)."""
    dual: Array
    """Dual vector a, (n,); (s, n) for s draws that share their precisions."""

    @property
    def log_determinant(self) -> float:
        """The log determinant log |I + F S F'|."""
        return log_determinant(self.L)

    @cached_property
    def root(self) -> Array:
        """Root L^-1 F, (r, n), so that P = root' root."""
        return inverse_lower(self.L) * self.F if self.F.ndim == 1 else solve_lower(self.L, self.F)

    @cached_property
    def precision(self) -> Array:
        """Matrix P, (n, n)."""
        if self.F.ndim == 1:
            return scale_symmetric(inverse_from_cholesky(self.L), self.F)
        return self.root.T @ self.root

    @cached_property
    def covariance(self) -> Array:
        """Posterior covariance S - S P S, (n, n)."""
        reduced = self.root @ self.latent.prior
        return np.asarray(self.latent.prior - reduced.T @ reduced)

    @cached_property
    def margin_means(self) -> Array:
        """Posterior means E[g], (m,)."""
        return self.latent.margins(self.latent.prior @ self.dual)

    @cached_property
    def margin_variances(self) -> Array:
        """Posterior variances Var[g], (m,); negative rounding errors are set to 0."""
        return np.maximum(self.latent.margin_variances(self), 0.0)


class LatentGaussian(ABC):
    """A Gaussian vector x, with margins g = H x; the input of an inference."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @property
    @abstractmethod
    def prior(self) -> Array:
        """Prior covariance S, (n, n)."""

    @abstractmethod
    def margins(self, x: Array) -> Array:
        """Return H x, (m,)."""

    @abstractmethod
    def apply_transpose(self, t: Array) -> Array:
        """Return H' t, (n,)."""

    @cached_property
    def dense_rows(self) -> Array:
        """H, (m, n), C-contiguous, for compiled loops."""
        return np.ascontiguousarray(self.margins(np.eye(len(self.prior))))

    @abstractmethod
    def margin_variances(self, solution: Solution) -> Array:
        """Return the posterior variances of the margins, (m,)."""

    @abstractmethod
    def solve(self, sites: Sites) -> Solution:
        """Return the posterior of the latent vector under these sites; several draws must share their precisions."""

    @abstractmethod
    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Return the cavity mean and variance of each margin, without its own site, (m,) each."""

    @abstractmethod
    def dual_to_points(self, dual: Array) -> Array:
        """Return beta, (u,), the weights of the posterior mean on the distinct designs, from a dual vector (n,)."""

    @abstractmethod
    def root_to_points(self, root: Array) -> Array:
        """Return a root of G, (r, u), the weights of the posterior covariance, from a root of P, (r, n)."""


class ExactLatent(LatentGaussian):
    """A latent vector without approximation, whose prior depends on K; the evidence has a gradient in K."""

    def __init__(self, rows: Rows, kernel_matrix: Array) -> None:
        super().__init__(rows)
        self.kernel_matrix = kernel_matrix

    @property
    @abstractmethod
    def sparse_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """H as a_k, b_k, i_k, j_k with g_k = a_k x_i - b_k x_j, (m,) each, for compiled loops."""

    @abstractmethod
    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Return the entries (k, columns_k) of W D Cov(f | sites), (m,)."""

    @abstractmethod
    def prior_to_points(self, A: Array) -> Array:
        """Convert a derivative in the entries of S, (n, n), to one in the entries of K, (u, u)."""


def subtract_sites(solution: Solution) -> tuple[Array, Array]:
    """Return the cavity mean and variance of each margin, by subtracting its site's precision, (m,) each."""
    mu, s2, sites = solution.margin_means, solution.margin_variances, solution.sites
    # 1 - w s2 is the share of the margin's precision from other sources; rounding must not make it 0 or negative.
    share = np.maximum(1.0 - sites.precision * s2, np.finfo(float).eps)
    return (mu - sites.linear * s2) / share, s2 / share
