"""Maxima of functions drawn from a posterior, each over the whole region.

All paths are evaluated at the same spread designs; then each is improved by local searches of its own, from its best
spread designs that are not near each other. The best end moves to its best neighbour in the discrete coordinates, as
long as that is better, and is improved again. A finite set of designs would underestimate the maximum: in six
dimensions the nearest of a thousand designs is a third of a side away.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.posterior.paths import Paths
from anchorpbo.search.projected_bfgs import ProjectedBFGS
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, IntArray

STARTS = 3
"""Number of local searches for each path."""
MAX_EVALUATIONS = 12
"""Largest number of evaluations of a local search."""
MAX_STEPS = 8
"""Largest number of steps to a neighbour in the discrete coordinates."""
START_DISTANCE = 0.15
"""Least distance between the starts of a path, for one coordinate; for d coordinates, times the square root of d."""


def maximise_paths(
    paths: Paths, rows: IntArray, region: Region, designs: Array, values: Array, tolerance: float
) -> Array:
    """Return the maxima of some paths over a region, (r,).

    Parameters
    ----------
    paths
        Functions drawn from a posterior.
    rows
        Row numbers of the paths to maximise, (r,).
    region
        Region of the unit cube.
    designs
        Designs of the region from which the local searches start, (n, d).
    values
        Values of these paths at these designs, (r, n).
    tolerance
        A local search ends when its next step promises a smaller gain.
    """
    own, starts = _select_starts(designs, values)
    ends = _improve(paths, region, rows[own], starts, tolerance)
    found = paths.slopes(rows[own], ends)[0].reshape(STARTS, len(rows))
    best: Array = np.maximum(values.max(axis=1), found.max(axis=0))
    if not len(region.discrete):
        return best
    items = ends.reshape(STARTS, len(rows), -1)[found.argmax(axis=0), np.arange(len(rows))]
    return np.maximum(best, _climb_steps(paths, region, rows, items, found.max(axis=0), tolerance))


def _improve(paths: Paths, region: Region, rows: IntArray, starts: Array, tolerance: float) -> Array:
    """Return the ends of local searches in the continuous coordinates, (n, d), inside of the region."""
    if not len(region.continuous):
        return starts
    ends = _ascend(paths, region, rows, starts, tolerance)
    if region.is_constrained:
        ends = region.polytope.project(ends, region.continuous)
        ends = np.where(region.contains(ends)[:, None], ends, starts)
    return ends


def _climb_steps(paths: Paths, region: Region, rows: IntArray, items: Array, values: Array, tolerance: float) -> Array:
    """Return the values, (r,), after steps to better neighbours of items, (r, d), one item for each path."""
    items, values, moving = items.copy(), values.copy(), np.arange(len(rows))
    for _ in range(MAX_STEPS):
        groups = [region.neighbours(item) for item in items[moving]]
        sizes = np.array([len(group) for group in groups])
        moving, groups = moving[sizes > 0], [group for group in groups if len(group)]
        if not len(moving):
            break
        ends, near = np.cumsum(sizes[sizes > 0]), np.concatenate(groups)
        scores = np.split(paths.slopes(np.repeat(rows[moving], sizes[sizes > 0]), near)[0], ends[:-1])
        steps = np.array([group[int(np.argmax(score))] for group, score in zip(groups, scores, strict=True)])
        gains = np.array([score.max() for score in scores]) > values[moving] + tolerance
        moving, steps = moving[gains], steps[gains]
        if not len(moving):
            break
        items[moving] = _improve(paths, region, rows[moving], steps, tolerance)
        values[moving] = paths.slopes(rows[moving], items[moving])[0]
    return values


def _select_starts(designs: Array, values: Array) -> tuple[IntArray, Array]:
    """Return the row of the values that each start is for, (STARTS r,), and the starts, (STARTS r, d)."""
    left, chosen = values.copy(), []
    squares = np.einsum("ij,ij->i", designs, designs)
    radius = START_DISTANCE**2 * designs.shape[1]
    for _ in range(STARTS):
        first = left.argmax(axis=1)
        chosen.append(first)
        left[squares[first][:, None] + squares - 2.0 * designs[first] @ designs.T < radius] = -np.inf
    return np.tile(np.arange(len(values)), STARTS), designs[np.concatenate(chosen)]


def _ascend(paths: Paths, region: Region, rows: IntArray, starts: Array, tolerance: float) -> Array:
    free = region.continuous
    search = ProjectedBFGS(starts[:, free], tolerance, symmetric=False, competing=False)
    items = starts.copy()
    for _ in range(MAX_EVALUATIONS):
        active = search.active_rows
        if not len(active):
            break
        items[active[:, None], free] = search.trial[active]
        value, gradient = paths.slopes(rows[active], items[active])
        search.tell(active, value, gradient[:, free])
    items[:, free] = search.x
    return items
