"""Enumeration of the designs of a finite region."""

import math
from collections.abc import Sequence

import numpy as np

from anchorpbo.space.polytope import FEASIBILITY_TOLERANCE, Polytope
from anchorpbo.typing import Array, BoolArray

_MAX_PREFIXES = 100_000
"""Largest number of prefixes of designs kept at once; beyond, the final number of designs is unpredictable."""


def enumerate_designs(given: Sequence[Array | None], polytope: Polytope, most: int) -> Array | None:
    """Return every design, (n, d), in the order of its coordinates; ``None`` if more than `most` or infinite."""
    grids = [grid for grid in given if grid is not None]
    if len(grids) < len(given):
        return None
    inside = [int(c) for c in polytope.constrained_coordinates]
    outside = [c for c in range(len(grids)) if c not in set(inside)]
    rest = math.prod(len(grids[c]) for c in outside)
    if rest > most:
        return None
    found = np.full((1, len(grids)), np.nan)
    # Constrained coordinates first: the constraints prune them before the others multiply their number.
    for i, c in enumerate(inside):
        if len(found) * len(grids[c]) > _MAX_PREFIXES:
            return None
        found = add_coordinate(found, c, grids[c])
        found = found[_is_feasible(found, polytope, inside[i + 1 :])]
    if len(found) * rest > most:
        return None
    for c in outside:
        found = add_coordinate(found, c, grids[c])
    return np.asarray(np.unique(found, axis=0))


def add_coordinate(found: Array, column: int, grid: Array) -> Array:
    """Extend every prefix of a design by every value of one more coordinate."""
    longer = np.repeat(found, len(grid), axis=0)
    longer[:, column] = np.tile(grid, len(found))
    return longer


def _is_feasible(found: Array, polytope: Polytope, ahead: list[int]) -> BoolArray:
    """Return which prefixes no constraint rules out, for any values of the coordinates ahead."""
    A = polytope.A
    sums = np.nan_to_num(found) @ A.T
    least = np.minimum(A[:, ahead], 0.0).sum(axis=1)
    most = np.maximum(A[:, ahead], 0.0).sum(axis=1)
    slack = FEASIBILITY_TOLERANCE
    return np.asarray(((sums + most >= polytope.lower - slack) & (sums + least <= polytope.upper + slack)).all(axis=1))
