"""The duels to start with, before there is anything to choose by: pairs of designs spread over the space."""

from __future__ import annotations

import numpy as np

from anchorpbo.errors import NothingLeftError
from anchorpbo.space import DesignSpace, Region
from anchorpbo.study.distinct import Distinct
from anchorpbo.typing import Array, IntArray

SPREAD = 64
"""How many there are; after them it begins anew."""
FAR = 0.25
"""Designs of a pair differ by at least this in one coordinate, or in a category."""


def starting_pairs(space: DesignSpace, seed: int) -> Array:
    """Pairs of different designs, (n, 2, d), the first few of which are already spread; no pair twice."""
    rng = np.random.default_rng([seed, 0])
    distinct, points = Distinct.on(space), _spread_together(space, rng)
    if points is not None:
        pairs = np.array([space.nearest(x) for x in points]).reshape(-1, 2, space.dimension)
    else:
        designs = np.array([space.nearest(x) for x in space.sample(2 * SPREAD, rng)])
        pairs = designs[_round_robin(len(designs))]
    apart = ~distinct.near(pairs[:, 0], pairs[:, 1], FAR)
    return pairs[apart if apart.any() else distinct.pairs(pairs)]


def has_starting_pairs(space: DesignSpace, seed: int) -> bool:
    """Whether there are any `starting_pairs`; mostly without making all of them, which takes a while."""
    points = _spread_together(space, np.random.default_rng([seed, 0]))
    if points is not None:
        pairs, near = points.reshape(-1, 2, space.dimension), Distinct.on(space).near
        if any(not near(space.nearest(first), space.nearest(second), FAR) for first, second in pairs):
            return True
    return len(starting_pairs(space, seed)) > 0


def _spread_together(space: DesignSpace, rng: np.random.Generator) -> Array | None:
    """Points of the cube, (2 n, d), two by two those of a pair; ``None`` where the space is not all of the cube."""
    if space.region is None or space.region.is_constrained or space.candidates is not None:
        return None
    # Sobol' points of 2 d coordinates, so that the two halves of a duel are spread together.
    return Region.of(space.region.grids * 2).sample(SPREAD, rng).reshape(-1, space.dimension)


def _round_robin(n: int) -> IntArray:
    """`SPREAD` pairs of n numbers, or all there are, (k, 2): neighbours 0-1, 2-3, ... first, then ever wider steps."""
    first, second = np.triu_indices(n, 1)
    # Of the pairs of one step, those that share no number come first.
    order = np.lexsort((first, first // (second - first) % 2, second - first))
    return np.stack([first, second], axis=1)[order[:SPREAD]]


def starting_pair(pairs: Array, number: int, distinct: Distinct) -> Array:
    """The pair of this number, (2, d), or the next one that may be asked."""
    order = np.roll(np.arange(len(pairs)), -number)
    for rule in (distinct, *distinct.relaxed()):
        fine = rule.pairs(pairs[order])
        if fine.any():
            return np.asarray(pairs[order[int(np.argmax(fine))]])
    raise NothingLeftError("a duel needs two designs that look different", "none that are not out", "ask fewer")


def starting_challenger(pairs: Array, champion: Array, shown: Array, distinct: Distinct) -> Array:
    """The first design of the starting pairs, (d,), that is far from a champion, (d,), and none of those shown, (n, d).

    Where none is far, one that can be told from it; where all have been shown, one of these.
    """
    designs = pairs.reshape(-1, pairs.shape[2])
    new = ~distinct.same(designs[:, None], shown[None]).any(axis=1)
    far = ~distinct.near(designs, champion, FAR)
    for rule in (distinct, *distinct.relaxed()):
        allowed = rule.against(champion, designs)
        for fine in (allowed & new & far, allowed & new, allowed):
            if fine.any():
                return np.asarray(designs[int(np.argmax(fine))])
    raise NothingLeftError("a duel needs two designs that look different", "none that are not out", "ask fewer")
