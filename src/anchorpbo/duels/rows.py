"""The rows of the matrix D, one per duel: the central idea of the library.

    g_k = D_k f,   D_k = coef_first_k e_first_k - coef_second_k e_second_k

The margin g_k of duel k is a linear functional of the utilities f at the distinct designs. Its two coefficients include
the noise of the two designs, so later modules do not deal with winners, losers or noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Rows:
    """The matrix D, (m, u), with two entries per row."""

    first: IntArray
    """Design with the positive entry, (m,): the winner of a won duel."""
    second: IntArray
    """Design with the negative entry, (m,)."""
    coef_first: Array
    """Size of the positive entry, (m,)."""
    coef_second: Array
    """Size of the negative entry, (m,)."""
    tied: BoolArray
    """Boolean mask of the ties, (m,)."""
    designs: int
    """Number of distinct designs, u."""
    counts: Array | None = None
    """Number of duels that each row stands for, (m,), if equal duels are merged."""

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def D(self) -> csr_array:  # noqa: N802
        """D as a sparse matrix; a duel of a design with itself has one entry."""
        from scipy import sparse  # imported here because it is slow to import

        m = len(self)
        columns = np.concatenate([self.first, self.second])
        entries = np.concatenate([self.coef_first, -self.coef_second])
        both = np.tile(np.arange(m), 2)
        return sparse.csr_array((entries, (both, columns)), shape=(m, self.designs))

    def weight_by_counts(self, parts: Iterable[Array]) -> Iterable[Array]:
        """Multiply quantities of the rows, (m,) each, by the number of duels that each row stands for."""
        return parts if self.counts is None else [self.counts * part for part in parts]

    def to_dense(self, scale: Array) -> Array:
        """Return diag(scale) D as a dense array, (m, u)."""
        dense, every = np.zeros((len(self), self.designs)), np.arange(len(self))
        dense[every, self.first] += scale * self.coef_first
        dense[every, self.second] -= scale * self.coef_second
        return dense

    @cached_property
    def scales(self) -> Array | None:
        """c, (u,), such that every row is a multiple s_k of c_i e_i - c_j e_j; ``None`` if no such c exists.

        Probit rows and rows of utility differences have c = 1; the paper's logistic rows have c = 1 / lambda.
        """
        if np.array_equal(self.coef_first, self.coef_second):
            return np.ones(self.designs)
        scales = np.ones(self.designs)
        scales[self.first], scales[self.second] = self.coef_first, self.coef_second
        fits = np.array_equal(scales[self.first], self.coef_first) and (scales > 0.0).all()
        return scales if fits and np.array_equal(scales[self.second], self.coef_second) else None

    def pool_sites(self, scales: Array, precision: Array, linear: Array) -> tuple[Array, Array]:
        """Pool sites (w, b), (m,) each, on rows of the same two designs into one site on c_i f_i - c_j f_j, i < j.

        Returns sum_k w_k s_k^2 and sum_k +- b_k s_k in the upper triangles of two (u, u) matrices.
        """
        W, B = np.zeros((2, self.designs, self.designs))
        _pool_sites(*self._entries[:3], scales, precision, linear, W, B)
        return W, B

    def margins(self, f: Array) -> Array:
        """Return D f, (m,) or (m, n), for utilities (u,) or (u, n)."""
        g = np.empty((len(self), *f.shape[1:]))
        _margins(*self._entries, _columns(f), _columns(g))
        return g

    def apply_transpose(self, t: Array) -> Array:
        """Return D' t, (u,) or (u, n)."""
        f = np.zeros((self.designs, *t.shape[1:]))
        _apply_transpose(*self._entries, _columns(t), _columns(f))
        return f

    def margin_covariance(self, K: Array) -> Array:
        """Return C = D K D', (m, m), for a covariance K, (u, u), of utilities; exactly symmetric."""
        C = self.margins(self.margins(K).T)
        return np.asarray(0.5 * (C + C.T))

    def margin_variances(self, S: Array) -> Array:
        """Return the diagonal of D S D', (m,), without forming the matrix."""
        a, b, i, j = self.coef_first, self.coef_second, self.first, self.second
        return np.asarray(a * a * S[i, i] + b * b * S[j, j] - 2.0 * a * b * S[i, j])

    def max_margin_variance(self, S: Array) -> float:
        """Return the largest diagonal entry of D S D', a margin's variance in units of the noise; 0 without rows."""
        return float(self.margin_variances(S).max(initial=0.0))

    @property
    def _entries(self) -> tuple[IntArray, IntArray, Array, Array]:
        return self.first, self.second, self.coef_first, self.coef_second


def _columns(f: Array) -> Array:
    """Return f with one column if it is a vector; a C-contiguous array is not copied."""
    return np.ascontiguousarray(f).reshape(len(f), math.prod(f.shape[1:]))


@jit_tiered
def _margins(first: IntArray, second: IntArray, a: Array, b: Array, f: Array, g: Array) -> None:
    for k in range(len(first)):
        i, j = first[k], second[k]
        for c in range(f.shape[1]):
            g[k, c] = a[k] * f[i, c] - b[k] * f[j, c]


@jit_tiered
def _apply_transpose(first: IntArray, second: IntArray, a: Array, b: Array, g: Array, f: Array) -> None:
    for k in range(len(first)):
        i, j, a_k, b_k = first[k], second[k], a[k], b[k]
        if i == j:  # a design against itself: equal coefficients cancel exactly
            a_k, b_k = a_k - b_k, 0.0
        # One loop per entry, so that the compiler can see that they are independent.
        for c in range(g.shape[1]):
            f[i, c] += a_k * g[k, c]
        for c in range(g.shape[1]):
            f[j, c] -= b_k * g[k, c]


@jit_tiered
def _pool_sites(
    first: IntArray, second: IntArray, a: Array, scales: Array, precision: Array, linear: Array, W: Array, B: Array
) -> None:
    for k in range(len(first)):
        i, j, s = first[k], second[k], a[k] / scales[first[k]]
        if i < j:
            W[i, j] += precision[k] * s * s
            B[i, j] += linear[k] * s
        else:
            W[j, i] += precision[k] * s * s
            B[j, i] -= linear[k] * s
