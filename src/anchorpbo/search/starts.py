"""Starting points of a multi-start search: good items that are not all near the same maximum."""

import numpy as np

from anchorpbo.acquisition import BoundAcquisition, BoundPairs, average_values
from anchorpbo.posterior.moments import DesignMoments
from anchorpbo.search.evaluation import check_finite
from anchorpbo.typing import Array, IntArray

FIRST_DISTANCE = 0.15
"""Initial minimum distance between starts, for one coordinate; for p coordinates, times the square root of p."""
MIN_DISTANCE = 1e-6
"""Distance below which items count as the same."""
MAX_LANDMARKS = 12
"""Largest number of anchors, and of compared designs, that are always scored."""


def select_starts(items: Array, values: Array, count: int) -> IntArray:
    """Return the row numbers of up to `count` starts among items, (n, p, d): designs (p = 1) or pairs (p = 2).

    The first start is the best item. Each further start is the best item that keeps a minimum distance from all starts
    before it; if there is none, the distance is halved. The order of the designs of a pair does not matter. There are
    fewer starts only if there are fewer distinct items.
    """
    flat = items.reshape(len(items), -1)
    squares = np.einsum("ij,ij->i", flat, flat)
    radius = FIRST_DISTANCE * np.sqrt(flat.shape[1])
    chosen = [int(np.argmax(values))]
    nearest = np.full(len(items), np.inf)
    while len(chosen) < count and radius > MIN_DISTANCE:
        last = items[chosen[-1]]
        common = np.maximum(flat @ last.ravel(), flat @ last[::-1].ravel())
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


def select_best_pairs(bound: BoundPairs, designs: Array, count: int) -> tuple[Array, Array]:
    """Return the best pairs of designs, (count, 2, d) or fewer, and their values, (count,)."""
    first, second = np.triu_indices(len(designs), 1)
    noise, parts = bound.noise.values(designs), []
    for weight, each in bound.posterior.components:
        here = DesignMoments.of(each, designs)
        variance = here.variance[first] + here.variance[second] - 2.0 * here.covariance[first, second]
        std = np.sqrt(np.maximum(variance, 0.0))
        means, noises = (here.mean[first], here.mean[second]), (noise[first], noise[second])
        parts.append((weight, bound.acquisition.partials(*means, std, *noises).value))
    values = average_values(parts)
    check_finite(values)
    best = np.argpartition(-values, count)[:count] if count < len(values) else np.arange(len(values))
    return designs[np.stack([first[best], second[best]], axis=1)], values[best]
