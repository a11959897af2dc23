"""The one idea of the library: a duel is a row.

    g_k = D_k f,   D_k = coef_first_k e_first_k - coef_second_k e_second_k

The margin of duel k is a linear functional of the utilities f at the distinct designs, with the noise of the two
designs already inside its two coefficients. Nothing after this module knows about winners, losers or noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from anchorpbo.numerics.jit import compiled
from anchorpbo.typing import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Rows:
    """The matrix D, (m, u), with two entries a row."""

    first: IntArray
    """Design with the positive entry, (m,): the winner of a won duel."""
    second: IntArray
    """Design with the negative entry, (m,)."""
    coef_first: Array
    """Size of the positive entry, (m,)."""
    coef_second: Array
    """Size of the negative entry, (m,)."""
    tied: BoolArray
    """Which rows were judged equal, (m,)."""
    designs: int
    """Distinct designs, u."""

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def D(self) -> sparse.csr_array:  # noqa: N802
        """The matrix itself, sparse; a duel of a design with itself has one entry."""
        m = len(self)
        columns = np.concatenate([self.first, self.second])
        entries = np.concatenate([self.coef_first, -self.coef_second])
        both = np.tile(np.arange(m), 2)
        return sparse.csr_array((entries, (both, columns)), shape=(m, self.designs))

    def scaled(self, scale: Array) -> Array:
        """diag(scale) D, (m, u), dense."""
        dense, every = np.zeros((len(self), self.designs)), np.arange(len(self))
        dense[every, self.first] += scale * self.coef_first
        dense[every, self.second] -= scale * self.coef_second
        return dense

    def margins(self, f: Array) -> Array:
        """D f, (m,) or (m, n), of utilities (u,) or (u, n)."""
        g = np.empty((len(self), *f.shape[1:]))
        _margins(*self._entries, _columns(f), _columns(g))
        return g

    def transposed(self, t: Array) -> Array:
        """D' t, (u,) or (u, n)."""
        f = np.zeros((self.designs, *t.shape[1:]))
        _transposed(*self._entries, _columns(t), _columns(f))
        return f

    def margin_covariance(self, K: Array) -> Array:
        """C = D K D', (m, m), of a covariance (u, u) of utilities; exactly symmetric."""
        C = self.margins(self.margins(K).T)
        return np.asarray(0.5 * (C + C.T))

    def margin_variances(self, S: Array) -> Array:
        """Diagonal of D S D', (m,), without forming it."""
        a, b, i, j = self.coef_first, self.coef_second, self.first, self.second
        return np.asarray(a * a * S[i, i] + b * b * S[j, j] - 2.0 * a * b * S[i, j])

    @property
    def _entries(self) -> tuple[IntArray, IntArray, Array, Array]:
        return self.first, self.second, self.coef_first, self.coef_second


def _columns(f: Array) -> Array:
    """A vector as one column; no copy of what lies in memory row by row."""
    return np.ascontiguousarray(f).reshape(len(f), math.prod(f.shape[1:]))


@compiled
def _margins(first: IntArray, second: IntArray, a: Array, b: Array, f: Array, g: Array) -> None:
    for k in range(len(first)):
        i, j = first[k], second[k]
        for c in range(f.shape[1]):
            g[k, c] = a[k] * f[i, c] - b[k] * f[j, c]


@compiled
def _transposed(first: IntArray, second: IntArray, a: Array, b: Array, g: Array, f: Array) -> None:
    for k in range(len(first)):
        i, j, a_k, b_k = first[k], second[k], a[k], b[k]
        if i == j:  # one entry, which equal coefficients make zero
            a_k, b_k = a_k - b_k, 0.0
        # One loop for each entry, so that the compiler sees that they do not depend on each other.
        for c in range(g.shape[1]):
            f[i, c] += a_k * g[k, c]
        for c in range(g.shape[1]):
            f[j, c] -= b_k * g[k, c]
