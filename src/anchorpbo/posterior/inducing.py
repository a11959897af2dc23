"""Inducing points: the utility is taken to be what r designs Z say of it, S = I (r x r), H = D K_PZ L^-T (m x r).

With K_ZZ = L L' and a latent vector v ~ N(0, I), utilities at the designs compared are f = K_PZ L^-T v, whose prior
covariance differs from K by what Z leaves out, see below. A solution costs O(m r^2). On the way
back to designs the whole prior returns,

    beta = L^-T E[v]          G = L^-T P L^-1,   P = I - Cov(v)          on Z alone

so that the posterior is again of the form of all others, uncertain away from Z. With every design in Z it is exact. See
`anchorpbo.posterior.latent`.

Z is chosen greedily, by pivoted Cholesky factorisation. Symbols: K (u, u) the prior covariance at the designs compared,
never formed; Z the r designs chosen so far; K_ZZ = L L' and E = K_PZ L^-T (u, r), so that E E' is what Z tells of K.
The variance that Z leaves out is

    at a design    d_i     = K_ii - |E_i|^2
    at a margin    delta_k = C_kk - |H_k|^2,     H = D E

The next design is where c_i d_i is largest, c_i the sum of the squared entries of D at design i: quiet designs that
were compared often count most. Its column of E follows from one row of K and the columns there are, so r designs cost
O(u r^2). Pivots below rounding are never taken, so that L needs no jitter: designs equal to one chosen, or as good as,
are not chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from anchorpbo.duels import Rows
from anchorpbo.kernels import Kernel
from anchorpbo.numerics.linalg import cholesky, cholesky_of_identity_plus, cholesky_solve, solve_lower
from anchorpbo.posterior.latent import LatentGaussian, Solution, subtract_sites
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, IntArray

# Up to this trace of H'WH its Cholesky factorisation, four times as fast as QR, is as good.
_MAX_TRACE = 1e8


@dataclass(frozen=True, eq=False)
class InducingPoints:
    """Designs that stand for all others, and what the margins are to them."""

    points: Array
    """Z, (r, d), in the order they were chosen."""
    chosen: IntArray
    """Their row numbers among the designs compared, (r,)."""
    L: Array
    """Lower triangle with L L' = K_ZZ, (r, r)."""
    H: Array
    """D K_PZ L^-T, (m, r)."""
    left_out: float
    """Share of the margins' prior variance that they leave out: sum_k delta_k / sum_k C_kk."""


def choose_inducing_points(
    kernel: Kernel, points: Array, rows: Rows, max_points: int, tolerance: float = 0.0
) -> InducingPoints:
    """Choose designs until they leave out at most a share of the margins' prior variance.

    Parameters
    ----------
    kernel
        Prior covariance.
    points
        The designs compared, (u, d).
    rows
        Their duels.
    max_points
        Designs to choose at most.
    tolerance
        The share at which to stop; at 0 only rounding does.
    """
    u, max_points = len(points), min(max_points, len(points))
    left = kernel.diagonal(points).copy()
    total = _margin_variances(kernel, points, rows).sum()
    rounding = u * np.finfo(float).eps * left.max(initial=0.0)
    weights = np.bincount(rows.first, rows.coef_first**2, u) + np.bincount(rows.second, rows.coef_second**2, u)
    # A row for each design chosen: products with what is there then run through memory in its order.
    E, H = np.empty((max_points, u)), np.empty((max_points, len(rows)))
    chosen: list[int] = []
    explained = 0.0
    while len(chosen) < max_points and total - explained > tolerance * total:
        r, next_one = len(chosen), int(np.argmax(weights * left))
        if left[next_one] <= rounding:
            break
        column = kernel(points[next_one : next_one + 1], points)[0] - E[:r, next_one] @ E[:r]
        if column[next_one] <= rounding:  # what was kept up to date step by step had not seen it yet
            left[next_one] = 0.0
            continue
        E[r] = column / np.sqrt(column[next_one])
        H[r] = rows.margins(E[r])
        explained += float(H[r] @ H[r])
        left = np.maximum(left - E[r] ** 2, 0.0)
        left[next_one] = 0.0
        chosen.append(next_one)
    places = np.array(chosen, dtype=np.intp)
    L = np.tril(E[: len(chosen), places].T)
    share = max(float(1.0 - explained / total), 0.0) if total > 0.0 else 0.0
    return InducingPoints(points[places], places, L, H[: len(chosen)].T, share)


def _margin_variances(kernel: Kernel, points: Array, rows: Rows) -> Array:
    """Diagonal of C = D K D', (m,), without K."""
    a, b, first, second = rows.coef_first, rows.coef_second, points[rows.first], points[rows.second]
    return a * a * kernel.diagonal(first) + b * b * kernel.diagonal(second) - 2.0 * a * b * kernel.paired(first, second)


class InducingLatent(LatentGaussian):
    """Latent = whitened utilities at the inducing points: an approximation of the prior, for thousands of duels."""

    def __init__(self, rows: Rows, inducing: InducingPoints) -> None:
        super().__init__(rows)
        self.inducing = inducing
        self._prior = np.eye(len(inducing.L))

    @property
    def prior(self) -> Array:
        """I."""
        return self._prior

    def margins(self, x: Array) -> Array:
        """H v."""
        return np.asarray(self.inducing.H @ x)

    def apply_transpose(self, t: Array) -> Array:
        """H' t."""
        return np.asarray(self.inducing.H.T @ t)

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
        return subtract_sites(solution)

    def dual_to_points(self, dual: Array) -> Array:
        """L^-T a."""
        return _solve_transposed(self.inducing.L, dual)

    def root_to_points(self, root: Array) -> Array:
        """Root L^-1."""
        return _solve_transposed(self.inducing.L, root.T).T


def _triangle(products: Array) -> Array | None:
    """F with F'F = H'WH, where the rounding of that is nothing beside the prior's I."""
    if products.trace() > _MAX_TRACE:
        return None
    try:
        return cholesky(products).T
    except linalg.LinAlgError:  # fewer duels than designs, or some that say nothing
        return None


def _solve_transposed(L: Array, B: Array) -> Array:
    """L^-T B."""
    return np.asarray(linalg.solve_triangular(L, B, lower=True, trans="T", check_finite=False)) if L.size else B.copy()
