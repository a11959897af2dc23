"""Search for the duel of highest acquisition value, over a list of designs or a region of the cube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from anchorpbo.acquisition import BoundAcquisition, BoundDesigns, BoundDuels
from anchorpbo.errors import NothingLeftError
from anchorpbo.numerics.row_index import RowIndex
from anchorpbo.search import maximise, maximise_discrete
from anchorpbo.search.evaluation import evaluate
from anchorpbo.search.shortlist import shortlist_designs
from anchorpbo.space import NOTICEABLE_DIFFERENCE, DesignSpace, Region
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.typing import Array, BoolArray

MERGE_DISTANCE = 1e-4
"""Distance within which a design is replaced by one seen before."""
_MAX_SUBSTITUTES = 5
"""Number of designs that may replace the champion."""
_RESOLUTION_MARGIN = 1.1
"""Factor on the smallest distance that found designs keep, so that rounding does not undercut it."""


class DuelSearch:
    """Search of a space: exact if its designs are listed, else through its region."""

    def __init__(self, space: DesignSpace) -> None:
        self.space: DesignSpace = space
        self.candidates: CandidateSet | None = CandidateSet.for_space(space)

    def find_pair(
        self, bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter, rng: np.random.Generator
    ) -> Array:
        """Find the best duel, (2, d): of the champion and a challenger, or of two designs if pairs are scored."""
        for first, rule in _list_fallbacks(bound, champion, duel_filter):
            try:
                result = self._find_best(bound, first, rule, rng)
            except NothingLeftError:
                continue
            pair = np.array([self._snap_design(x, bound.posterior.points) for x in result])
            if not duel_filter.is_same(pair[0], pair[1]):
                return pair
        raise NothingLeftError("a duel needs two designs that look different", "only pending ones", "ask for fewer")

    def find_challenger(
        self, bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter, rng: np.random.Generator
    ) -> Array:
        """Find the best challenger, (d,), for a given design, (d,)."""
        facing = bound.fix_first(champion) if isinstance(bound, BoundDuels) else bound
        for rule in (duel_filter, *duel_filter.relax()):
            try:
                result = self._find_best_against(facing, champion, rule, rng)
            except NothingLeftError:
                continue
            challenger = self._snap_design(result, bound.posterior.points)
            if not duel_filter.is_same(champion, challenger):
                return challenger
        raise NothingLeftError("a duel needs two designs that look different", "only pending ones", "ask for fewer")

    def _find_best_against(
        self, facing: BoundAcquisition, champion: Array, duel_filter: DuelFilter, rng: np.random.Generator
    ) -> Array:
        if self.candidates is None:
            return self._find_best_around(facing, champion, duel_filter, rng)
        allowed = np.flatnonzero(duel_filter.allows_challengers(champion, self.candidates.designs))
        if not len(allowed):
            raise NothingLeftError("a design must be left to choose", "none", "ask for fewer")
        designs = self.candidates.designs
        if isinstance(facing, BoundDuels):
            # Designs that may not challenge can still be the best choice after the answer.
            best, (own, _) = shortlist_designs(facing, designs)[0], shortlist_designs(facing, designs[allowed])
            rows = np.union1d(best, allowed[own])
            found = facing.screen(designs[rows], len(rows))
            challengers = rows[found.rows[:, 1]]
            chosen = int(np.argmax(np.where(np.isin(challengers, allowed), found.values, -np.inf)))
            return np.asarray(designs[challengers[chosen]])
        return np.asarray(designs[allowed[int(np.argmax(evaluate(facing, designs, allowed)))]])

    def _find_best(
        self, bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter, rng: np.random.Generator
    ) -> Array:
        if self.candidates is not None:
            return self.candidates.find_best(bound, champion, duel_filter)
        if isinstance(bound, BoundDuels):
            wide = replace(duel_filter, resolution=_RESOLUTION_MARGIN * duel_filter.resolution)
            return self._find_best_duel(bound, wide, rng)
        return np.array([champion, self._find_best_around(bound, champion, duel_filter, rng)])

    def _find_best_around(
        self, bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter, rng: np.random.Generator
    ) -> Array:
        """Find the best design of the region, (d,), that looks different from the champion."""
        region, duel_filter = self.region, replace(duel_filter, resolution=_RESOLUTION_MARGIN * duel_filter.resolution)
        # If the champion itself would score best, these are the nearest designs that look different.
        steps = np.zeros((2 * len(region.continuous), self.space.dimension))
        lengths = np.repeat([_RESOLUTION_MARGIN, -_RESOLUTION_MARGIN], len(region.continuous)) * duel_filter.resolution
        steps[np.arange(len(steps)), np.tile(region.continuous, 2)] = lengths
        around = region.repair(np.clip(champion + steps, 0.0, 1.0))
        if isinstance(bound, BoundDuels):
            items = np.repeat(around[:, None], bound.item_shape[0], axis=1)
            duel = self._find_best_duel(bound, duel_filter, rng, bound.complete(items, bound.posterior.points))
            return np.asarray(duel[1])
        return maximise(bound, region, rng, extra=around, allowed=partial(duel_filter.allows_challengers, champion)).x

    def _find_best_duel(
        self, bound: BoundDuels, duel_filter: DuelFilter, rng: np.random.Generator, extra: Array | None = None
    ) -> Array:
        """Find the best duel, (2, d), of the region."""

        def allows(items: Array) -> BoolArray:
            return duel_filter.allows_pairs(bound.get_duels(items))

        best = maximise(bound, self.region, rng, extra=extra, allowed=allows).x
        duel: Array = bound.get_duels(best[None])[0]
        return duel

    @property
    def region(self) -> Region:
        """The region of a space whose designs are not listed."""
        assert self.space.region is not None
        return self.space.region

    def _snap_design(self, x: Array, seen: Array) -> Array:
        """Return the coordinates of a design that can be shown: a design seen before if it is near, else rounded."""
        if self.space.region is None:
            return x
        free = np.isin(np.arange(len(x)), self.space.region.continuous)
        merged = seen[((free & (np.abs(seen - x) <= MERGE_DISTANCE)) | (seen == x)).all(axis=1)]
        return np.asarray(merged[0] if len(merged) else self.space.nearest(x))


@dataclass(frozen=True, eq=False)
class CandidateSet:
    """All designs of a space, as a list."""

    designs: Array
    """(n, d)."""
    places: RowIndex
    """Index that finds the row number of a design."""

    @classmethod
    def for_space(cls, space: DesignSpace) -> CandidateSet | None:
        """Return the designs of a space if they are listed and no two of them look the same, else ``None``."""
        if space.candidates is None:
            return None
        if space.region is not None and any(
            grid is not None and c not in space.region.categorical and np.diff(grid).min() < NOTICEABLE_DIFFERENCE
            for c, grid in enumerate(space.region.grids)
        ):
            return None
        return cls(space.candidates, RowIndex(space.candidates))

    def find_best(self, bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter) -> Array:
        """Find the best duel, (2, d)."""
        if isinstance(bound, BoundDuels):
            exclusions = {
                (i, j)
                for (first, second), distance in duel_filter.exclusions
                for i in self._find_near(first, distance, duel_filter)
                for j in self._find_near(second, distance, duel_filter)
                if i != j
            }
            return np.asarray(
                self.designs[list(maximise_discrete(bound, self.designs, exclude_pairs=exclusions).index)]
            )
        assert isinstance(bound, BoundDesigns)
        excluded = set(self._find_near(champion, 0.0, duel_filter))
        for (first, second), distance in duel_filter.exclusions:
            for one, other in ((first, second), (second, first)):
                if duel_filter.is_near(one, champion, distance):
                    excluded |= set(self._find_near(other, distance, duel_filter))
        chosen = maximise_discrete(bound, self.designs, exclude=np.array(sorted(excluded), dtype=np.intp)).index
        return np.array([champion, self.designs[chosen]])

    def _find_near(self, x: Array, distance: float, duel_filter: DuelFilter) -> list[int]:
        """Return the row numbers of the designs near a design, (d,)."""
        if not duel_filter.ordered.any():
            place = self.places.find(x)
            return [] if place is None else [place]
        return [int(row) for row in np.flatnonzero(duel_filter.is_near(self.designs, x, distance))]


def _list_fallbacks(
    bound: BoundAcquisition, champion: Array, duel_filter: DuelFilter
) -> Iterator[tuple[Array, DuelFilter]]:
    """Yield champions and filters to try in turn: other champions if one has no duel left, then weaker filters."""
    substitutes: list[Array] = []
    if isinstance(bound, BoundDesigns) and duel_filter.exclusions:
        best = np.argsort(-bound.posterior.means, kind="stable")[:_MAX_SUBSTITUTES]
        substitutes = list(bound.posterior.points[best])
    for rule in (duel_filter, *duel_filter.relax()):
        yield from ((first, rule) for first in (champion, *substitutes))
