"""Inducing points: a sparse approximation by r designs Z, with S = I (r x r) and H = D K_PZ L^-T (m x r).

Let K_ZZ = L L' and v ~ N(0, I) be the latent vector. The utilities at the compared designs are approximated by
f = K_PZ L^-T v, whose prior covariance differs from K by the residual variance given below. A solution costs O(m r^2).
The posterior at any design uses the full prior,

    beta = L^-T E[v]          G = L^-T P L^-1,   P = I - Cov(v)          with weights on Z only

so it has the same form as an exact posterior and is uncertain away from Z. It is exact if Z contains every design. See
`anchorpbo.posterior.latent`.

Z is chosen greedily, by pivoted Cholesky factorisation. Symbols: K (u, u) is the prior covariance at the compared
designs, which is never formed; Z are the r designs chosen so far; K_ZZ = L L' and E = K_PZ L^-T (u, r), so that E E' is
the approximation of K. The residual variance is

    at a design    d_i     = K_ii - |E_i|^2
    at a margin    delta_k = C_kk - |H_k|^2,     H = D E

The next design has the largest c_i d_i, where c_i is the sum of the squared entries of D at design i: designs with low
noise and many comparisons have the largest weight. Its column of E is computed from one row of K and the previous
columns, so choosing r designs costs O(u r^2). Pivots below rounding are never taken, so designs that (nearly) equal a
chosen one are not chosen and L needs no jitter.
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

# Up to this trace of H'WH its Cholesky factorisation is as accurate as QR, and four times as fast.
_MAX_TRACE = 1e8


@dataclass(frozen=True, eq=False)
class InducingPoints:
    """Inducing points, and the margins as linear functions of the whitened utilities there."""

    points: Array
    """Z, (r, d), in the order of selection."""
    chosen: IntArray
    """Row numbers of Z among the compared designs, (r,)."""
    L: Array
    """Lower triangle with L L' = K_ZZ, (r, r)."""
    H: Array
    """D K_PZ L^-T, (m, r)."""
    left_out: float
    """Residual share of the margins' prior variance: sum_k delta_k / sum_k C_kk."""


def choose_inducing_points(
    kernel: Kernel, points: Array, rows: Rows, max_points: int, tolerance: float = 0.0
) -> InducingPoints:
    """Choose inducing points until the residual share of the margins' prior variance is at most `tolerance`.

    Parameters
    ----------
    kernel
        Prior covariance.
    points
        Compared designs, (u, d).
    rows
        Rows of their duels.
    max_points
        Maximal number of inducing points.
    tolerance
        Residual share of the prior variance at which to stop; with 0, only rounding stops the selection.
    """
    u, max_points = len(points), min(max_points, len(points))
    left = kernel.diagonal(points).copy()
    total = _margin_variances(kernel, points, rows).sum()
    rounding = u * np.finfo(float).eps * left.max(initial=0.0)
    weights = np.bincount(rows.first, rows.coef_first**2, u) + np.bincount(rows.second, rows.coef_second**2, u)
    # One row per chosen design, so that products with the previous rows read memory sequentially.
    E, H = np.empty((max_points, u)), np.empty((max_points, len(rows)))
    chosen: list[int] = []
    explained = 0.0
    while len(chosen) < max_points and total - explained > tolerance * total:
        r, next_one = len(chosen), int(np.argmax(weights * left))
        if left[next_one] <= rounding:
            break
        column = kernel(points[next_one : next_one + 1], points)[0] - E[:r, next_one] @ E[:r]
        if column[next_one] <= rounding:  # the incrementally updated residual was too large by rounding
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
    """Return the diagonal of C = D K D', (m,), without forming K."""
    a, b, first, second = rows.coef_first, rows.coef_second, points[rows.first], points[rows.second]
    return a * a * kernel.diagonal(first) + b * b * kernel.diagonal(second) - 2.0 * a * b * kernel.paired(first, second)


class InducingLatent(LatentGaussian):
    """Latent vector of whitened utilities at the inducing points: approximates the prior, for thousands of duels."""

    def __init__(self, rows: Rows, inducing: InducingPoints) -> None:
        super().__init__(rows)
        self.inducing = inducing
        self._prior = np.eye(len(inducing.L))

    @property
    def prior(self) -> Array:
        """Prior covariance I, (r, r)."""
        return self._prior

    def margins(self, x: Array) -> Array:
        """Return H v, (m,)."""
        return np.asarray(self.inducing.H @ x)

    def apply_transpose(self, t: Array) -> Array:
        """Return H' t, (r,)."""
        return np.asarray(self.inducing.H.T @ t)

    def margin_variances(self, solution: Solution) -> Array:
        """Return |L_A^-1 H_k|^2, (m,), with L_A L_A' = I + F'F, the precision of v; no subtraction is involved."""
        F = solution.F
        L_A = cholesky_of_identity_plus(F.T @ F, F.T, np.eye(len(F)))
        return np.asarray((solve_lower(L_A, self.inducing.H.T) ** 2).sum(axis=0))

    def solve(self, sites: Sites) -> Solution:
        """Return the solution, with F by Cholesky factorisation of H'WH, or by QR of W^1/2 H if that loses digits."""
        H, r = self.inducing.H, len(self._prior)
        if not H.size:  # some LAPACK routines do not accept empty matrices
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
        """Return the lower triangular L with L L' = I + F F'."""
        return cholesky_of_identity_plus(F @ F.T, F, self._prior)

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Return the cavities, by subtracting each site's precision from its margin's."""
        return subtract_sites(solution)

    def dual_to_points(self, dual: Array) -> Array:
        """Return L^-T a, (r,)."""
        return _solve_transposed(self.inducing.L, dual)

    def root_to_points(self, root: Array) -> Array:
        """Return root L^-1, (r, r)."""
        return _solve_transposed(self.inducing.L, root.T).T


def _triangle(products: Array) -> Array | None:
    """Return F with F'F = H'WH; ``None`` if its rounding error is not negligible beside the prior precision I."""
    if products.trace() > _MAX_TRACE:
        return None
    try:
        return cholesky(products).T
    except linalg.LinAlgError:  # fewer duels than designs, or uninformative duels
        return None


def _solve_transposed(L: Array, B: Array) -> Array:
    """Return L^-T B."""
    return np.asarray(linalg.solve_triangular(L, B, lower=True, trans="T", check_finite=False)) if L.size else B.copy()
