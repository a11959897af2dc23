"""Maximising an acquisition over the unit cube, or that part of it which is a space's designs.

1. Score designs spread over the region, landmarks (the anchors, around which a narrow quiet region may lie that no
   spread design hits, and the best designs asked about) and any extra items. For duels, score all pairs of them: two
   good halves seldom meet by chance.
2. Choose starts: the best and a spread of good ones (`starts`).
3. Climb from all starts in their continuous coordinates (`climb`), then let each step to the best of its neighbours in
   the others; repeat from those that found a better one. Nothing is relaxed and rounded.
4. Where constraints make climbs dear, they are short, and the best is polished.

The result is never worse than the best item of step 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import Bound, BoundPairs
from anchorpbo.errors import NothingLeftError
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_generator, as_integer
from anchorpbo.search.climb import Climb, Climbed
from anchorpbo.search.evaluate import values_of
from anchorpbo.search.given import as_extra, check_search
from anchorpbo.search.starts import best_pairs, landmarks, spread_starts
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

STEPS = 100
"""Evaluations of a climb."""
CONSTRAINED_STEPS = 8
"""The same in a region with constraints, before the best is polished."""
PAIR_SHARE = 6
"""One of so many spread designs is looked at when it is in pairs."""
KEPT_PAIRS = 1024
"""Best pairs among which starts are chosen."""
CONSTRAINED = 3
"""Most starts in a region with constraints."""
ON_THE_WAY = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95)
"""Parts of a climb that are looked at when its end is not allowed."""
ROUNDS = 10
"""How often climbs and steps to neighbours alternate at most."""

Allowed = Callable[[Array], BoolArray]
"""Which items, (n, *item_shape), may be chosen, (n,)."""


@dataclass(frozen=True)
class SearchInfo:
    """How a search went."""

    evaluations: int
    """Items scored, those of every gradient included."""
    raw_value: float
    """Best value before climbing."""
    refined_value: float
    """Best value after climbing."""
    converged: bool
    """Whether the last climb ended at a maximum rather than at its limit of steps."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best item of the region."""

    x: Array
    """A design, (d,), or a pair, (2, d)."""
    value: float
    info: SearchInfo


