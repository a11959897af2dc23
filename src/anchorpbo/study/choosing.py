"""The duel that a plan's acquisition prefers, over a list of designs or a region of the cube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from anchorpbo.acquisition import Bound, BoundDesigns, BoundPairs
from anchorpbo.errors import InputError, NothingLeftError
from anchorpbo.search import maximise, maximise_over
from anchorpbo.space import DesignSpace
from anchorpbo.study.distinct import Distinct
from anchorpbo.typing import Array, BoolArray

MERGED = 1e-4
"""A design this near to one seen before is taken for that one."""
_SUBSTITUTES = 5
"""Designs that may stand in for a champion."""
_ROOM = 1.1
"""Found designs keep this much more than the least distance, so that rounding does not undercut it."""


def chosen_pair(
    space: DesignSpace, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator
) -> Array:
    """The best duel, (2, d): of the champion and a challenger, or of two designs where the acquisition scores pairs."""
    for first, rule in _fallbacks(bound, champion, distinct):
        try:
            pair = _best(space, bound, first, rule, rng)
        except NothingLeftError:
            continue
        return np.array([_settled(space, x, bound.posterior.points, distinct) for x in pair])
    raise InputError("a duel needs two designs that differ", repr(space), "widen the space")


def _fallbacks(bound: Bound, champion: Array, distinct: Distinct) -> Iterator[tuple[Array, Distinct]]:
    """Champions and rules to try in turn: where all duels of one were skipped or are out, others may have some."""
    yield champion, distinct
    if distinct.avoided:
        points = bound.posterior.points
        if isinstance(bound, BoundDesigns):
            for index in np.argsort(-bound.posterior.mean(points), kind="stable")[:_SUBSTITUTES]:
                yield points[index], distinct
        # Nothing is left but what was skipped or is out.
        yield champion, replace(distinct, avoided=())


def _best(space: DesignSpace, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
    candidates, region = space.candidates, space.region
    if candidates is not None:
        return _of_list(bound, candidates, champion, distinct)
    assert region is not None  # designs that cannot be listed have one
    distinct = replace(distinct, spot=_ROOM * distinct.spot)
    if isinstance(bound, BoundPairs):
        return maximise(bound, region, rng, allowed=distinct.pairs).x
    # Where the champion itself would score best, these are the nearest that can be told from it.
    steps = np.zeros((2 * len(region.free), space.dimension))
    steps[np.arange(len(steps)), np.tile(region.free, 2)] = np.repeat([1.01, -1.01], len(region.free)) * distinct.spot
    around = region.repaired(np.clip(champion + steps, 0.0, 1.0))
    found = maximise(bound, region, rng, extra=around, allowed=partial(distinct.against, champion))
    return np.array([champion, found.x])


def _of_list(bound: Bound, candidates: Array, champion: Array, distinct: Distinct) -> Array:
    if isinstance(bound, BoundPairs):
        avoided = [(_place(candidates, first), _place(candidates, second)) for first, second in distinct.avoided]
        return np.asarray(candidates[list(maximise_over(bound, candidates, exclude_pairs=avoided).index)])
    assert isinstance(bound, BoundDesigns)
    excluded = _equal(candidates, champion)
    for first, second in distinct.avoided:
        for one, other in ((first, second), (second, first)):
            if np.array_equal(one, champion):
                excluded |= _equal(candidates, other)
    return np.array([champion, candidates[maximise_over(bound, candidates, exclude=excluded).index]])


def _place(candidates: Array, x: Array) -> int:
    return int(np.argmax(_equal(candidates, x)))


def _equal(candidates: Array, x: Array) -> BoolArray:
    return np.asarray((candidates == x).all(axis=1))


def _settled(space: DesignSpace, x: Array, seen: Array, distinct: Distinct) -> Array:
    """The coordinates of a design that can be shown: one seen before where it is as good as that, else rounded."""
    known = seen[distinct.same(seen, x, MERGED)]
    return np.asarray(known[0] if len(known) else space.nearest(x))
