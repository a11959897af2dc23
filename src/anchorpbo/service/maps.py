"""Grids for plots: what the model knows of designs along one parameter, over two, or over a list.

::

    slices    one parameter at a time, the others as in `at`
    plane     two parameters, the others as in `at`
    items     of a catalogue, each with a place in the plane of the two directions its items differ most in

Utility is relative to the average of the designs compared, with the ends of its 90 % interval. Before the first answer
there is none, but noise and reliability are known from the anchors alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.service.rater import Rater
from anchorpbo.service.views import Design
from anchorpbo.space import Boolean, Catalogue, Categorical, Constant, Integer, Ordinal, Parameter, Real, Space
from anchorpbo.study import Optimizer
from anchorpbo.study.recommending import estimates
from anchorpbo.typing import Array, IntArray

SLICE, PLANE = 61, 33
"""Points along a continuous parameter, in a slice and in a plane."""
MOST_ITEMS = 2_000
"""Of a catalogue, in one answer: all that were compared or marked, and an even choice of the others."""
_SIDES = ("first", "second", "winner", "loser")


@dataclass(frozen=True)
class Grid:
    """What is known at some designs, in lists of one length, or of rows and columns."""

    utility: list[Any] | None
    low: list[Any] | None
    high: list[Any] | None
    noise: list[Any] | None
    reliability: list[Any] | None


@dataclass(frozen=True)
class Axis:
    """Values of one parameter."""

    name: str
    values: list[Any]
    continuous: bool
    log: bool


@dataclass(frozen=True)
class Slice:
    """Along one parameter."""

    axis: Axis
    grid: Grid


@dataclass(frozen=True)
class Plane:
    """Over two parameters; grids have a row for each value of y."""

    x: Axis
    y: Axis
    grid: Grid


@dataclass(frozen=True)
class Item:
    """An item of a catalogue, with its place in the picture."""

    design: Design
    x: float
    y: float


@dataclass(frozen=True)
class Items:
    """Items of a catalogue, all or some."""

    items: list[Item]
    grid: Grid
    shown: int
    total: int


@dataclass(frozen=True)
class Map:
    """All that a page of results draws."""

    answers: int
    at: Design | None
    slices: list[Slice]
    plane: Plane | None
    items: Items | None
    anchors: list[Design]
    duels: list[dict[str, Any]]
    """Those that stand: first, second, outcome."""


def draw_map(rater: Rater, at: Design | None, x: str | None, y: str | None) -> Map:
    """The map of one participant's utility, through a design; by default the recommended one, or the middle."""
    optimizer = rater.optimizer
    duels = [
        {name: entry.data[name] for name in ("first", "second", "outcome")}
        for entry in rater.standing
        if entry.type == "answered"
    ]
    space, answers, anchors = optimizer.space, len(optimizer), optimizer.anchors
    if isinstance(space, Catalogue):
        return Map(answers, None, [], None, _items(optimizer, space), anchors, duels)
    if not isinstance(space, Space):
        raise InputError("a map needs a space of parameters or a catalogue", type(space).__name__, "use another space")
    here = space.check(at) if at is not None else _middle(optimizer, space)
    axes = {name: one for name, one in space.parameters.items() if not isinstance(one, Constant)}
    slices = [_slice(optimizer, axis(name, parameter, SLICE), here) for name, parameter in axes.items()]
    return Map(answers, here, slices, _plane(optimizer, axes, x, y, here), None, anchors, duels)


def axis(name: str, parameter: Parameter, count: int) -> Axis:
    """Values to look at."""
    if isinstance(parameter, Categorical | Ordinal):
        choices = list(parameter.values)
        some = np.unique(np.linspace(0, len(choices) - 1, min(count, len(choices))).round().astype(int))
        return Axis(name, [choices[i] for i in some], False, False)
    if isinstance(parameter, Boolean):
        return Axis(name, [False, True], False, False)
    if not isinstance(parameter, Integer | Real):
        raise InputError("a parameter of a map must have values", repr(parameter), "leave it out")
    ends = (parameter.low, parameter.high)
    if isinstance(parameter, Real) and parameter.step is not None:
        places = parameter.low + parameter.step * np.arange(
            round((parameter.high - parameter.low) / parameter.step) + 1
        )
        some = np.unique(np.linspace(0, len(places) - 1, min(count, len(places))).round().astype(int))
        return Axis(name, np.clip(places[some], *ends).tolist(), True, parameter.log)
    values = np.geomspace(*ends, count) if parameter.log else np.linspace(*ends, count)
    if isinstance(parameter, Integer):
        return Axis(name, np.unique(values.round().astype(int)).tolist(), True, parameter.log)
    return Axis(name, np.clip(values, *ends).tolist(), True, parameter.log)


