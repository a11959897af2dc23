"""Starting points of a multi-start search: good items that are not all near the same maximum."""

import numpy as np

from anchorpbo.acquisition import BoundAcquisition
from anchorpbo.typing import Array, IntArray

FIRST_DISTANCE = 0.15
"""Initial minimum distance between starts, for one coordinate; for p coordinates, times the square root of p."""
MIN_DISTANCE = 1e-6
"""Distance below which items count as the same."""
MAX_LANDMARKS = 12
"""Largest number of anchors, and of compared designs, that are always scored."""


def select_starts(items: Array, values: Array, count: int) -> IntArray:
    """Return the row numbers of up to `count` starts among items of p designs, (n, p, d).

    The first start is the best item. Each further start is the best item that keeps a minimum distance from all starts
    before it; if there is none, the distance is halved. The order of the two halves of an item with an even number of
    designs does not matter: it is a duel. There are fewer starts only if there are fewer distinct items.
    """
    flat = items.reshape(len(items), -1)
    squares = np.einsum("ij,ij->i", flat, flat)
    radius = FIRST_DISTANCE * np.sqrt(flat.shape[1])
    chosen = [int(np.argmax(values))]
    nearest = np.full(len(items), np.inf)
    while len(chosen) < count and radius > MIN_DISTANCE:
        last = items[chosen[-1]]
        swapped = np.roll(last, len(last) // 2, axis=0) if is_duel(len(last)) else last
        common = np.maximum(flat @ last.ravel(), flat @ swapped.ravel())
        # Expanding the square is safe here: its rounding error of 1e-16 is well below `MIN_DISTANCE` squared.
        distances = squares + (squares[chosen[-1]] - 2.0 * common)
        np.minimum(nearest, distances, out=nearest)
        while radius > MIN_DISTANCE:
            free = np.where(nearest >= radius**2, values, -np.inf)
            best = int(np.argmax(free))
            if free[best] > -np.inf:
                chosen.append(best)
                break
            radius /= 2.0
    return np.array(chosen, dtype=np.intp)


def is_duel(designs: int) -> bool:
    """Return whether items of this many designs are duels, whose two halves may be swapped."""
    return designs % 2 == 0


def select_landmarks(bound: BoundAcquisition) -> Array:
    """Return the anchors inside the cube and the compared designs of best posterior mean, (k, d)."""
    posterior, anchors = bound.posterior, bound.noise.anchors
    best = np.argsort(-posterior.means, kind="stable")[:MAX_LANDMARKS]
    designs = posterior.points[best]
    if anchors is not None:
        inside = ((anchors >= 0.0) & (anchors <= 1.0)).all(axis=1)
        designs = np.concatenate([designs, anchors[inside][:MAX_LANDMARKS]])
    # Drop repeats; for so few designs a set is faster than numpy's unique.
    distinct = np.array(sorted(set(map(tuple, designs.tolist()))), dtype=np.float64)
    return np.clip(distinct.reshape(-1, designs.shape[1]), 0.0, 1.0)
