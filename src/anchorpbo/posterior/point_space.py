"""Point space: the latent vector is the utilities at the distinct designs, S = K, H = D.

See `anchorpbo.posterior.latent`.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from anchorpbo.numerics.linalg import cholesky_of_identity_plus, cholesky_solve
from anchorpbo.posterior.elimination import eliminated
from anchorpbo.posterior.latent import LatentSpace, Solution, subtracted_cavities
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array, IntArray


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
        """F and y by elimination where the rows allow it, else from the QR factorisation of W^1/2 D."""
        if not len(self.rows):  # LAPACK does not take empty matrices everywhere
            u = len(self.prior)
            return Solution(self, sites, np.empty((0, 0)), np.empty((0, u)), np.zeros((*sites.linear.shape[:-1], u)))
        F, y = self._by_elimination(sites) or self._by_factorisation(sites)
        B = F @ self.prior @ F.T
        L = cholesky_of_identity_plus(0.5 * (B + B.T), F, self.prior)
        dual = (F.T @ cholesky_solve(L, y.T)).T
        return Solution(self, sites, L, F, dual)

    def _by_elimination(self, sites: Sites) -> tuple[Array, Array] | None:
        """See `anchorpbo.posterior.elimination`; ``None`` for rows of another form and for many draws at once."""
        scales = self.rows.scales
        if scales is None or sites.linear.ndim == 2:
            return None
        F, y = eliminated(*self.rows.between(scales, sites.precision, sites.linear))
        return F * scales, y

    def _by_factorisation(self, sites: Sites) -> tuple[Array, Array]:
        targets, scaled = np.atleast_2d(sites.scaled_target), self.rows.scaled(sites.root)
        if not (np.isfinite(scaled).all() and np.isfinite(targets).all()):
            raise linalg.LinAlgError("the sites are not finite")
        product = linalg.qr_multiply(scaled, targets, mode="right", overwrite_a=True)
        y, F = (np.asarray(part, dtype=np.float64) for part in product)
        return F, y if sites.linear.ndim == 2 else y[0]

    def cavities(self, solution: Solution) -> tuple[Array, Array]:
        """By taking the site's precision from the margin's."""
        return subtracted_cavities(solution)

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