def maximise(
    bound: Bound,
    where: int | Region,
    rng: np.random.Generator,
    *,
    raw: int = 512,
    restarts: int = 8,
    extra: npt.ArrayLike | None = None,
    allowed: Allowed | None = None,
) -> Found:
    """The design, or the pair of designs, where an acquisition is largest.

    Parameters
    ----------
    bound
        What ``acquisition.bind(posterior, noise)`` returns.
    where
        The number of coordinates d for all of the unit cube, or a `Region` of it.
    rng
        Scrambles the Sobol' points; everything else is determined.
    raw
        How many of them; best a power of two.
    restarts
        How many climbs.
    extra
        Further items to consider, (n, d) or (n, 2, d), such as the incumbent.
    allowed
        Which items may be chosen: a function of items, (n, d) or (n, 2, d), to a mask, (n,). By default all.
    """
    region = Region.cube(as_integer("where", where, 1)) if not isinstance(where, Region) else where
    check_search(bound, region, raw, restarts)
    rng = as_generator(rng)
    with one_blas_thread(len(bound.posterior.points)):
        search = _Search(bound, region, allowed)
        # All pairs are looked at, so that fewer designs do.
        search.screen(region.sample(raw if search.designs == 1 else max(raw // PAIR_SHARE, 2), rng), extra)
        search.ascend(restarts)
    return search.found()


class _Search:
    """The items looked at so far; the best allowed one is the result."""

    def __init__(self, bound: Bound, region: Region, allowed: Allowed | None) -> None:
        self.bound, self.region, self.allowed = bound, region, allowed
        self.items = np.empty((0, *bound.item_shape))
        self.values = np.empty(0)
        self.screened = 0
        self.evaluations = 0
        self.converged = True
        self.designs = math.prod(bound.item_shape) // region.dimension
        """Designs of an item: 1, or 2 of a duel."""

    def look(self, items: Array) -> Array:
        """Score items."""
        values = values_of(self.bound, items)
        self.evaluations += len(items)
        self.keep(items, values)
        return values

    def keep(self, items: Array, values: Array) -> None:
        """Take in items with their values; those not allowed count for nothing."""
        if self.allowed is not None:
            kept = self.allowed(items)
            items, values = items[kept], values[kept]
        self.items = np.concatenate([self.items, items])
        self.values = np.concatenate([self.values, values])

    def screen(self, spread: Array, extra: npt.ArrayLike | None) -> None:
        """Step 1, from designs spread over the region, (n, d)."""
        known = landmarks(self.bound)
        designs = np.concatenate([spread, known[self._inside(known)]])
        if isinstance(self.bound, BoundPairs):
            self._screen_pairs(self.bound, designs)
        else:
            self.look(designs)
        if extra is not None:
            self.look(as_extra(extra, self.bound.item_shape))
        if not len(self.items):
            rule = "at least one of the items looked at must be allowed"
            raise NothingLeftError(rule, f"none of {len(designs)} designs is", "forbid fewer")
        self.screened = len(self.items)

    def _screen_pairs(self, bound: BoundPairs, designs: Array) -> None:
        every = len(designs) * (len(designs) - 1) // 2
        self.evaluations += every
        self.keep(*best_pairs(bound, designs, KEPT_PAIRS))
        if not len(self.items) and every > KEPT_PAIRS:
            self.keep(*best_pairs(bound, designs, every))

    def ascend(self, restarts: int) -> None:
        """Steps 2 to 4."""
        constrained, climb = self.region.constrained, Climb(self.bound, self.region, self.values)
        pairs = self.items.reshape(-1, self.designs, self.region.dimension)
        # With constraints each climbs alone, at several times the cost.
        starts = spread_starts(pairs, self.values, min(restarts, CONSTRAINED) if constrained else restarts)
        items, values = self.items[starts], self.values[starts]
        for _ in range(ROUNDS):
            climbed = self._climb(climb, items, values, CONSTRAINED_STEPS if constrained else STEPS)
            if len(self.region.gridded):
                items, values = self._stepped(climbed.ends, climbed.values)
            elif self.allowed is not None and not self.allowed(climbed.ends[climbed.ended]).any():
                # Some were given up for others that have led to what is not allowed.
                items, values = climbed.ends[~climbed.ended], climbed.values[~climbed.ended]
            else:
                break
            if not len(items):
                break
        if constrained:
            best = [int(np.argmax(self.values))]
            self._climb(climb, self.items[best], self.values[best], STEPS)
        self.evaluations += climb.evaluations

    def _climb(self, climb: Climb, items: Array, values: Array, steps: int) -> Climbed:
        climbed = climb.run(items, values, steps)
        self.converged = climbed.converged
        self.keep(climbed.ends, climbed.values)
        self._look_on_the_way(items, climbed.ends)
        return climbed

    def found(self) -> Found:
        """The result."""
        best = int(np.argmax(self.values))
        raw, refined = self.values[: self.screened].max(), self.values[self.screened :].max(initial=-np.inf)
        info = SearchInfo(self.evaluations, float(raw), float(refined), self.converged)
        return Found(self.items[best].copy(), float(self.values[best]), info)

    def _look_on_the_way(self, starts: Array, ends: Array) -> None:
        """Where a climb has led to what is not allowed, the way there may come close to it."""
        if self.allowed is not None and not (fine := self.allowed(ends)).all():
            ways = (ends - starts)[~fine]
            # Climbs move continuous coordinates only, and those of a region are convex.
            self.look(np.concatenate([starts[~fine] + share * ways for share in ON_THE_WAY]))

    def _stepped(self, items: Array, values: Array) -> tuple[Array, Array]:
        """For each item that has a better neighbour, the best one and its value."""
        groups = [self._neighbours(item) for item in items]
        scores = np.split(self.look(np.concatenate(groups)), np.cumsum([len(group) for group in groups])[:-1])
        better = [
            (group[int(np.argmax(score))], score.max())
            for group, score, value in zip(groups, scores, values, strict=True)
            if len(score) and score.max() > value
        ]
        found = np.array([item for item, _ in better]).reshape(-1, *self.bound.item_shape)
        return found, np.array([value for _, value in better])

    def _neighbours(self, item: Array) -> Array:
        """Items one step away in one of their designs."""
        designs = item.reshape(-1, self.region.dimension)
        found = []
        for index, design in enumerate(designs):
            others = self.region.neighbours(design)
            stepped = np.repeat(designs[None], len(others), axis=0)
            stepped[:, index] = others
            found.append(stepped)
        return np.concatenate(found).reshape(-1, *item.shape)

    def _inside(self, designs: Array) -> BoolArray:
        """Which designs, (n, d), are in the region."""
        return np.asarray(self.region.contains(designs) & (self.region.snapped(designs) == designs).all(axis=1))
