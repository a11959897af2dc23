"""Multi-start search of the unit cube, or of the region of a design space, for the maximum of an acquisition.

1. Score designs spread over the region, landmarks (the anchors, around which a narrow quiet region may lie that no
   spread design hits, and the best designs asked about) and any extra items. For duels, score all pairs of them: two
   good halves seldom meet by chance.
2. Select starts: the best item and a spread of good ones (`starts`).
3. Search locally from all starts in their continuous coordinates (`local_search`), then let each step to the best of
   its neighbours in the others; repeat from those that found a better one. Nothing is relaxed and rounded.
4. Where constraints make local searches expensive, they are short, and the best is polished.

The result is never worse than the best item of step 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import Bound, BoundPairs
from anchorpbo.errors import InputError, NothingLeftError, ShapeError, UnsupportedError
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_floats, as_generator, as_integer
from anchorpbo.search.evaluation import check_bound, evaluate
from anchorpbo.search.local_search import LocalOptima, LocalSearch
from anchorpbo.search.starts import select_best_pairs, select_landmarks, select_starts
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

MAX_EVALUATIONS = 100
"""Evaluations of a local search."""
MAX_CONSTRAINED_ITERATIONS = 8
"""Iterations of a local search in a region with constraints, before the best is polished."""
PAIR_REDUCTION = 6
"""Factor by which fewer spread designs are screened when all their pairs are scored."""
MAX_PAIRS_KEPT = 1024
"""Best pairs among which starts are chosen."""
MAX_CONSTRAINED_STARTS = 3
"""Most starts in a region with constraints."""
PATH_FRACTIONS = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95)
"""Points of the way of a local search that are scored when its end is not allowed."""
MAX_ROUNDS = 10
"""How often local searches and steps to neighbours alternate at most."""
_CUBE_TOLERANCE = 1e-9
"""Rounding by which encoding to the unit cube and back may overshoot its faces."""

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
    """Whether the last local search ended at a maximum rather than at its limit of steps."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best item of a region."""

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
) -> SearchResult:
    """Find the design, or the pair of designs, where an acquisition is largest.

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
        How many local searches.
    extra
        Further items to consider, (n, d) or (n, 2, d), such as the incumbent.
    allowed
        Which items may be chosen: a function of items, (n, d) or (n, 2, d), to a mask, (n,). By default all.
    """
    region = Region.cube(as_integer("where", where, 1)) if not isinstance(where, Region) else where
    _check_search(bound, region, raw, restarts)
    rng = as_generator(rng)
    with one_blas_thread(len(bound.posterior.points)):
        search = _RegionSearch(bound, region, allowed)
        # All pairs are looked at, so that fewer designs do.
        search.screen(region.sample(raw if search.designs == 1 else max(raw // PAIR_REDUCTION, 2), rng), extra)
        search.ascend(restarts)
    return search.result()


class _RegionSearch:
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

    def score(self, items: Array) -> Array:
        """Score items."""
        values = evaluate(self.bound, items)
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
        landmarks = select_landmarks(self.bound)
        designs = np.concatenate([spread, landmarks[self._inside(landmarks)]])
        if isinstance(self.bound, BoundPairs):
            self._screen_pairs(self.bound, designs)
        else:
            self.score(designs)
        if extra is not None:
            self.score(_as_extra(extra, self.bound.item_shape))
        if not len(self.items):
            rule = "at least one of the items looked at must be allowed"
            raise NothingLeftError(rule, f"none of {len(designs)} designs is", "forbid fewer")
        self.screened = len(self.items)

    def _screen_pairs(self, bound: BoundPairs, designs: Array) -> None:
        every = len(designs) * (len(designs) - 1) // 2
        self.evaluations += every
        self.keep(*select_best_pairs(bound, designs, MAX_PAIRS_KEPT))
        if not len(self.items) and every > MAX_PAIRS_KEPT:
            self.keep(*select_best_pairs(bound, designs, every))

    def ascend(self, restarts: int) -> None:
        """Steps 2 to 4."""
        constrained, climb = self.region.is_constrained, LocalSearch(self.bound, self.region, self.values)
        pairs = self.items.reshape(-1, self.designs, self.region.dimension)
        # With constraints each climbs alone, at several times the cost.
        starts = select_starts(pairs, self.values, min(restarts, MAX_CONSTRAINED_STARTS) if constrained else restarts)
        items, values = self.items[starts], self.values[starts]
        for _ in range(MAX_ROUNDS):
            climbed = self._climb(climb, items, values, MAX_CONSTRAINED_ITERATIONS if constrained else MAX_EVALUATIONS)
            if len(self.region.discrete):
                items, values = self._step_to_neighbours(climbed.ends, climbed.values)
            elif self.allowed is not None and not self.allowed(climbed.ends[climbed.ended]).any():
                # Some were given up for others that have led to what is not allowed.
                items, values = climbed.ends[~climbed.ended], climbed.values[~climbed.ended]
            else:
                break
            if not len(items):
                break
        if constrained:
            best = [int(np.argmax(self.values))]
            self._climb(climb, self.items[best], self.values[best], MAX_EVALUATIONS)
        self.evaluations += climb.evaluations

    def _climb(self, climb: LocalSearch, items: Array, values: Array, steps: int) -> LocalOptima:
        climbed = climb.run(items, values, steps)
        self.converged = climbed.converged
        self.keep(climbed.ends, climbed.values)
        self._evaluate_paths(items, climbed.ends)
        return climbed

    def result(self) -> SearchResult:
        """The result."""
        best = int(np.argmax(self.values))
        raw, refined = self.values[: self.screened].max(), self.values[self.screened :].max(initial=-np.inf)
        info = SearchInfo(self.evaluations, float(raw), float(refined), self.converged)
        return SearchResult(self.items[best].copy(), float(self.values[best]), info)

    def _evaluate_paths(self, starts: Array, ends: Array) -> None:
        """Where a climb has led to what is not allowed, the way there may come close to it."""
        if self.allowed is not None and not (fine := self.allowed(ends)).all():
            ways = (ends - starts)[~fine]
            # Climbs move continuous coordinates only, and those of a region are convex.
            self.score(np.concatenate([starts[~fine] + share * ways for share in PATH_FRACTIONS]))

    def _step_to_neighbours(self, items: Array, values: Array) -> tuple[Array, Array]:
        """For each item that has a better neighbour, the best one and its value."""
        groups = [self._neighbours(item) for item in items]
        scores = np.split(self.score(np.concatenate(groups)), np.cumsum([len(group) for group in groups])[:-1])
        better = [
            (group[int(np.argmax(score))], score.max())
            for group, score, value in zip(groups, scores, values, strict=True)
            if len(score) and score.max() > value
        ]
        found = np.array([item for item, _ in better]).reshape(-1, *self.bound.item_shape)
        return found, np.array([value for _, value in better])

    def _neighbours(self, item: Array) -> Array:
        """Candidates one step away in one of their designs."""
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
        return np.asarray(self.region.contains(designs) & (self.region.snap(designs) == designs).all(axis=1))


def _check_search(bound: Bound, region: Region, raw: int, restarts: int) -> None:
    """Raise unless the acquisition can be searched there."""
    check_bound(bound)
    if region.dimension != bound.posterior.dimension:
        rule = f"where must have the {bound.posterior.dimension} coordinates of the posterior's designs"
        raise ShapeError(rule, region.dimension, "search the cube the duels came from")
    as_integer("raw", raw, 1)
    as_integer("restarts", restarts, 1)
    if not len(region.continuous):
        return
    remedy = "search a list of designs with maximise_discrete instead"
    if not bound.posterior.kernel.differentiable:
        name = type(bound.posterior.kernel).__name__
        raise UnsupportedError("a search of continuous coordinates needs a kernel with a gradient in x", name, remedy)
    try:
        bound.noise.slopes(np.full((1, region.dimension), 0.5))
    except UnsupportedError as error:
        rule = "a search of continuous coordinates needs a noise map with a gradient"
        raise UnsupportedError(rule, bound.noise, remedy) from error


def _as_extra(extra: npt.ArrayLike, item_shape: tuple[int, ...]) -> Array:
    """Further items, (n, *item_shape), in the unit cube."""
    items = as_floats("extra", extra)
    if items.shape[1:] != item_shape or items.ndim != 1 + len(item_shape):
        rule = f"extra must have shape (n, {', '.join(map(str, item_shape))})"
        raise ShapeError(rule, items.shape, "give one item a row")
    outside = items[(items < -_CUBE_TOLERANCE) | (items > 1.0 + _CUBE_TOLERANCE)]
    if outside.size:
        raise InputError("extra must lie in the unit cube", outside[0], "scale the designs first")
    return np.clip(items, 0.0, 1.0)
