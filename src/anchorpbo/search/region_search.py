"""Multi-start search of the unit cube, or of the region of a design space, for the maximum of an acquisition function.

1. Score designs spread over the region, landmarks (the anchors and the best designs compared) and any extra items. The
   anchors matter because a narrow region of low noise around one may contain no spread design. For duels, score all
   pairs of these designs: two good halves seldom meet by chance. If an item has designs that are not part of its duel,
   screen a shortlist (`shortlist`).
2. Select starts: the best item and a spread of good ones (`starts`).
3. Search locally from all starts in their continuous coordinates (`local_search`). Then move each to its best neighbour
   in the discrete coordinates, and repeat from those that improved. Discrete coordinates are never relaxed and rounded.
4. If constraints make local searches expensive, each runs for a few iterations and only the best is polished.
5. If the best item has designs that are not part of its duel, replace them by the best designs of step 1 where those
   are better, and search locally again.

The result is never worse than the best item of step 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import BoundAcquisition, BoundDuels
from anchorpbo.errors import InputError, NothingLeftError, ShapeError, UnsupportedError
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_floats, as_generator, as_integer
from anchorpbo.search.evaluation import check_bound, check_finite, evaluate
from anchorpbo.search.local_search import LocalOptima, LocalSearch
from anchorpbo.search.shortlist import sample_shortlist
from anchorpbo.search.starts import select_landmarks, select_starts
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

MAX_EVALUATIONS = 100
"""Largest number of evaluations of a local search."""
MAX_CONSTRAINED_ITERATIONS = 8
"""Iterations of a local search in a region with constraints, before the best result is polished."""
PAIR_REDUCTION = 6
"""Factor by which the number of spread designs is reduced when all their pairs are scored."""
MAX_PAIRS_KEPT = 1024
"""Number of best pairs among which starts are selected."""
MAX_CONSTRAINED_STARTS = 3
"""Largest number of starts in a region with constraints."""
PATH_FRACTIONS = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95)
"""Points on the line from the start to the end of a local search that are scored if its end is not allowed."""
MAX_ROUNDS = 10
"""Largest number of rounds of local search and steps to neighbours."""
GAIN_TOLERANCE = 1e-9
"""A local search ends when the next step promises a smaller gain, in units of the spread of the values."""
CHOICES_TOLERANCE = 1e-4
"""The same for items with designs outside of their duels, whose searches converge slowly."""
MAX_CHOICE_CHECKS = 3
"""Largest number of times that the designs of an item outside of its duel are replaced by better ones."""
_CUBE_TOLERANCE = 1e-9
"""Rounding error by which encoding and decoding may leave the unit cube."""

Allowed = Callable[[Array], BoolArray]
"""Function from items, (n, *item_shape), to a mask, (n,), of those that may be chosen."""


@dataclass(frozen=True)
class SearchInfo:
    """Summary of a search."""

    evaluations: int
    """Number of items scored, including those of gradients."""
    raw_value: float
    """Best value before the local searches."""
    refined_value: float
    """Best value found by the local searches."""
    converged: bool
    """Whether the last local search ended at a maximum instead of its limit of steps."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best item of a region."""

    x: Array
    """The best item: a design, (d,), or a duel, (2, d) or more."""
    value: float
    info: SearchInfo


def maximise(
    bound: BoundAcquisition,
    where: int | Region,
    rng: np.random.Generator,
    *,
    raw: int = 512,
    restarts: int = 8,
    extra: npt.ArrayLike | None = None,
    allowed: Allowed | None = None,
) -> SearchResult:
    """Find the design, or the pair of designs, where an acquisition function is largest.

    Parameters
    ----------
    bound
        The result of ``acquisition.bind(posterior, noise)``.
    where
        The number of coordinates d for the whole unit cube, or a `Region` of it.
    rng
        Generator that scrambles the Sobol' points; nothing else is random.
    raw
        Number of Sobol' points, preferably a power of two.
    restarts
        Number of local searches.
    extra
        Further items to consider, (n, d) or (n, 2, d), such as the incumbent.
    allowed
        Function from items, (n, d) or (n, 2, d), to a mask, (n,), of those that may be chosen. By default all may.
    """
    region = Region.cube(as_integer("where", where, 1)) if not isinstance(where, Region) else where
    _check_search(bound, region, raw, restarts)
    rng = as_generator(rng)
    with one_blas_thread(len(bound.posterior.points)):
        search = _RegionSearch(bound, region, allowed)
        search.screen(search.sample(raw, rng), extra)
        search.ascend(restarts)
    return search.result()


