"""A few rows of a list that stand for all of it.

    d(x, y)^2 = sum over numeric columns of (x - y)^2 + categorical columns that differ + (1 - t)^2

where t = <x, y> / (<x, x> + <y, y> - <x, y>) is the Tanimoto similarity of the fingerprints.

References
----------
[Gonzalez1985] T. F. Gonzalez. Clustering to minimize the maximum intercluster distance. Theoretical Computer Science
    38, 293-306, 1985.
[PJ2009] H.-S. Park and C.-H. Jun. A simple and fast algorithm for K-medoids clustering. Expert Systems with
    Applications 36, 3336-3341, 2009.
"""

from collections.abc import Sequence

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.checks import as_generator, as_indices, as_points, whole
from anchorpbo.space.base import Columns
from anchorpbo.typing import Array, IntArray

SUBSET = 2_000
"""Longer lists are represented by this many of their rows, drawn at random."""
_UPDATES = 20


def distances(X: Array, Y: Array, columns: Columns) -> Array:
    """Distances d between the rows of X, (n, d), and those of Y, (m, d): (n, m)."""
    at = list(columns.numeric)
    first, second = X[:, at], Y[:, at]
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2.0 * first @ second.T
    # The difference of equal numbers need not be 0 in this form.
    squares[squares < 1e-12] = 0.0
    for c in columns.categorical:
        squares += X[:, c, None] != Y[:, c]
    if columns.fingerprint:
        squares += (1.0 - _tanimoto(X[:, list(columns.fingerprint)], Y[:, list(columns.fingerprint)])) ** 2
    found: Array = np.sqrt(squares)
    return found


def farthest_points(X: Array, n: int, columns: Columns, chosen: Sequence[int]) -> IntArray:
    """Row numbers, (n,), of X, (m, d), each the farthest from all before it and from those `chosen` [Gonzalez1985].

    Equal rows are one: where fewer than n more are distinct, there are fewer.
    """
    X, n = as_points("X", X), whole("n", n, 0)
    before = [int(row) for row in as_indices("chosen", list(chosen), len(X))]
    if not before:
        raise InputError(
            "chosen must have at least one row", "none", "choose one to start from, at random or the middle"
        )
    gap = distances(X, X[before], columns).min(axis=1)
    found: list[int] = []
    while len(found) < n and gap.max() > 0.0:
        found.append(int(gap.argmax()))
        gap = np.minimum(gap, distances(X, X[found[-1:]], columns)[:, 0])
    return np.array(found, dtype=np.intp)


def medoids(X: Array, n: int, columns: Columns, rng: np.random.Generator) -> IntArray:
    """Row numbers, (n,), of a list X, (m, d), that have all other rows near to one of them [PJ2009].

    Rows far apart to begin with; then, in turn, every row joins the nearest of them, and each group elects the row with
    the least sum of distances. Where fewer than n rows are distinct, there are fewer, and never more than `SUBSET`.
    """
    X, n, rng = as_points("X", X), whole("n", n, 0), as_generator(rng)
    if not len(X) or n == 0:
        return np.empty(0, dtype=np.intp)
    rows = np.sort(rng.permutation(len(X))[:SUBSET])
    D = distances(X[rows], X[rows], columns)
    middle = int(D.sum(axis=1).argmin())
    chosen = np.append(middle, farthest_points(X[rows], n - 1, columns, [middle]))
    for _ in range(_UPDATES):
        group = D[:, chosen].argmin(axis=1)
        elected = np.array([_central(D, np.flatnonzero(group == k)) for k in range(len(chosen))], dtype=np.intp)
        if np.array_equal(elected, chosen):
            break
        chosen = elected
    found: IntArray = rows[chosen]
    return found


def _central(D: Array, members: IntArray) -> int:
    return int(members[D[np.ix_(members, members)].sum(axis=1).argmin()])


def _tanimoto(X: Array, Y: Array) -> Array:
    common = X @ Y.T
    either = (X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1) - common
    # Two empty fingerprints are the same one.
    similar: Array = np.divide(common, either, out=np.ones_like(common), where=either > 0)
    return similar
