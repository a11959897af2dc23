"""The user's answers: which of two designs they preferred.

Symbols: m duels on u distinct designs of d coordinates. In duel k, `points[winners[k]]` beat `points[losers[k]]`. A row
of `ties` holds two designs that the user judged equal.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.row_index import find_distinct_rows
from anchorpbo.numerics.validation import as_floats, as_indices, as_integer, as_points, freeze
from anchorpbo.typing import Array, BoolArray, IntArray

# Rounding in the encoding may put a design slightly outside the unit cube.
_ROUNDING = 1e-9
# Maximal numbers of rows and coordinates shown in a notebook.
_SHOWN_ROWS, _SHOWN_COORDINATES = 6, 8


@dataclass(frozen=True, eq=False, init=False)
class Duels:
    """Duels between designs; validated and immutable.

    Equal rows of `points` are merged and rows without a duel are dropped, so later computations only involve designs
    that were judged. The designs keep the order of their first appearance.

    Parameters
    ----------
    points
        Designs, (n, d), in the unit cube.
    winners, losers
        Row numbers of `points`, (m,): in duel k, winners[k] was preferred to losers[k].
    ties
        Pairs of row numbers, (m', 2), that the user judged equal.
    bounds
        Range of every coordinate; ``None`` for features without such a range, such as counts.

    Examples
    --------
    >>> duels = Duels([[0.1, 0.2], [0.9, 0.4], [0.1, 0.2]], winners=[0, 2], losers=[1, 1])
    >>> duels.points.shape, duels.winners
    ((2, 2), array([0, 0]))
    """

    points: Array
    """The distinct designs, (u, d)."""
    winners: IntArray
    """Row of `points` that won duel k, (m,)."""
    losers: IntArray
    """Row of `points` that lost duel k, (m,)."""
    ties: IntArray
    """Rows of `points` judged equal, (m', 2)."""
    bounds: tuple[float, float] | None
    """Range of every coordinate, or ``None``."""
    counts: Array | None
    """Number of duels that each row of D stands for after `merge_repeats`, (m + m',); ``None`` if each is one."""

    def __init__(
        self,
        points: npt.ArrayLike,
        winners: npt.ArrayLike,
        losers: npt.ArrayLike,
        ties: npt.ArrayLike | None = None,
        bounds: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        points = as_points("points", points)
        if bounds is not None:
            bounds = _as_bounds(bounds)
            _check_inside("points", points, bounds)
        winners = as_indices("winners", winners, len(points))
        losers = as_indices("losers", losers, len(points))
        if winners.ndim != 1 or winners.shape != losers.shape:
            raise ShapeError(
                "winners and losers must be one-dimensional and equally long",
                f"{winners.shape} and {losers.shape}",
                "give one winner and one loser per duel",
            )
        ties = as_indices("ties", np.empty((0, 2)) if ties is None else ties, len(points))
        if ties.size == 0:
            ties = ties.reshape(0, 2)
        if ties.ndim != 2 or ties.shape[1] != 2:
            raise ShapeError("ties must be pairs of row numbers, (m, 2)", ties.shape, "give two designs per tie")

        points, place = _keep_distinct(points, np.concatenate([winners, losers, ties.ravel()]))
        m = len(winners)
        object.__setattr__(self, "points", freeze(points))
        object.__setattr__(self, "winners", freeze(place[:m]))
        object.__setattr__(self, "losers", freeze(place[m : 2 * m]))
        object.__setattr__(self, "ties", freeze(place[2 * m :].reshape(-1, 2)))
        object.__setattr__(self, "bounds", bounds)
        object.__setattr__(self, "counts", None)

    @property
    def first(self) -> IntArray:
        """First design of every row of D: the winners, then the first of each tie, (m + m',)."""
        return np.concatenate([self.winners, self.ties[:, 0]])

    @property
    def second(self) -> IntArray:
        """Second design of every row of D: the losers, then the second of each tie, (m + m',)."""
        return np.concatenate([self.losers, self.ties[:, 1]])

    @property
    def tied(self) -> BoolArray:
        """Boolean mask of the rows of D that are ties, (m + m',)."""
        return np.arange(len(self)) >= len(self.winners)

    @property
    def dimension(self) -> int:
        """Number of coordinates of a design, d."""
        return int(self.points.shape[1])

    def __len__(self) -> int:
        """Number of duels, including ties; the number of rows of D if equal duels are merged."""
        return len(self.winners) + len(self.ties)

    def __repr__(self) -> str:
        wins, ties = len(self.winners), len(self.ties)
        return f"Duels({wins} wins and {ties} ties on {len(self.points)} designs, d={self.dimension})"

    def _repr_html_(self) -> str:
        return _to_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Duels):
            return NotImplemented
        names = ("points", "winners", "losers", "ties", "counts")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__: ClassVar[None]  # type: ignore[assignment]

    @classmethod
    def empty(cls, dimension: int, bounds: tuple[float, float] | None = (0.0, 1.0)) -> Duels:
        """Return an empty set of duels on designs of this many coordinates."""
        nobody: list[int] = []
        return cls(np.empty((0, as_integer("dimension", dimension, 1))), nobody, nobody, bounds=bounds)

    def merge_repeats(self) -> Duels:
        """Return these duels with equal ones merged into one row and counted in `counts`: at most 2 u^2 rows.

        Merging does not change the likelihood, its mode or its evidence. A sampler needs the separate duels.
        """
        if self.counts is not None:
            return self
        u = len(self.points)
        wins, times = np.unique(self.winners * u + self.losers, return_counts=True)
        ties, tied_times = np.unique(self.ties @ [u, 1], return_counts=True)
        if len(wins) + len(ties) == len(self):
            return self
        merged = copy(self)
        object.__setattr__(merged, "winners", freeze(wins // u))
        object.__setattr__(merged, "losers", freeze(wins % u))
        object.__setattr__(merged, "ties", freeze(np.stack([ties // u, ties % u], axis=1)))
        object.__setattr__(merged, "counts", freeze(np.concatenate([times, tied_times]).astype(np.float64)))
        return merged

    def expand_repeats(self) -> Duels:
        """Return these duels with one row per duel, as before `merge_repeats` except for their order."""
        return self if self.counts is None else Duels(self.points, *self._expanded, self.bounds)

    def with_win(self, winner: npt.ArrayLike, loser: npt.ArrayLike) -> Duels:
        """Return these duels and one more, which `winner`, (d,), won against `loser`, (d,)."""
        points, (w, x) = self._append(winner, loser)
        winners, losers, ties = self._expanded
        return Duels(points, np.append(winners, w), np.append(losers, x), ties, self.bounds)

    def with_tie(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Duels:
        """Return these duels and one more in which two designs, (d,), were judged equal."""
        points, pair = self._append(first, second)
        winners, losers, ties = self._expanded
        return Duels(points, winners, losers, np.vstack([ties, [pair]]), self.bounds)

    def with_duels(self, others: Duels) -> Duels:
        """Return these duels and others on designs of the same coordinates; these duels' bounds apply to all."""
        if others.dimension != self.dimension:
            rule = f"duels can only be joined with duels on designs of {self.dimension} coordinates"
            raise ShapeError(rule, others.dimension, "describe both in the same coordinates")
        u, mine, theirs = len(self.points), self._expanded, others._expanded
        winners, losers, ties = (np.concatenate([own, u + new]) for own, new in zip(mine, theirs, strict=True))
        return Duels(np.vstack([self.points, others.points]), winners, losers, ties, self.bounds)

    def as_pair(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Array:
        """Return two designs, (d,) each, as (2, d), validated against the dimension and bounds of these duels."""
        pair = [as_floats("a design", design) for design in (first, second)]
        for design in pair:
            if design.shape != (self.dimension,):
                raise ShapeError(f"a design must have shape ({self.dimension},)", design.shape, "give one design")
            if self.bounds is not None:
                _check_inside("a design", design[None], self.bounds)
        return np.array(pair)

    @property
    def _expanded(self) -> tuple[IntArray, IntArray, IntArray]:
        """Winners, losers and ties with one row per duel, even if equal duels are merged."""
        if self.counts is None:
            return self.winners, self.losers, self.ties
        wins, ties = np.split(self.counts.astype(np.intp), [len(self.winners)])
        return np.repeat(self.winners, wins), np.repeat(self.losers, wins), np.repeat(self.ties, ties, axis=0)

    def _append(self, first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Array, tuple[int, int]]:
        u = len(self.points)
        return np.vstack([self.points, self.as_pair(first, second)]), (u, u + 1)


def _as_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    lower, upper = as_floats("bounds", bounds).ravel() if np.size(bounds) == 2 else (1.0, 0.0)
    if lower >= upper:
        rule = "bounds must be a pair (lower, upper) with lower < upper"
        raise InputError(rule, bounds, "leave them out for the unit cube")
    return float(lower), float(upper)


def _check_inside(name: str, points: Array, bounds: tuple[float, float]) -> None:
    lower, upper = bounds
    outside = np.argwhere((points < lower - _ROUNDING) | (points > upper + _ROUNDING))
    if outside.size:
        row, column = (int(i) for i in outside[0])
        raise InputError(
            f"every coordinate of {name} must lie in [{lower}, {upper}]",
            f"{points[row, column]} in {f'row {row}, ' if len(points) > 1 else ''}column {column}",
            "scale designs to the unit cube, or create Duels with bounds=None for features without such a range",
        )


def _keep_distinct(points: Array, used: IntArray) -> tuple[Array, IntArray]:
    """Return the distinct rows among the used ones, in order of first appearance, and the new index of each use."""
    fought = np.zeros(len(points), dtype=np.bool_)
    fought[used] = True
    designs = points[fought]
    designs += 0.0  # -0.0 and 0.0 are the same design
    first, group = find_distinct_rows(designs)
    return designs[first], group[np.cumsum(fought)[used] - 1]


def _to_html(duels: Duels) -> str:
    """Return an HTML table of the first duels, one row per duel, with the coordinates of the designs."""
    from anchorpbo.formatting import format_count
    from anchorpbo.html import note, sheet, table

    u, d = duels.points.shape
    count = len(duels.winners) + len(duels.ties) if duels.counts is None else int(duels.counts.sum())
    heads = ["first", "", "second"] + (["times"] if duels.counts is not None else [])
    rows = [
        (_format(duels.points[a]), "as good as" if tied else "preferred to", _format(duels.points[b]), *times)
        for a, b, tied, *times in zip(
            duels.first.tolist(), duels.second.tolist(), duels.tied.tolist(),
            *([] if duels.counts is None else [duels.counts.astype(int).tolist()]), strict=True,
        )
    ][:_SHOWN_ROWS]  # fmt: skip
    more = len(duels) - len(rows)
    title = f"{format_count(count, 'duel')} on {format_count(u, 'design')} of {format_count(d, 'coordinate')}"
    return sheet(title, table(heads, rows), note(f"… and {more} more" if more else ""))


def _format(x: Array) -> str:
    numbers = [f"{value:.3g}" for value in x[:_SHOWN_COORDINATES].tolist()]
    return f"({', '.join(numbers + ['…'] * (len(x) > _SHOWN_COORDINATES))})"