class _RegionSearch:
    """All items scored so far; the result is the best allowed one."""

    def __init__(self, bound: BoundAcquisition, region: Region, allowed: Allowed | None) -> None:
        self.bound, self.region, self.allowed = bound, region, allowed
        self.items = np.empty((0, *bound.item_shape))
        self.values = np.empty(0)
        self.screened = 0
        self.evaluations = 0
        self.converged = True
        self.designs = math.prod(bound.item_shape) // region.dimension
        """Designs per item: 1, or 2 and more for a duel."""
        self.has_choices = self.designs > 2
        """Whether an item has designs that are not part of its duel."""
        self.screened_designs = np.empty((0, region.dimension))

    def sample(self, raw: int, rng: np.random.Generator) -> Array:
        """Return designs to screen, (n, d); for duels fewer, because all pairs of them are scored."""
        if self.has_choices:
            return sample_shortlist(self.bound.posterior, self.region, raw, rng)
        return self.region.sample(raw if self.designs == 1 else max(raw // PAIR_REDUCTION, 2), rng)

    def score(self, items: Array) -> Array:
        """Score items, keep the allowed ones and return all values."""
        values = evaluate(self.bound, items)
        self.evaluations += len(items)
        self.keep(items, values)
        return values

    def keep(self, items: Array, values: Array) -> None:
        """Keep the allowed ones among items with known values."""
        if self.allowed is not None:
            kept = self.allowed(items)
            items, values = items[kept], values[kept]
        self.items = np.concatenate([self.items, items])
        self.values = np.concatenate([self.values, values])

    def screen(self, spread: Array, extra: npt.ArrayLike | None) -> None:
        """Run step 1 with designs spread over the region, (n, d)."""
        landmarks = select_landmarks(self.bound)
        designs = np.concatenate([spread, landmarks[self._inside(landmarks)]])
        self.screened_designs = designs
        if isinstance(self.bound, BoundDuels):
            self._screen_duels(self.bound, designs)
        else:
            self.score(designs)
        if extra is not None:
            self.score(_as_extra(extra, self.bound.item_shape))
        if not len(self.items):
            rule = "at least one of the items scored must be allowed"
            raise NothingLeftError(rule, f"none of {len(designs)} designs", "forbid fewer")
        self.screened = len(self.items)

    def _screen_duels(self, bound: BoundDuels, designs: Array) -> None:
        every = len(designs) * (len(designs) - 1) // 2
        self.evaluations += every
        for count in (MAX_PAIRS_KEPT, every):
            found = bound.screen(designs, count)
            check_finite(found.values)
            self.keep(found.items, found.values)
            if len(self.items) or every <= count:
                break

    def ascend(self, restarts: int) -> None:
        """Run steps 2 to 4."""
        constrained = self.region.is_constrained
        tolerance = CHOICES_TOLERANCE if self.has_choices else GAIN_TOLERANCE
        climb = LocalSearch(self.bound, self.region, self.values, tolerance)
        pairs = self.items.reshape(-1, self.designs, self.region.dimension)
        # With constraints each local search runs separately, at several times the cost.
        starts = select_starts(pairs, self.values, min(restarts, MAX_CONSTRAINED_STARTS) if constrained else restarts)
        items, values = self.items[starts], self.values[starts]
        for _ in range(MAX_ROUNDS):
            climbed = self._climb(climb, items, values, MAX_CONSTRAINED_ITERATIONS if constrained else MAX_EVALUATIONS)
            if len(self.region.discrete):
                items, values = self._step_to_neighbours(climbed.ends, climbed.values)
            elif self.allowed is not None and not self.allowed(climbed.ends[climbed.ended]).any():
                # Some searches were given up for others whose ends are not allowed: resume them.
                items, values = climbed.ends[~climbed.ended], climbed.values[~climbed.ended]
            else:
                break
            if not len(items):
                break
        if constrained:
            best = [int(np.argmax(self.values))]
            self._climb(climb, self.items[best], self.values[best], MAX_EVALUATIONS)
        if isinstance(self.bound, BoundDuels) and self.has_choices:
            self._check_choices(self.bound, climb)
        self.evaluations += climb.evaluations

    def _check_choices(self, bound: BoundDuels, climb: LocalSearch) -> None:
        """Run step 5."""
        for _ in range(MAX_CHOICE_CHECKS):
            best = self.items[[int(np.argmax(self.values))]]
            completed = bound.complete(best, self.screened_designs)
            if np.array_equal(completed, best):
                break
            values = self.score(completed)
            self._climb(climb, completed, values, MAX_EVALUATIONS)

    def _climb(self, climb: LocalSearch, items: Array, values: Array, steps: int) -> LocalOptima:
        climbed = climb.run(items, values, steps)
        self.converged = climbed.converged
        self.keep(climbed.ends, climbed.values)
        self._evaluate_paths(items, climbed.ends)
        return climbed

    def result(self) -> SearchResult:
        """Return the best item and the summary."""
        best = int(np.argmax(self.values))
        raw, refined = self.values[: self.screened].max(), self.values[self.screened :].max(initial=-np.inf)
        info = SearchInfo(self.evaluations, float(raw), float(refined), self.converged)
        return SearchResult(self.items[best].copy(), float(self.values[best]), info)

    def _evaluate_paths(self, starts: Array, ends: Array) -> None:
        """Score points on the way to ends that are not allowed: the best allowed item may lie close to such an end."""
        if self.allowed is not None and not (fine := self.allowed(ends)).all():
            ways = (ends - starts)[~fine]
            # The way is inside the region: only continuous coordinates change, and their region is convex.
            self.score(np.concatenate([starts[~fine] + share * ways for share in PATH_FRACTIONS]))

    def _step_to_neighbours(self, items: Array, values: Array) -> tuple[Array, Array]:
        """Return the best neighbour, and its value, of each item that has a better neighbour."""
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
        """Return the items one step away in one of their designs."""
        designs = item.reshape(-1, self.region.dimension)
        found = []
        for index, design in enumerate(designs):
            others = self.region.neighbours(design)
            stepped = np.repeat(designs[None], len(others), axis=0)
            stepped[:, index] = others
            found.append(stepped)
        return np.concatenate(found).reshape(-1, *item.shape)

    def _inside(self, designs: Array) -> BoolArray:
        """Return which designs, (n, d), are in the region."""
        return np.asarray(self.region.contains(designs) & (self.region.snap(designs) == designs).all(axis=1))


def _check_search(bound: BoundAcquisition, region: Region, raw: int, restarts: int) -> None:
    """Raise unless the acquisition function can be searched in the region."""
    check_bound(bound)
    if region.dimension != bound.posterior.dimension:
        rule = f"where must have the {bound.posterior.dimension} coordinates of the posterior's designs"
        raise ShapeError(rule, region.dimension, "search the cube the duels came from")
    as_integer("raw", raw, 1)
    as_integer("restarts", restarts, 1)
    if not len(region.continuous):
        return
    remedy = "search a list of designs with maximise_discrete instead"
    if not bound.posterior.differentiable:
        names = {type(each.kernel).__name__: None for _, each in bound.posterior.components}
        rule = "a search of continuous coordinates needs a kernel with a gradient in x"
        raise UnsupportedError(rule, ", ".join(names), remedy)
    try:
        bound.noise.slopes(np.full((1, region.dimension), 0.5))
    except UnsupportedError as error:
        rule = "a search of continuous coordinates needs a noise map with a gradient"
        raise UnsupportedError(rule, bound.noise, remedy) from error


def _as_extra(extra: npt.ArrayLike, item_shape: tuple[int, ...]) -> Array:
    """Return further items, (n, *item_shape), in the unit cube."""
    items = as_floats("extra", extra)
    if items.shape[1:] != item_shape or items.ndim != 1 + len(item_shape):
        rule = f"extra must have shape (n, {', '.join(map(str, item_shape))})"
        raise ShapeError(rule, items.shape, "give one item per row")
    outside = items[(items < -_CUBE_TOLERANCE) | (items > 1.0 + _CUBE_TOLERANCE)]
    if outside.size:
        raise InputError("extra must lie in the unit cube", outside[0], "scale the designs first")
    return np.clip(items, 0.0, 1.0)
