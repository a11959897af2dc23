"""Proposals of anchors: designs far from each other and from the present anchors."""

from __future__ import annotations

import numpy as np

from anchorpbo.space import Catalogue, DesignSpace, farthest_points, medoids
from anchorpbo.space.subset_selection import MAX_SUBSET_ROWS
from anchorpbo.typing import Array, BoolArray

SOBOL_POINTS = 512
"""Number of Sobol' points among which proposals are chosen."""


def propose_anchors(space: DesignSpace, n: int, anchors: Array, rng: np.random.Generator) -> Array:
    """Return the coordinates, (n, d), of up to n designs that are not anchors.

    In a catalogue, they are the medoids: n items that represent the others. In other spaces, they are chosen among
    a few hundred Sobol' points, each the farthest from all before it and from the anchors; without anchors, the first
    is the point nearest to the middle.
    """
    if isinstance(space, Catalogue):
        items = space.candidates
        fresh = np.flatnonzero(~_is_among(items, anchors))
        # Draw the rows of a long list as `medoids` would, so that the others are not copied.
        some = items[fresh[np.sort(rng.permutation(len(fresh))[:MAX_SUBSET_ROWS])]]
        return some[medoids(some, min(n, len(some)), space.columns, rng)]
    designs = np.unique([space.nearest(x) for x in space.sample(SOBOL_POINTS, rng)], axis=0)
    designs = designs[~_is_among(designs, anchors)]
    n = min(n, len(designs))
    if len(anchors):
        every = np.concatenate([anchors, designs])
        return every[farthest_points(every, n, space.columns, chosen=range(len(anchors)))]
    middle = int(np.argmin(((designs - 0.5) ** 2).sum(axis=1)))
    return designs[[middle, *farthest_points(designs, n - 1, space.columns, chosen=[middle])]] if n else designs[:0]


def _is_among(designs: Array, others: Array) -> BoolArray:
    """Return which designs, (n, d), are among others, (k, d)."""
    if not len(others):
        return np.zeros(len(designs), dtype=np.bool_)
    coordinates = {other.tobytes() for other in others}
    return np.array([design.tobytes() in coordinates for design in designs], dtype=np.bool_)
