"""What is known along one parameter, over two, or over a list.

::

    slices    one parameter at a time, the others as in `at`
    plane     two parameters, the others as in `at`
    items     of a catalogue, each with a place in the plane of the two directions its items differ most in

Utility is relative to the average of the designs compared, with the ends of its 90 % interval. Before the first answer
there is none, but noise and reliability are known from the anchors alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anchorpbo.analysis.axes import Axis, axis
from anchorpbo.analysis.known import Known
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.space import Catalogue, Categorical, Constant, Design, DesignSpace, Ordinal, Parameter, Space
from anchorpbo.study.recommendation import compute_intervals
from anchorpbo.typing import Array, IntArray

SLICE, PLANE = 61, 33
"""Points along a continuous parameter, in a slice and in a plane."""
MOST_ITEMS = 2_000
"""Of a catalogue, in one answer: all that were compared or marked, and an even choice of the others."""


@dataclass(frozen=True)
class Grid:
    """What is known at some designs, in lists of one length, or of rows and columns."""

    utility: list[Any] | None
    low: list[Any] | None
    high: list[Any] | None
    noise: list[Any] | None
    reliability: list[Any] | None


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


def as_space(space: DesignSpace) -> Space:
    """The space, if it is one of parameters."""
    if not isinstance(space, Space):
        raise InputError("a map needs a space of parameters or a catalogue", type(space).__name__, "use another space")
    return space


def varying(space: Space) -> dict[str, Parameter]:
    """Parameters that a map can go along."""
    return {name: one for name, one in space.parameters.items() if not isinstance(one, Constant)}


def slices(known: Known, at: Design, names: Sequence[str] | None = None) -> list[Slice]:
    """Along each parameter through a design that is complete; `names` for some of them only."""
    axes = varying(as_space(known.space))
    for name in names or ():
        _check_name(name, axes)
    wanted = axes if names is None else {name: axes[name] for name in names}
    found = []
    for name, parameter in wanted.items():
        along = _axis(name, parameter, SLICE, at)
        points = _points(known.space, [at | {name: value} for value in along.values])
        found.append(Slice(along, grid(known, points, (len(along.values),))))
    return found


def plane(known: Known, at: Design, x: str | None = None, y: str | None = None, count: int = PLANE) -> Plane | None:
    """Over two parameters, by default the first two; ``None`` where there is but one.

    Parameters
    ----------
    known
        What is known.
    at
        Where the other parameters are taken from, complete.
    x, y
        The two.
    count
        Points along each.
    """
    axes = varying(as_space(known.space))
    names = list(axes)
    for name in (x, y):
        if name is not None:
            _check_name(name, axes)
    if len(names) < 2:
        return None
    x = x or next(name for name in names if name != y)
    y = y or next(name for name in names if name != x)
    if x == y:
        raise InputError("a plane needs two different parameters", x, "choose another")
    across, up = _axis(x, axes[x], count, at), _axis(y, axes[y], count, at)
    designs = [at | {x: a, y: b} for b in up.values for a in across.values]
    return Plane(across, up, grid(known, _points(known.space, designs), (len(up.values), len(across.values))))


def items(known: Known, catalogue: Catalogue) -> Items:
    """Items, each with its place."""
    total = len(catalogue)
    rows = np.arange(total) if total <= MOST_ITEMS else _chosen_rows(known, catalogue)
    points = catalogue.points[rows]
    places = _two_directions(points)
    found = [Item(catalogue[int(row)], float(a), float(b)) for row, (a, b) in zip(rows, places, strict=True)]
    return Items(found, grid(known, points, (len(rows),)), len(rows), total)


def grid(known: Known, points: Array, shape: tuple[int, ...]) -> Grid:
    """What is known at points, (n, d), in lists of a shape."""
    noise, reliability = known.noise(points), known.noise.reliability(points)
    utility, low, high = (None, None, None) if known.model is None else compute_intervals(known.model, points)
    return Grid(*(_shaped(numbers, shape) for numbers in (utility, low, high, noise, reliability)))


def _axis(name: str, parameter: Parameter, count: int, at: Design) -> Axis:
    """Values along a parameter; of many choices some, that of the design itself among them."""
    along = axis(name, parameter, count)
    if not isinstance(parameter, Categorical | Ordinal) or at[name] in along.values:
        return along
    return replace(along, values=[value for value in parameter.values if value in along.values or value == at[name]])


def _check_name(name: str, axes: Mapping[str, Parameter]) -> None:
    if name not in axes:
        raise UnknownNameError.of("a parameter", name, axes)


def _points(space: DesignSpace, designs: list[Design]) -> Array:
    """Coordinates: a grid crosses what constraints forbid, which may still be looked at."""
    return np.array([space.locate(design) for design in designs])


def _chosen_rows(known: Known, catalogue: Catalogue) -> IntArray:
    """Rows of a long catalogue that are shown: all that were compared or marked, and an even choice of the others."""
    told = [*known.anchors, *(design for duel in known.duels for design in (duel.first, duel.second))]
    row_of = {key: row for row, key in enumerate(catalogue.keys)}
    first = list(dict.fromkeys(row_of[design[catalogue.key]] for design in told))[:MOST_ITEMS]
    others = np.setdiff1d(np.arange(len(catalogue)), first)
    some = np.linspace(0, len(others) - 1, MOST_ITEMS - len(first)).astype(int)
    return np.sort(np.concatenate([np.array(first, dtype=np.intp), others[some]]))


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


def _shaped(numbers: Any, shape: tuple[int, ...]) -> list[Any] | None:
    return None if numbers is None else np.asarray(numbers).reshape(shape).tolist()
