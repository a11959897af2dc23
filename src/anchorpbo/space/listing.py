"""All designs of a region whose coordinates all have places, where there are few."""

import math

import numpy as np

from anchorpbo.space.polytope import TOLERANCE
from anchorpbo.space.region import Region
from anchorpbo.typing import Array

_BRANCHES = 100_000
"""Beginnings of designs kept at once: more than that, and there is no telling how few designs are left in the end."""


def listed(region: Region, most: int) -> Array | None:
    """Every design, (n, d), in the order of its coordinates; ``None`` where there are more than `most`, or endless."""
    if len(region.free):
        return None
    grids = [grid for grid in region.grids if grid is not None]
    inside = [int(c) for c in region.polytope.involved]
    outside = [c for c in range(region.dimension) if c not in set(inside)]
    if math.prod(len(grids[c]) for c in outside) > most:
        return None
    found = np.full((1, region.dimension), np.nan)
    # Constrained coordinates first: what is left of those multiplies with the rest.
    for i, c in enumerate(inside):
        if len(found) * len(grids[c]) > _BRANCHES:
            return None
        found = _branched(found, c, grids[c])
        found = found[_possible(found, region, inside[i + 1 :])]
    if len(found) * math.prod(len(grids[c]) for c in outside) > most:
        return None
    for c in outside:
        found = _branched(found, c, grids[c])
    return np.asarray(np.unique(found, axis=0))


def _branched(found: Array, column: int, grid: Array) -> Array:
    """Every beginning with every value of one more coordinate."""
    longer = np.repeat(found, len(grid), axis=0)
    longer[:, column] = np.tile(grid, len(found))
    return longer


def _possible(found: Array, region: Region, ahead: list[int]) -> Array:
    """Which beginnings no constraint rules out, whatever the coordinates ahead."""
    A = region.A
    sums = np.nan_to_num(found) @ A.T
    least = np.minimum(A[:, ahead], 0.0).sum(axis=1)
    most = np.maximum(A[:, ahead], 0.0).sum(axis=1)
    slack = TOLERANCE
    return np.asarray(((sums + most >= region.lower - slack) & (sums + least <= region.upper + slack)).all(axis=1))
