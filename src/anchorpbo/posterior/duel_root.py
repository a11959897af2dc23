"""Products with the root of a posterior that was solved in duel space, at a quarter of the cost.

In duel space root = R D, (m, u), with R lower triangular, (m, m), and D with two entries per row. For k, (n, u), and w,
(n, m), the products

    k root' = (k D') R'             two entries per duel, then a triangular product
    w root = (w R) D

replace products with a dense (m, u) matrix, in which u = 2 m if no design is in two duels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas

from anchorpbo.duels import Rows
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.posterior.duel_latent import DuelLatent
from anchorpbo.posterior.latent import LatentGaussian
from anchorpbo.typing import Array, IntArray

MIN_DUELS = 100
"""Smallest number of duels for which this is faster than the dense product."""


@dataclass(frozen=True, eq=False)
class DuelRoot:
    """Root of a posterior, factored as R D."""

    triangle: Array
    """R, (m, m)."""
    rows: Rows
    """D."""

    @classmethod
    def of(cls, latent: LatentGaussian, root: Array) -> DuelRoot | None:
        """Return a root of P, (r, n), factored as R D; ``None`` if the dense product is as fast."""
        if not isinstance(latent, DuelLatent) or len(root) < MIN_DUELS:
            return None
        return cls(np.asfortranarray(root), latent.rows)

    def multiply_transpose(self, k: Array) -> Array:
        """Return k root', (n, m)."""
        margins = np.empty((len(k), len(self.rows)))
        _gather(*self._entries, np.ascontiguousarray(k), margins)
        # A C-ordered array is the transpose of a Fortran-ordered one, which BLAS expects.
        return blas.dtrmm(1.0, self.triangle, margins.T, lower=1, overwrite_b=1).T if len(k) else margins

    def multiply(self, within: Array) -> Array:
        """Return within root, (n, u)."""
        weights = np.zeros((len(within), self.rows.designs))
        if len(within):
            product = blas.dtrmm(1.0, self.triangle, within.T, lower=1, trans_a=1).T
            _scatter(*self._entries, np.ascontiguousarray(product), weights)
        return weights

    @property
    def _entries(self) -> tuple[IntArray, IntArray, Array, Array]:
        rows = self.rows
        return rows.first, rows.second, rows.coef_first, rows.coef_second


@jit_tiered
def _gather(first: IntArray, second: IntArray, a: Array, b: Array, k: Array, margins: Array) -> None:
    for i in range(len(k)):
        for j in range(len(first)):
            margins[i, j] = a[j] * k[i, first[j]] - b[j] * k[i, second[j]]


@jit_tiered
def _scatter(first: IntArray, second: IntArray, a: Array, b: Array, margins: Array, k: Array) -> None:
    for i in range(len(k)):
        for j in range(len(first)):
            k[i, first[j]] += a[j] * margins[i, j]
            k[i, second[j]] -= b[j] * margins[i, j]
