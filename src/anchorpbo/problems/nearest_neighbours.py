"""Test problems from measured items: the utility of a design is the mean of the three nearest items.

A cell is the set of designs with the same three nearest items; the mean is constant on it. Planes bound a cell:
|x - p_t| <= |x - p_j| for t in the triple and j outside it. So a linear programme, the largest ball in the cell,
decides whether a triple has a cell. This gives the exact best and worst values.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anchorpbo.numerics.validation import as_points, as_vector
from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array, IntArray

_NEIGHBOUR_COUNT = 3
_CHUNK_ROWS = 4096
"""Number of designs evaluated at once, which bounds the memory."""
_MIN_RADIUS = 1e-9
"""Radius of the largest ball above which a cell exists; rounding errors of the linear programme are far smaller."""


def scale_min_max(values: Array) -> Array:
    """Scale each column to a minimum of 0 and a maximum of 1."""
    lower, upper = values.min(axis=0), values.max(axis=0)
    return np.asarray((values - lower) / (upper - lower))


@dataclass(frozen=True, eq=False)
class RatedItems:
    """Items with their points in the unit cube and their measured utilities."""

    names: tuple[str, ...]
    points: Array
    """(n, d)."""
    utilities: Array
    """(n,), from 0 to 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", as_points("points", self.points))
        object.__setattr__(self, "utilities", as_vector("utilities", self.utilities))

    def problem(self, name: str) -> Problem:
        """Return the problem whose utility is the mean of the three nearest items."""
        mean = NearestNeighbourMean(self.points, self.utilities)
        optimum = find_best_centre(self.points, self.utilities)
        worst = find_best_centre(self.points, -self.utilities)
        maximum, minimum = mean(np.array([optimum, worst])).tolist()
        return Problem(name, self.points.shape[1], mean, optimum, maximum, minimum)


@dataclass(frozen=True, eq=False)
class NearestNeighbourMean:
    """Mean value of the three nearest points; at equal distance, lower row numbers come first."""

    points: Array
    """(n, d)."""
    values: Array
    """(n,)."""

    def __call__(self, X: Array) -> Array:
        """Return the means, (n,), at designs X, (n, d)."""
        starts = range(0, max(len(X), 1), _CHUNK_ROWS)
        return np.concatenate([self._evaluate_chunk(X[i : i + _CHUNK_ROWS]) for i in starts])

    def _evaluate_chunk(self, X: Array) -> Array:
        # Differences instead of |x|^2 - 2 x.p + |p|^2, so that equal points have exactly equal distances.
        distances = ((X[:, None, :] - self.points) ** 2).sum(axis=2)
        nearest = np.empty((len(X), _NEIGHBOUR_COUNT), dtype=np.intp)
        for k in range(_NEIGHBOUR_COUNT):
            nearest[:, k] = distances.argmin(axis=1)  # the first of equal ones
            distances[np.arange(len(X)), nearest[:, k]] = np.inf
        # Summed in the order of row numbers instead of distances, so that a cell has exactly one value.
        return np.asarray(self.values[np.sort(nearest, axis=1)].mean(axis=1))


def find_best_centre(points: Array, values: Array) -> Array:
    """Find a design, (d,), with the largest mean of three nearest: the centre of the largest ball in its cell.

    Triples are tried from the best mean down until one has a cell, so no cell has a better mean. Values on the border
    between cells, which depend on the tie rule, are ignored.

    Parameters
    ----------
    points
        (n, d), in the unit cube.
    values
        (n,).
    """
    triples = np.array(list(combinations(range(len(points)), _NEIGHBOUR_COUNT)))
    means = values[triples].mean(axis=1)
    # This affects only the speed: it leaves a few hundred of more than a hundred thousand triples.
    some = np.random.default_rng(0).random((_CHUNK_ROWS, points.shape[1]))
    reached = NearestNeighbourMean(points, values)(some).max()
    order = np.argsort(-means, kind="stable")[: (means >= reached).sum()]
    triples = triples[order][_includes_duplicates(points, triples[order])]
    while True:
        middle, radius, near, far = _largest_ball(points, triples[0])
        if radius > _MIN_RADIUS:
            return middle
        # The planes that exclude this triple also exclude every triple with the same items inside and outside.
        inside, outside = np.zeros((2, len(points)), dtype=np.bool_)
        inside[near], outside[far] = True, True
        triples = triples[(inside[triples].sum(axis=1) < len(near)) | outside[triples].any(axis=1)]


def _includes_duplicates(points: Array, triples: IntArray) -> Array:
    """Return whether each triple includes all lower-numbered duplicates of its items, which win ties."""
    same = (points[:, None, :] == points).all(axis=2)
    before = np.array([max(np.flatnonzero(row[:i]), default=-1) for i, row in enumerate(same)])[triples]
    return np.asarray(((before < 0) | (before[:, :, None] == triples[:, None, :]).any(axis=2)).all(axis=1))


def _largest_ball(points: Array, triple: IntArray) -> tuple[Array, float, IntArray, IntArray]:
    """Return centre and radius of the largest ball in a triple's cell, and the items of its active planes.

    The items are those inside and those outside the triple. The radius is at most 0 if there is no cell.
    """
    from scipy.optimize import linprog

    n, d = points.shape
    near, far = np.repeat(triple, n), np.tile(np.arange(n), _NEIGHBOUR_COUNT)
    apart = points[far] - points[near]
    length = np.linalg.norm(apart, axis=1)
    # Equal points have no plane between them; _includes_duplicates handles them.
    kept = ~np.isin(far, triple) & (length > 0.0)
    near, far, apart, length = near[kept], far[kept], apart[kept], length[kept]
    normals = np.vstack([apart / length[:, None], np.eye(d), -np.eye(d)])
    squares = (points**2).sum(axis=1)
    offsets = np.concatenate([(squares[far] - squares[near]) / (2.0 * length), np.ones(d), np.zeros(d)])
    rows = np.column_stack([normals, np.ones(len(normals))])
    result = linprog(np.append(np.zeros(d), -1.0), A_ub=rows, b_ub=offsets, bounds=(None, None))
    holding = np.flatnonzero(np.asarray(result.ineqlin.marginals)[: len(near)])
    ball = np.asarray(result.x)
    return ball[:d], float(ball[d]), np.unique(near[holding]), np.unique(far[holding])
