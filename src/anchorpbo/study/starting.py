"""The duels to start with, before there is anything to choose by: pairs of designs spread over the space."""

from __future__ import annotations

import numpy as np

from anchorpbo.space import DesignSpace, Region
from anchorpbo.study.distinct import Distinct
from anchorpbo.typing import Array

SPREAD = 64
"""How many there are; after them it begins anew."""


def starting_pairs(space: DesignSpace, rng: np.random.Generator) -> Array:
    """Pairs of different designs, (n, 2, d), the first few of which are already spread."""
    if space.region is not None and not space.region.constrained:
        # Sobol' points of 2 d coordinates, so that the two halves of a duel are spread together.
        designs = Region.of(space.region.grids * 2).sample(SPREAD, rng).reshape(-1, space.dimension)
    else:
        designs = space.sample(2 * SPREAD, rng)
    designs = np.array([space.nearest(x) for x in designs])
    distinct = Distinct.on(space)
    pairs = designs[: len(designs) // 2 * 2].reshape(-1, 2, space.dimension)
    pairs = pairs[distinct.pairs(pairs)]
    if len(pairs):
        return pairs
    # Of a handful of designs, halves may coincide by chance: pair one with all that differ from it.
    others = np.array([space.nearest(x) for x in space.sample(SPREAD, rng)])
    others = np.concatenate([designs, others])
    others = others[~distinct.same(others, others[0])]
    return np.stack([np.broadcast_to(designs[0], others.shape), others], axis=1)


def starting_pair(pairs: Array, number: int, distinct: Distinct) -> Array:
    """The pair of this number, (2, d), or the next one that may be asked."""
    order = np.roll(np.arange(len(pairs)), -number)
    # In a space of a few designs all may have been skipped; then argmax gives the first, and it is asked again.
    return np.asarray(pairs[order[int(np.argmax(distinct.pairs(pairs[order])))]])
