"""Test problems from measured items: the utility of a design is the mean of the three nearest items.

The mean is constant on each cell, the designs whose three nearest items are the same. A cell is cut out of the cube by
planes, |x - p_t| <= |x - p_j| for t in the triple and j out of it, so that whether a triple has one is a linear
programme: the largest ball it holds. That makes the best and the worst value exact.
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
"""Designs looked at in one go, so that a long list of them does not fill the memory."""
_MIN_RADIUS = 1e-9
"""Radius of a ball above which a cell is there; rounding of the linear programme is far below."""


def scale_min_max(values: Array) -> Array:
    """Scale each column so that its least value is 0 and its largest 1."""
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
        """The mean of the three nearest items as a problem."""
        mean = NearestNeighbourMean(self.points, self.utilities)
        optimum = find_best_centre(self.points, self.utilities)
        worst = find_best_centre(self.points, -self.utilities)
        maximum, minimum = mean(np.array([optimum, worst])).tolist()
        return Problem(name, self.points.shape[1], mean, optimum, maximum, minimum)


@dataclass(frozen=True, eq=False)
class NearestNeighbourMean:
    """Mean value of the three nearest points; of points equally far, the one of the lower number is nearer."""

    points: Array
    """(n, d)."""
    values: Array
    """(n,)."""

    def __call__(self, X: Array) -> Array:
        """Means, (n,), at designs X, (n, d)."""
        starts = range(0, max(len(X), 1), _CHUNK_ROWS)
        return np.concatenate([self._evaluate_chunk(X[i : i + _CHUNK_ROWS]) for i in starts])

    def _evaluate_chunk(self, X: Array) -> Array:
        # Differences and not |x|^2 - 2 x.p + |p|^2: points in the same place are then equally far to the last bit.
        distances = ((X[:, None, :] - self.points) ** 2).sum(axis=2)
        nearest = np.empty((len(X), _NEIGHBOUR_COUNT), dtype=np.intp)
        for k in range(_NEIGHBOUR_COUNT):
            nearest[:, k] = distances.argmin(axis=1)  # of equal ones the first
            distances[np.arange(len(X)), nearest[:, k]] = np.inf
        # Added up in the order of their numbers, not of their distances, so that a cell has one value to the last bit.
        return np.asarray(self.values[np.sort(nearest, axis=1)].mean(axis=1))


def find_best_centre(points: Array, values: Array) -> Array:
    """Find a design, (d,), with the largest mean of three nearest: the centre of the largest ball in its cell.

    Triples are tried from the best mean down until one has a cell, so nothing with an inside is better. What a tie rule
    gives exactly on the wall between cells does not count.

    Parameters
    ----------
    points
        (n, d), in the unit cube.
    values
        (n,).
    """
    triples = np.array(list(combinations(range(len(points)), _NEIGHBOUR_COUNT)))
    means = values[triples].mean(axis=1)
    # Only speed depends on this: it leaves a few hundred triples of more than a hundred thousand.
    some = np.random.default_rng(0).random((_CHUNK_ROWS, points.shape[1]))
    reached = NearestNeighbourMean(points, values)(some).max()
    order = np.argsort(-means, kind="stable")[: (means >= reached).sum()]
    triples = triples[order][_includes_duplicates(points, triples[order])]
    while True:
        middle, radius, near, far = _largest_ball(points, triples[0])
        if radius > _MIN_RADIUS:
            return middle
        # The planes that left no room leave none for any other triple with the same items in and out.
        inside, outside = np.zeros((2, len(points)), dtype=np.bool_)
        inside[near], outside[far] = True, True
        triples = triples[(inside[triples].sum(axis=1) < len(near)) | outside[triples].any(axis=1)]


def _includes_duplicates(points: Array, triples: IntArray) -> Array:
    """Whether a triple has, with each of its items, those of lower numbers in the same place: ties go to them."""
    same = (points[:, None, :] == points).all(axis=2)
    before = np.array([max(np.flatnonzero(row[:i]), default=-1) for i, row in enumerate(same)])[triples]
    return np.asarray(((before < 0) | (before[:, :, None] == triples[:, None, :]).any(axis=2)).all(axis=1))


def _largest_ball(points: Array, triple: IntArray) -> tuple[Array, float, IntArray, IntArray]:
    """Middle and radius of the largest ball in a triple's cell, and the items in and out of it whose planes hold it.

    The radius is not above 0 where there is no cell.
    """
    from scipy.optimize import linprog

    n, d = points.shape
    near, far = np.repeat(triple, n), np.tile(np.arange(n), _NEIGHBOUR_COUNT)
    apart = points[far] - points[near]
    length = np.linalg.norm(apart, axis=1)
    # Points in the same place have no plane between them: _includes_duplicates has seen to them.
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
