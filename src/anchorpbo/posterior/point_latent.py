"""Point space: the latent vector holds the utilities at the distinct designs, S = K, H = D; see `latent`.

F is triangular and is computed by eliminating one design after the other, without subtractions that could lose digits.

Symbols: W_ij >= 0 is the total precision of all sites between designs i and j, B_ij = W_ij t_ij their linear term, and
the margin between the two is h_i - h_j, h = c f. The sites define the weighted Laplacian of a graph of designs,

    sum_ij W_ij (h_i - h_j - t_ij)^2 = |F h - y|^2 + constant

Eliminating a design k from the graph replaces its edges by edges between its neighbours (star-mesh transform):

    D_k = sum_j W_kj        F_k = sqrt(D_k) (e_k - sum_j W_kj / D_k e_j)        y_k = sum_j B_kj / sqrt(D_k)
    W_ij += W_ki W_kj / D_k          t_ij of the new edge = t_kj - t_ki

All weights are sums of positive numbers, so every entry of F is accurate to a few units in the last place, however much
the precisions differ [Alfa2002]. A Cholesky factorisation of the Laplacian would lose the digits of small precisions.

References
----------
[Alfa2002] A. S. Alfa, J. Xue and Q. Ye. Accurate computation of the smallest eigenvalue of a diagonally dominant
    M-matrix. Mathematics of Computation 71, 217-236, 2002.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from anchorpbo.numerics.linalg import cholesky_of_identity_plus, cholesky_solve
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.posterior.latent import ExactLatent, Solution, subtract_sites
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, IntArray


class PointLatent(ExactLatent):
    """Latent vector of the utilities at the distinct designs, (u,)."""

    @property
    def prior(self) -> Array:
        """Prior covariance K, (u, u)."""
        return self.kernel_matrix

    def margins(self, x: Array) -> Array:
        """Return D f, (m,)."""
        return self.rows.margins(x)

    def apply_transpose(self, t: Array) -> Array:
        """Return D' t, (u,)."""
        return self.rows.apply_transpose(t)

    @property
    def sparse_rows(self) -> tuple[Array, Array, IntArray, IntArray]:
        """H = D as sparse rows."""
        return self.rows.coef_first, self.rows.coef_second, self.rows.first, self.rows.second

    def margin_variances(self, solution: Solution) -> Array:
        """Return the diagonal of D Cov(f) D', (m,)."""
        return self.rows.margin_variances(solution.covariance)

    def solve(self, sites: Sites) -> Solution:
        """Return the solution, with F and y by elimination if the rows allow it, otherwise from QR of W^1/2 D."""
        if not len(self.rows):  # some LAPACK routines do not accept empty matrices
            u = len(self.prior)
            return Solution(self, sites, np.empty((0, 0)), np.empty((0, u)), np.zeros((*sites.linear.shape[:-1], u)))
        F, y = self._by_elimination(sites) or self._by_factorisation(sites)
        B = F @ self.prior @ F.T
        L = cholesky_of_identity_plus(0.5 * (B + B.T), F, self.prior)
        dual = (F.T @ cholesky_solve(L, y.T)).T
        return Solution(self, sites, L, F, dual)

    def _by_elimination(self, sites: Sites) -> tuple[Array, Array] | None:
        """Return F and y by elimination; ``None`` if the rows have no common scales or there are several draws."""
        scales = self.rows.scales
        if scales is None or sites.linear.ndim == 2:
            return None
        F, y = eliminate_designs(*self.rows.pool_sites(scales, sites.precision, sites.linear))
        return F * scales, y

    def _by_factorisation(self, sites: Sites) -> tuple[Array, Array]:
        targets, scaled = np.atleast_2d(sites.scaled_target), self.rows.to_dense(sites.root)
        if not (np.isfinite(scaled).all() and np.isfinite(targets).all()):
            raise linalg.LinAlgError("the sites are not finite")
        product = linalg.qr_multiply(scaled, targets, mode="right", overwrite_a=True)
        y, F = (np.asarray(part, dtype=np.float64) for part in product)
        return F, y if sites.linear.ndim == 2 else y[0]

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """Return the cavities, by subtracting each site's precision from its margin's."""
        return subtract_sites(solution)

    def reduced_entries(self, solution: Solution, columns: IntArray) -> Array:
        """Return entries of W D Cov(f), (m,), from two entries of the covariance per row."""
        a, b, i, j = self.rows.coef_first, self.rows.coef_second, self.rows.first, self.rows.second
        covariance = solution.covariance
        return np.asarray(solution.sites.precision * (a * covariance[i, columns] - b * covariance[j, columns]))

    def prior_to_points(self, A: Array) -> Array:
        """Return the derivative itself, since S = K."""
        return A

    def dual_to_points(self, dual: Array) -> Array:
        """Return the dual vector itself."""
        return dual

    def root_to_points(self, root: Array) -> Array:
        """Return the root itself."""
        return root


def eliminate_designs(W: Array, B: Array) -> tuple[Array, Array]:
    """Return F, (u, u) upper triangular, and y, (u,), from the upper triangles of W and B, which are overwritten."""
    F, y = np.zeros_like(W), np.zeros(len(W))
    _eliminate(W, B, F, y)
    return F, y


@jit_tiered
def _eliminate(W: Array, B: Array, F: Array, y: Array) -> None:
    u = len(W)
    share = np.empty(u)
    for k in range(u):
        D = 0.0
        for j in range(k + 1, u):
            D += W[k, j]
        if D == 0.0:  # the last design of a connected component
            continue
        root, linear = np.sqrt(D), 0.0
        F[k, k] = root
        for j in range(k + 1, u):
            linear += B[k, j]
            share[j] = W[k, j] / D
            F[k, j] = -root * share[j]
        y[k] = linear / root
        for i in range(k + 1, u):
            if share[i] > 0.0:
                weight, flow = W[k, i], B[k, i]
                for j in range(i + 1, u):
                    W[i, j] += weight * share[j]
                    B[i, j] += share[i] * B[k, j] - flow * share[j]
