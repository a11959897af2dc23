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
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from anchorpbo.duels import Rows
from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.linalg import cholesky, cholesky_solve, log_determinant, solve_lower
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Solution:
    """The Gaussian posterior of the latent vector under given sites."""

    space: Space
    root: Array
    """L^-1 F with L L' = I + F S F', (r, n), so that P = root' root."""
    dual: Array
    """a, (n,)."""
    log_determinant: float
    """Log |I + F S F'|."""

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
        return np.maximum(self.space.latent_margin_variances(self.covariance), 0.0)


class Space(ABC):
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

    @abstractmethod
    def latent_margin_variances(self, covariance: Array) -> Array:
        """Diagonal of H covariance H', (m,)."""

    @abstractmethod
    def solve(self, sites: Sites) -> Solution:
        """Posterior of the latent vector under these sites."""

    @abstractmethod
    def to_points(self, solution: Solution) -> tuple[Array, Array]:
        """beta (u,) and G (u, u): the posterior as weights on the distinct designs."""

    @abstractmethod
    def dual_to_points(self, dual: Array) -> Array:
        """beta (u,) of a dual vector (n,)."""


class DuelSpace(Space):
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

    def latent_margin_variances(self, covariance: Array) -> Array:
        """Its diagonal."""
        return np.diagonal(covariance)

    def solve(self, sites: Sites) -> Solution:
        """F = W^1/2, y = W^1/2 t."""
        root = sites.root
        B = root[:, None] * self.prior * root
        B[np.diag_indices_from(B)] += 1.0
        L = cholesky(B)
        dual = root * cholesky_solve(L, sites.scaled_target)
        return Solution(self, solve_lower(L, np.diag(root)), dual, log_determinant(L))

    def to_points(self, solution: Solution) -> tuple[Array, Array]:
        """beta = D' a and G = D' P D."""
        root = self.rows.transposed(solution.root.T).T
        return self.dual_to_points(solution.dual), root.T @ root

    def dual_to_points(self, dual: Array) -> Array:
        """D' a."""
        return self.rows.transposed(dual)


class PointSpace(Space):
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

    def latent_margin_variances(self, covariance: Array) -> Array:
        """Diagonal of D covariance D'."""
        return self.rows.margin_variances(covariance)

    def solve(self, sites: Sites) -> Solution:
        """F and y from the QR factorisation of [W^1/2 D, W^1/2 t]."""
        u = len(self.prior)
        stacked = np.empty((len(self.rows), u + 1), order="F")
        stacked[:, :u] = (self.rows.D * sites.root[:, None]).toarray()
        stacked[:, u] = sites.scaled_target
        R = np.asarray(linalg.qr(stacked, mode="r", overwrite_a=True, check_finite=False)[0], dtype=np.float64)
        F, y = R[:u, :u], R[:u, u]
        B = F @ self.prior @ F.T
        B = 0.5 * (B + B.T)
        B[np.diag_indices_from(B)] += 1.0
        L = cholesky(B)
        dual = F.T @ cholesky_solve(L, y)
        return Solution(self, solve_lower(L, F), dual, log_determinant(L))

    def to_points(self, solution: Solution) -> tuple[Array, Array]:
        """The dual vector and P are already on the designs."""
        return solution.dual, solution.precision

    def dual_to_points(self, dual: Array) -> Array:
        """The dual vector itself."""
        return dual


_SPACES: dict[str, type[Space]] = {"duel": DuelSpace, "point": PointSpace}


def choose_space(rows: Rows, kernel_matrix: Array, name: str = "auto") -> Space:
    """The smaller of the two spaces, or the named one."""
    if name == "auto":
        name = "duel" if len(rows) <= rows.designs else "point"
    if name not in _SPACES:
        raise UnknownNameError.of("space", name, ["auto", *_SPACES])
    return _SPACES[name](rows, kernel_matrix)
