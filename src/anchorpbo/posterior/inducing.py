"""Inducing space: the utility is taken to be what r designs Z say of it, S = I (r x r), H = D K_PZ L^-T (m x r).

With K_ZZ = L L' and a latent vector v ~ N(0, I), utilities at the designs compared are f = K_PZ L^-T v, whose prior
covariance differs from K by what Z leaves out, see `anchorpbo.posterior.inducing_points`. A solution costs O(m r^2). On
the way back to designs the whole prior returns,

    beta = L^-T E[v]          G = L^-T P L^-1,   P = I - Cov(v)          on Z alone

so that the posterior is again of the form of all others, uncertain away from Z. With every design in Z it is exact. See
`anchorpbo.posterior.latent`.
"""

from __future__ import annotations

from functools import cached_property
from typing import NoReturn

import numpy as np
from scipy import linalg

from anchorpbo.duels import Rows
from anchorpbo.errors import UnsupportedError
from anchorpbo.numerics.linalg import cholesky, cholesky_of_identity_plus, cholesky_solve, solve_lower
from anchorpbo.posterior.inducing_points import Inducing
from anchorpbo.posterior.latent import LatentSpace, Solution, subtracted_cavities
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, IntArray

# Up to this trace of H'WH its Cholesky factorisation, four times as fast as QR, is as good.
_LARGEST = 1e8


class InducingSpace(LatentSpace):
    """Latent = whitened utilities at the inducing designs; `kernel_matrix` is theirs."""

    def __init__(self, rows: Rows, inducing: Inducing) -> None:
        super().__init__(rows, inducing.L @ inducing.L.T)
        self.inducing = inducing
        self._prior = np.eye(len(inducing.L))

    @property
    def prior(self) -> Array:
        """I."""
        return self._prior

    def margins(self, latent: Array) -> Array:
        """H v."""
        return np.asarray(self.inducing.H @ latent)

    def pull(self, t: Array) -> Array:
        """H' t."""
        return np.asarray(self.inducing.H.T @ t)

    @property
    def latent_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """There are none: each margin depends on all of v, see `dense_rows`."""
        _refuse("a loop over the two designs of each duel")

    @cached_property
    def dense_rows(self) -> Array:
        """H, row by row in memory."""
        return np.ascontiguousarray(self.inducing.H)

    def margin_variances(self, solution: Solution) -> Array:
        """|L_A^-1 H_k|^2 with L_A L_A' = A = I + F'F, the precision of v: nothing is subtracted."""
        F = solution.F
        L_A = cholesky_of_identity_plus(F.T @ F, F.T, np.eye(len(F)))
        return np.asarray((solve_lower(L_A, self.inducing.H.T) ** 2).sum(axis=0))

    def solve(self, sites: Sites) -> Solution:
        """F from the Cholesky factorisation of H'WH, or where that would lose digits the QR one of W^1/2 H."""
        H, r = self.inducing.H, len(self._prior)
        if not H.size:  # LAPACK does not take empty matrices everywhere
            dual = np.zeros((*sites.linear.shape[:-1], r))
            return Solution(self, sites, np.empty((0, 0)), np.empty((0, r)), dual)
        scaled = sites.root[:, None] * H
        products = scaled.T @ scaled
        triangle = _triangle(products)
        if triangle is not None:
            L_A = cholesky_of_identity_plus(products, triangle.T, self._prior)
            dual = cholesky_solve(L_A, H.T @ sites.linear.T).T
            return Solution(self, sites, self._cholesky(triangle), triangle, dual)
        targets = np.atleast_2d(sites.scaled_target)
        if not (np.isfinite(scaled).all() and np.isfinite(targets).all()):
            raise linalg.LinAlgError("the sites are not finite")
        product = linalg.qr_multiply(scaled, targets, mode="right", overwrite_a=True)
        y, F = (np.asarray(part, dtype=np.float64) for part in product)
        L = self._cholesky(F)
        dual = (F.T @ cholesky_solve(L, y.T)).T
        return Solution(self, sites, L, F, dual if sites.linear.ndim == 2 else dual[0])

    def _cholesky(self, F: Array) -> Array:
        """Lower L with L L' = I + F F'."""
        return cholesky_of_identity_plus(F @ F.T, F, self._prior)

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """By taking the site's precision from the margin's."""
        return subtracted_cavities(solution)

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Not there: hyper-parameters are learnt elsewhere."""
        _refuse("the evidence's gradient")

    def prior_to_points(self, A: Array) -> Array:
        """Not there: hyper-parameters are learnt elsewhere."""
        _refuse("the evidence's gradient")

    def dual_to_points(self, dual: Array) -> Array:
        """L^-T a."""
        return _solve_transposed(self.inducing.L, dual)

    def root_to_points(self, root: Array) -> Array:
        """Root L^-1."""
        return _solve_transposed(self.inducing.L, root.T).T


def _triangle(products: Array) -> Array | None:
    """F with F'F = H'WH, where the rounding of that is nothing beside the prior's I."""
    if products.trace() > _LARGEST:
        return None
    try:
        return cholesky(products).T
    except linalg.LinAlgError:  # fewer duels than designs, or some that say nothing
        return None


def _solve_transposed(L: Array, B: Array) -> Array:
    """L^-T B."""
    return np.asarray(linalg.solve_triangular(L, B, lower=True, trans="T", check_finite=False)) if L.size else B.copy()


def _refuse(what: str) -> NoReturn:
    raise UnsupportedError(f"{what} needs the exact posterior", "inducing designs", "pass inducing=None")
