"""Selection of a few rows that represent a list: farthest points and medoids.

    d(x, y)^2 = sum over numeric columns of (x - y)^2 + categorical columns that differ + (1 - t)^2

where t = <x, y> / (<x, x> + <y, y> - <x, y>) is the Tanimoto similarity of the fingerprints.

References
----------
[Gonzalez1985] T. F. Gonzalez. Clustering to minimize the maximum intercluster distance. Theoretical Computer Science
    38, 293-306, 1985.
[PJ2009] H.-S. Park and C.-H. Jun. A simple and fast algorithm for K-medoids clustering. Expert Systems with
    Applications 36, 3336-3341, 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.bit_vectors import Words, count_bits, count_shared_bits, pack_bits
from anchorpbo.numerics.validation import as_generator, as_indices, as_integer, as_points
from anchorpbo.space.base import Columns
from anchorpbo.typing import Array, IntArray

MAX_SUBSET_ROWS = 2_000
"""Number of rows, drawn at random, that represent a longer list."""
_MAX_UPDATES = 20


def distances(X: Array, Y: Array, columns: Columns) -> Array:
    """Return the distances d between the rows of X, (n, d), and those of Y, (m, d): (n, m)."""
    return _FeatureRows.of(X, columns).distances(_FeatureRows.of(Y, columns))


@dataclass(frozen=True, eq=False)
class _FeatureRows:
    """Rows of a list, with their columns sorted by kind."""

    numeric: Array
    """Numeric columns, (n, p)."""
    squares: Array
    """|x|^2 of the numeric columns, (n,)."""
    categorical: Array
    """Categorical columns, (n, c)."""
    counts: Array
    """The fingerprints, (n, b)."""
    bits: Words | None
    """The fingerprints packed into words, (n, words), if all entries are 0 or 1."""
    sizes: Array
    """<x, x> of the fingerprints, (n,)."""

    @classmethod
    def of(cls, X: Array, columns: Columns) -> _FeatureRows:
        """Sort the columns of X, (n, d), by kind."""
        numeric, categorical, counts = (
            _columns(X, at) for at in (columns.numeric, columns.categorical, columns.fingerprint)
        )
        bits = pack_bits(counts)
        sizes = np.einsum("ij,ij->i", counts, counts) if bits is None else count_bits(bits)
        return cls(numeric, (numeric**2).sum(axis=1), categorical, counts, bits, sizes)

    def at(self, rows: Sequence[int] | IntArray) -> _FeatureRows:
        """Return some of the rows."""
        rows = np.asarray(rows, dtype=np.intp)
        return _FeatureRows(
            self.numeric[rows],
            self.squares[rows],
            self.categorical[rows],
            self.counts[rows],
            None if self.bits is None else self.bits[rows],
            self.sizes[rows],
        )

    def distances(self, other: _FeatureRows) -> Array:
        """Return the distances d to other rows, (m of them): (n, m)."""
        squares = self.squares[:, None] + other.squares - 2.0 * self.numeric @ other.numeric.T
        # In this form the distance of equal rows may differ from 0 by rounding.
        squares[squares < 1e-12] = 0.0
        for c in range(self.categorical.shape[1]):
            squares += self.categorical[:, c, None] != other.categorical[:, c]
        if self.counts.shape[1]:
            squares += (1.0 - self._tanimoto(other)) ** 2
        found: Array = np.sqrt(squares)
        return found

    def _tanimoto(self, other: _FeatureRows) -> Array:
        if self.bits is None or other.bits is None:
            common = self.counts @ other.counts.T
        else:
            common = count_shared_bits(self.bits, other.bits)
        either = self.sizes[:, None] + other.sizes - common
        # Two empty fingerprints count as equal.
        similar: Array = np.divide(common, either, out=np.ones_like(common), where=either > 0)
        return similar


def _columns(X: Array, at: tuple[int, ...]) -> Array:
    """Return some columns of X, without a copy if they are adjacent."""
    if at == tuple(range(at[0], at[-1] + 1)) if at else False:
        return X[:, at[0] : at[-1] + 1]
    return X[:, list(at)]


def farthest_points(X: Array, n: int, columns: Columns, chosen: Sequence[int]) -> IntArray:
    """Return n row numbers of X, (m, d), each the farthest from all before it and from those `chosen` [Gonzalez1985].

    Equal rows count once, so there are fewer if fewer than n further rows are distinct.
    """
    X, n = as_points("X", X), as_integer("n", n, 0)
    before = [int(row) for row in as_indices("chosen", list(chosen), len(X))]
    if not before:
        raise InputError(
            "chosen must have at least one row", "none", "choose one to start from, at random or the middle"
        )
    rows = _FeatureRows.of(X, columns)
    gap = rows.distances(rows.at(before)).min(axis=1)
    return choose_farthest(gap, n, lambda row: rows.distances(rows.at([row]))[:, 0])


def choose_farthest(gap: Array, n: int, distances_to: Callable[[int], Array]) -> IntArray:
    """Return n row numbers, each the farthest from all before it and from the rows chosen already [Gonzalez1985].

    Parameters
    ----------
    gap
        Distance of each row to the nearest row that is chosen already, (m,).
    n
        Number of rows; there are fewer if all others are at distance 0.
    distances_to
        Function that returns the distance of each row to one of them, (m,).
    """
    found: list[int] = []
    while len(found) < n and gap.max(initial=0.0) > 0.0:
        found.append(int(gap.argmax()))
        gap = np.minimum(gap, distances_to(found[-1]))
    return np.array(found, dtype=np.intp)


def medoids(X: Array, n: int, columns: Columns, rng: np.random.Generator) -> IntArray:
    """Return n row numbers of a list X, (m, d), such that every other row is near one of them [PJ2009].

    The first choice is rows far apart. Then, repeatedly, every row joins the nearest chosen row, and each group chooses
    the row with the smallest sum of distances. There are fewer if fewer than n rows are distinct, and at most
    `MAX_SUBSET_ROWS`.
    """
    X, n, rng = as_points("X", X), as_integer("n", n, 0), as_generator(rng)
    if not len(X) or n == 0:
        return np.empty(0, dtype=np.intp)
    rows = np.sort(rng.permutation(len(X))[:MAX_SUBSET_ROWS])
    found: IntArray = rows[choose_medoids(distances(X[rows], X[rows], columns), n)]
    return found


def choose_medoids(D: Array, n: int) -> IntArray:
    """Return n row numbers such that every other row is near one of them, from the distances D, (m, m) [PJ2009].

    There are fewer if fewer than n rows are distinct.
    """
    if not len(D) or n == 0:
        return np.empty(0, dtype=np.intp)
    middle = int(D.sum(axis=1).argmin())
    chosen = np.append(middle, choose_farthest(D[:, middle], n - 1, lambda row: D[:, row])).astype(np.intp)
    for _ in range(_MAX_UPDATES):
        group = D[:, chosen].argmin(axis=1)
        elected = np.array([_central(D, np.flatnonzero(group == k)) for k in range(len(chosen))], dtype=np.intp)
        if np.array_equal(elected, chosen):
            break
        chosen = elected
    return chosen


def _central(D: Array, members: IntArray) -> int:
    return int(members[D[np.ix_(members, members)].sum(axis=1).argmin()])
