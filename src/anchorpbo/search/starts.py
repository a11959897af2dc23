"""Where to start from: good items that are not all on one hill."""

import numpy as np

from anchorpbo.acquisition import Bound, BoundPairs
from anchorpbo.search.evaluate import check_finite
from anchorpbo.search.items import Items
from anchorpbo.typing import Array, IntArray

RADIUS = 0.15
"""First distance that starts keep from each other, for one coordinate; it grows as the root of their number."""
NEAREST = 1e-6
"""Items closer than this are one item."""
LANDMARKS = 12
"""Anchors, and designs asked about, that are always looked at."""


def spread_starts(items: Array, values: Array, count: int) -> IntArray:
    """Row numbers of up to `count` starts among items, (n, p, d): designs (p = 1) or pairs (p = 2).

    The first is the best item. Each next one is the best of those that keep a distance from all before; when there is
    none, the distance is halved. A pair counts as near another when it is in either order. Fewer come back only when
    the items are fewer, repeats not counted.
    """
    radius = RADIUS * np.sqrt(items[0].size)
    chosen = [int(np.argmax(values))]
    nearest = _distances(items, items[chosen[0]])
    while len(chosen) < count and radius > NEAREST:
        free = nearest >= radius
        if not free.any():
            radius /= 2.0
            continue
        chosen.append(int(np.argmax(np.where(free, values, -np.inf))))
        nearest = np.minimum(nearest, _distances(items, items[chosen[-1]]))
    return np.array(chosen, dtype=np.intp)


def landmarks(bound: Bound) -> Array:
    """Anchors inside the cube and designs of best posterior mean, (k, d)."""
    posterior, anchors = bound.posterior, bound.noise.anchors
    best = np.argsort(-posterior.means, kind="stable")[:LANDMARKS]
    designs = posterior.points[best]
    if anchors is not None:
        inside = ((anchors >= 0.0) & (anchors <= 1.0)).all(axis=1)
        designs = np.concatenate([designs, anchors[inside][:LANDMARKS]])
    return np.clip(np.unique(designs, axis=0), 0.0, 1.0)


def all_pairs(bound: BoundPairs, designs: Array) -> tuple[Array, Array]:
    """All pairs of designs, (n, 2, d), and their values, (n,)."""
    first, second = np.triu_indices(len(designs), 1)
    every = np.arange(len(designs))
    values = Items.of(bound, designs, np.empty((0, 2), dtype=np.intp)).values(every, every)[first, second]
    check_finite(values)
    return np.stack([designs[first], designs[second]], axis=1), values


def _distances(items: Array, one: Array) -> Array:
    """Euclidean distances, (n,), of items (n, p, d) from one, (p, d), in its nearer order."""
    straight, swapped = (((items - order) ** 2).sum(axis=(1, 2)) for order in (one, one[::-1]))
    return np.asarray(np.sqrt(np.minimum(straight, swapped)))
