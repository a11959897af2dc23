"""Search of a finite list of designs for the maximum of an acquisition function."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import BoundAcquisition, BoundDesigns, BoundDuels, BoundPairs
from anchorpbo.errors import InputError, NothingLeftError, ShapeError
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_indices
from anchorpbo.search.evaluation import as_designs, check_bound, check_finite, evaluate
from anchorpbo.search.pair_search import Candidates, PairSearch
from anchorpbo.search.shortlist import shortlist_designs
from anchorpbo.typing import Array, IntArray

MAX_ENUMERATED_ITEMS = 2000
"""Largest number of items for which every pair is scored."""
PAIR_BUDGET = 4_000_000
"""Default limit on the number of pairs scored in longer lists: about a second."""

Index = TypeVar("Index", int, tuple[int, int])


@dataclass(frozen=True)
class DiscreteSearchInfo:
    """Summary of a search of a list."""

    evaluations: int
    """Number of candidates or pairs scored."""
    exact: bool
    """Whether the result is the best of the list, up to rounding."""
    gap: float
    """Upper bound on how much better an item or pair not scored may be; 0 if exact."""


@dataclass(frozen=True)
class DiscreteSearchResult(Generic[Index]):
    """The best item of the list, or the best pair."""

    index: Index
    """Row number of the best candidate, or of both of a pair, the smaller first."""
    value: float
    info: DiscreteSearchInfo


@overload
def maximise_discrete(
    bound: BoundDesigns, candidates: npt.ArrayLike, exclude: npt.ArrayLike | None = None
) -> DiscreteSearchResult[int]: ...
@overload
def maximise_discrete(
    bound: BoundDuels,
    candidates: npt.ArrayLike,
    exclude: npt.ArrayLike | None = None,
    *,
    exclude_pairs: Iterable[tuple[int, int]] = (),
    budget: int = PAIR_BUDGET,
) -> DiscreteSearchResult[tuple[int, int]]: ...
def maximise_discrete(
    bound: BoundDesigns | BoundDuels,
    candidates: npt.ArrayLike,
    exclude: npt.ArrayLike | None = None,
    *,
    exclude_pairs: Iterable[tuple[int, int]] = (),
    budget: int = PAIR_BUDGET,
) -> DiscreteSearchResult[int] | DiscreteSearchResult[tuple[int, int]]:
    """Find the item of a list, or the pair of two different items, where an acquisition function is largest.

    Single designs: exact. Pairs: exact up to `MAX_ENUMERATED_ITEMS` items; beyond, exact unless the budget runs out
    before the proof is complete, and then `info.gap` bounds the loss. The knowledge gradient: exact up to
    `shortlist.count_joint_designs` items; beyond, the best of a shortlist, and `info.gap` bounds the loss.

    Parameters
    ----------
    bound
        The result of ``acquisition.bind(posterior, noise)``.
    candidates
        Designs, (n, d).
    exclude
        Row numbers, or a mask (n,), of items that may not be chosen.
    exclude_pairs
        Pairs of row numbers, in either order, that may not be chosen.
    budget
        Largest number of pairs to score in a list of more than `MAX_ENUMERATED_ITEMS` items.
    """
    check_bound(bound)
    designs = as_designs("candidates", candidates, bound.posterior.dimension)
    if not len(designs):
        raise InputError("candidates must hold at least one design", "none", "give the list to choose from")
    kept = _select_rows(exclude, len(designs))
    with one_blas_thread(len(bound.posterior.points)):
        if isinstance(bound, BoundDuels):
            return _best_duel(bound, designs, kept, _as_excluded_pairs(exclude_pairs, len(designs)), budget)
        if list(exclude_pairs):
            raise InputError("exclude_pairs needs an acquisition function of pairs", bound.acquisition, "use exclude")
        return _best_design(bound, designs, kept)


def _best_design(bound: BoundAcquisition, designs: Array, kept: IntArray) -> DiscreteSearchResult[int]:
    if not len(kept):
        raise NothingLeftError("at least one candidate must not be excluded", "all of them excluded", "exclude fewer")
    values = evaluate(bound, designs, kept)
    best = int(np.argmax(values))
    return DiscreteSearchResult(int(kept[best]), float(values[best]), DiscreteSearchInfo(len(kept), True, 0.0))


def _best_duel(
    bound: BoundDuels, designs: Array, kept: IntArray, banned: IntArray, budget: int
) -> DiscreteSearchResult[tuple[int, int]]:
    if len(kept) < 2:
        rule = "a pair needs two candidates that are not excluded"
        raise NothingLeftError(rule, f"{len(kept)} of {len(designs)}", "add candidates or exclude fewer")
    if budget < 1:
        raise InputError("budget must be at least 1", budget, "the default is a few million pairs")
    place = np.full(len(designs), -1)
    place[kept] = np.arange(len(kept))
    banned = place[banned]
    banned = banned[(banned >= 0).all(axis=1)]
    items = designs if len(kept) == len(designs) else designs[kept]
    if not isinstance(bound, BoundPairs):
        pair, value, info = _best_of_shortlist(bound, items, banned)
        first, second = sorted(int(kept[i]) for i in pair)
        return DiscreteSearchResult((first, second), value, info)
    search = PairSearch(Candidates.of(bound, items, banned))
    if len(kept) <= MAX_ENUMERATED_ITEMS:
        search.enumerate_all()
        gap = 0.0
    else:
        gap = search.refine(budget)
    if search.value == -np.inf:
        raise NothingLeftError("at least one pair must not be excluded", "all of them excluded", "exclude fewer")
    first, second = sorted(int(kept[i]) for i in search.pair)
    value = float(bound(designs[None, [first, second]])[0])
    return DiscreteSearchResult((first, second), value, DiscreteSearchInfo(search.evaluations, gap == 0.0, gap))


def _best_of_shortlist(bound: BoundDuels, items: Array, banned: IntArray) -> tuple[IntArray, float, DiscreteSearchInfo]:
    """Return the best duel of a shortlist of the items, its value and the summary."""
    count = 1 + len(banned)  # among one duel more than are banned, one is allowed
    rows, upper = shortlist_designs(bound, items)
    found = bound.screen(items[rows], count)
    check_finite(found.values)
    pairs, excluded = rows[found.rows], {tuple(sorted(pair)) for pair in banned.tolist()}
    values = np.where([tuple(sorted(pair)) in excluded for pair in pairs.tolist()], -np.inf, found.values)
    best = int(np.argmax(values))
    if values[best] == -np.inf:
        raise NothingLeftError("at least one pair must not be excluded", "all of them excluded", "exclude fewer")
    gap = max(upper - float(values[best]), 0.0)
    info = DiscreteSearchInfo(len(rows) * (len(rows) - 1) // 2, gap == 0.0, gap)
    return pairs[best], float(values[best]), info


def _select_rows(exclude: npt.ArrayLike | None, n: int) -> IntArray:
    """Return the row numbers that are not excluded."""
    if exclude is None:
        return np.arange(n)
    given = np.asarray(exclude)
    if given.dtype == np.bool_ and given.shape != (n,):
        raise ShapeError(f"a mask to exclude must have shape ({n},), one entry per candidate", given.shape, "match it")
    if given.ndim != 1:
        raise ShapeError("exclude must be row numbers, (k,), or a mask", given.shape, "exclude pairs by exclude_pairs")
    excluded = np.zeros(n, dtype=np.bool_)
    excluded[given if given.dtype == np.bool_ else as_indices("exclude", given, n)] = True
    return np.flatnonzero(~excluded)


def _as_excluded_pairs(pairs: Iterable[tuple[int, int]], n: int) -> IntArray:
    """Return the excluded pairs, (b, 2)."""
    given = list(pairs)
    banned = as_indices("exclude_pairs", given, n) if given else np.empty((0, 2), dtype=np.intp)
    if banned.ndim != 2 or banned.shape[1] != 2:
        raise ShapeError("exclude_pairs must be pairs of row numbers", banned.shape, "give two per pair")
    return banned