def _middle(optimizer: Optimizer, space: Space) -> Design:
    return (
        optimizer.recommend().design if len(optimizer) else space.decode(space.nearest(np.full(space.dimension, 0.5)))
    )


def _slice(optimizer: Optimizer, along: Axis, here: Design) -> Slice:
    points = _points(optimizer, [here | {along.name: value} for value in along.values])
    return Slice(along, _grid(optimizer, points, (len(along.values),)))


def _plane(
    optimizer: Optimizer, axes: dict[str, Parameter], x: str | None, y: str | None, here: Design
) -> Plane | None:
    names = list(axes)
    for name in (x, y):
        if name is not None and name not in axes:
            raise UnknownNameError.of("a parameter", name, axes)
    if len(names) < 2:
        return None
    x = x or next(name for name in names if name != y)
    y = y or next(name for name in names if name != x)
    if x == y:
        raise InputError("a plane needs two different parameters", x, "choose another")
    across, up = axis(x, axes[x], PLANE), axis(y, axes[y], PLANE)
    designs = [here | {x: a, y: b} for b in up.values for a in across.values]
    return Plane(across, up, _grid(optimizer, _points(optimizer, designs), (len(up.values), len(across.values))))


def _points(optimizer: Optimizer, designs: list[Design]) -> Array:
    """Coordinates: a grid crosses what constraints forbid, which may still be looked at."""
    space = optimizer.space
    return np.array([space.locate(design) for design in designs])


def _items(optimizer: Optimizer, catalogue: Catalogue) -> Items:
    total = len(catalogue)
    rows = np.arange(total) if total <= MOST_ITEMS else _chosen_rows(optimizer, catalogue)
    points = catalogue.points[rows]
    places = _two_directions(points)
    items = [Item(catalogue[int(row)], float(a), float(b)) for row, (a, b) in zip(rows, places, strict=True)]
    return Items(items, _grid(optimizer, points, (len(rows),)), len(rows), total)


def _chosen_rows(optimizer: Optimizer, catalogue: Catalogue) -> IntArray:
    """Rows of a long catalogue that are shown: all that were compared or marked, and an even choice of the others."""
    seen = [*optimizer.anchors, *(event[side] for event in optimizer.history for side in _SIDES if side in event)]
    row_of = {key: row for row, key in enumerate(catalogue.keys)}
    known = list(dict.fromkeys(row_of[design[catalogue.key]] for design in seen))[:MOST_ITEMS]
    others = np.setdiff1d(np.arange(len(catalogue)), known)
    some = np.linspace(0, len(others) - 1, MOST_ITEMS - len(known)).astype(int)
    return np.sort(np.concatenate([np.array(known, dtype=np.intp), others[some]]))


def _two_directions(points: Array) -> Array:
    """Places, (n, 2), along the two directions in which points, (n, d), differ most."""
    centred = points - points.mean(axis=0)
    if centred.shape[1] == 1:
        return np.column_stack([centred[:, 0], np.zeros(len(points))])
    # Through whichever products are fewer, of items or of columns: a fingerprint has thousands of the latter.
    wide = len(centred) < centred.shape[1]
    gram = centred @ centred.T if wide else centred.T @ centred
    values, vectors = np.linalg.eigh(gram)
    top = vectors[:, :-3:-1]
    return np.asarray(top * np.sqrt(np.maximum(values[:-3:-1], 0.0)) if wide else centred @ top)


def _grid(optimizer: Optimizer, points: Array, shape: tuple[int, ...]) -> Grid:
    noise_map = optimizer.noise_map
    noise, reliability = noise_map(points), noise_map.reliability(points)
    known = estimates(optimizer.model, optimizer.space, points, None) if len(optimizer) else []
    columns = ([one.utility for one in known], *zip(*(one.interval for one in known), strict=True)) if known else None
    utility, low, high = columns or (None, None, None)
    return Grid(*(_shaped(numbers, shape) for numbers in (utility, low, high, noise, reliability)))


def _shaped(numbers: Any, shape: tuple[int, ...]) -> list[Any] | None:
    return None if numbers is None else np.asarray(numbers).reshape(shape).tolist()
