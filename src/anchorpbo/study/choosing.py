"""The duel that a plan's acquisition prefers, over a list of designs or a region of the cube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from anchorpbo.acquisition import Bound, BoundChallengers, BoundDesigns, BoundPairs
from anchorpbo.errors import NothingLeftError
from anchorpbo.numerics.row_index import RowIndex
from anchorpbo.search import maximise, maximise_discrete
from anchorpbo.search.evaluation import evaluate
from anchorpbo.space import NOTICEABLE_DIFFERENCE, DesignSpace, Region
from anchorpbo.study.distinct import Distinct
from anchorpbo.typing import Array

MERGED = 1e-4
"""A design this near to one seen before is taken for that one."""
_SUBSTITUTES = 5
"""Designs that may stand in for a champion."""
_ROOM = 1.1
"""Found designs keep this much more than the least distance, so that rounding does not undercut it."""


class Chooser:
    """Searches a space: exactly where its designs are listed, else through its region."""

    def __init__(self, space: DesignSpace) -> None:
        self.space: DesignSpace = space
        self.listing: Listing | None = Listing.of(space)

    def pair(self, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
        """The best duel, (2, d): of the champion and a challenger, or of two designs where pairs are scored."""
        for first, rule in _fallbacks(bound, champion, distinct):
            try:
                found = self._best(bound, first, rule, rng)
            except NothingLeftError:
                continue
            pair = np.array([self._settled(x, bound.posterior.points) for x in found])
            if not distinct.same(pair[0], pair[1]):
                return pair
        raise NothingLeftError("a duel needs two designs that look different", "none that are not out", "ask fewer")

    def challenger(self, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
        """The best design, (d,), to compare with one that is given, (d,)."""
        facing = BoundChallengers.of(bound, champion) if isinstance(bound, BoundPairs) else bound
        for rule in (distinct, *distinct.relaxed()):
            try:
                found = self._best_against(facing, champion, rule, rng)
            except NothingLeftError:
                continue
            challenger = self._settled(found, bound.posterior.points)
            if not distinct.same(champion, challenger):
                return challenger
        raise NothingLeftError("a duel needs two designs that look different", "none that are not out", "ask fewer")

    def _best_against(self, facing: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
        if self.listing is None:
            return self._best_around(facing, champion, distinct, rng)
        fine = np.flatnonzero(distinct.against(champion, self.listing.designs))
        if not len(fine):
            raise NothingLeftError("a design must be left to choose", "none", "ask fewer")
        return np.asarray(self.listing.designs[fine[int(np.argmax(evaluate(facing, self.listing.designs, fine)))]])

    def _best(self, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
        if self.listing is not None:
            return self.listing.best(bound, champion, distinct)
        if isinstance(bound, BoundPairs):
            region, distinct = self.region, replace(distinct, spot=_ROOM * distinct.spot)
            return maximise(bound, region, rng, allowed=distinct.pairs).x
        return np.array([champion, self._best_around(bound, champion, distinct, rng)])

    def _best_around(self, bound: Bound, champion: Array, distinct: Distinct, rng: np.random.Generator) -> Array:
        """The best design of the region, (d,), that can be told from the champion."""
        region, distinct = self.region, replace(distinct, spot=_ROOM * distinct.spot)
        # Where the champion itself would score best, these are the nearest that can be told from it.
        steps = np.zeros((2 * len(region.continuous), self.space.dimension))
        lengths = np.repeat([_ROOM, -_ROOM], len(region.continuous)) * distinct.spot
        steps[np.arange(len(steps)), np.tile(region.continuous, 2)] = lengths
        around = region.repair(np.clip(champion + steps, 0.0, 1.0))
        return maximise(bound, region, rng, extra=around, allowed=partial(distinct.against, champion)).x

    @property
    def region(self) -> Region:
        """Where designs are that are not listed."""
        assert self.space.region is not None
        return self.space.region

    def _settled(self, x: Array, seen: Array) -> Array:
        """Coordinates of a design that can be shown: one seen before where it is as good as that, else rounded."""
        if self.space.region is None:
            return x
        free = np.isin(np.arange(len(x)), self.space.region.continuous)
        known = seen[((free & (np.abs(seen - x) <= MERGED)) | (seen == x)).all(axis=1)]
        return np.asarray(known[0] if len(known) else self.space.nearest(x))


@dataclass(frozen=True, eq=False)
class Listing:
    """All designs of a space."""

    designs: Array
    """(n, d)."""
    places: RowIndex
    """Finds the row number of a design."""

    @classmethod
    def of(cls, space: DesignSpace) -> Listing | None:
        """The designs of a space, where they are listed and no two of them look the same."""
        if space.candidates is None:
            return None
        if space.region is not None and any(
            grid is not None and c not in space.region.categorical and np.diff(grid).min() < NOTICEABLE_DIFFERENCE
            for c, grid in enumerate(space.region.grids)
        ):
            return None
        return cls(space.candidates, RowIndex(space.candidates))

    def best(self, bound: Bound, champion: Array, distinct: Distinct) -> Array:
        """The best duel, (2, d)."""
        if isinstance(bound, BoundPairs):
            avoided = {
                (i, j)
                for (first, second), distance in distinct.avoided
                for i in self._near(first, distance, distinct)
                for j in self._near(second, distance, distinct)
                if i != j
            }
            return np.asarray(self.designs[list(maximise_discrete(bound, self.designs, exclude_pairs=avoided).index)])
        assert isinstance(bound, BoundDesigns)
        excluded = set(self._near(champion, 0.0, distinct))
        for (first, second), distance in distinct.avoided:
            for one, other in ((first, second), (second, first)):
                if distinct.near(one, champion, distance):
                    excluded |= set(self._near(other, distance, distinct))
        chosen = maximise_discrete(bound, self.designs, exclude=np.array(sorted(excluded), dtype=np.intp)).index
        return np.array([champion, self.designs[chosen]])

    def _near(self, x: Array, distance: float, distinct: Distinct) -> list[int]:
        """Row numbers of the designs that are near one, (d,)."""
        if not distinct.ordered.any():
            place = self.places.find(x)
            return [] if place is None else [place]
        return [int(row) for row in np.flatnonzero(distinct.near(self.designs, x, distance))]


def _fallbacks(bound: Bound, champion: Array, distinct: Distinct) -> Iterator[tuple[Array, Distinct]]:
    """Champions and rules to try in turn: where one has no duel left, other designs may; then rules are relaxed."""
    substitutes: list[Array] = []
    if isinstance(bound, BoundDesigns) and distinct.avoided:
        best = np.argsort(-bound.posterior.means, kind="stable")[:_SUBSTITUTES]
        substitutes = list(bound.posterior.points[best])
    for rule in (distinct, *distinct.relaxed()):
        yield from ((first, rule) for first in (champion, *substitutes))
