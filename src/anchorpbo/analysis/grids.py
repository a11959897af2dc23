"""Grids of utility, noise and reliability along one parameter, over two, and over a catalogue.

::

    compute_slices    one parameter at a time, the others as in `at`
    compute_plane     two parameters, the others as in `at`
    project_items     items of a catalogue, at their first two principal components

Utility is relative to the average of the designs compared, with the ends of its 90 % interval. It is missing before the
first answer, but noise and reliability are known from the anchors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from anchorpbo.analysis.axes import Axis, Cell, make_axis
from anchorpbo.analysis.model_view import ModelView
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.space import Catalogue, Categorical, Constant, Design, DesignSpace, Ordinal, Parameter, Space
from anchorpbo.study.recommendation import compute_intervals
from anchorpbo.typing import Array, IntArray

SLICE_POINTS, PLANE_POINTS = 61, 33
"""Points along a continuous parameter, in a slice and in a plane."""
MAX_ITEMS = 2_000
"""Largest number of items: all that were compared or are anchors, and an even selection of the others."""


Series = list[float]
Rows = list[list[float]]
T = TypeVar("T", Series, Rows)


@dataclass(frozen=True)
class Grid(Generic[T]):
    """Utility, its interval, noise and reliability at some designs, as lists of one length, or of rows and columns."""

    utility: T | None
    low: T | None
    high: T | None
    noise: T | None
    reliability: T | None


@dataclass(frozen=True)
class Slice:
    """Grid along one parameter."""

    axis: Axis
    grid: Grid[Series]


@dataclass(frozen=True)
class Plane:
    """Grid over two parameters, with one row per value of y."""

    x: Axis
    y: Axis
    grid: Grid[Rows]


@dataclass(frozen=True)
class ProjectedItem:
    """An item of a catalogue with its two coordinates in the plane."""

    design: dict[str, Cell]
    x: float
    y: float


@dataclass(frozen=True)
class ItemProjection:
    """All items of a catalogue, or a selection, projected to the plane."""

    items: list[ProjectedItem]
    grid: Grid[Series]
    shown: int
    total: int


def as_space(space: DesignSpace) -> Space:
    """Return a space of parameters unchanged; raise for any other space."""
    if not isinstance(space, Space):
        raise InputError("a map needs a space of parameters or a catalogue", type(space).__name__, "use another space")
    return space


def get_varying(space: Space) -> dict[str, Parameter]:
    """Return the parameters that are not constant, by name."""
    return {name: one for name, one in space.parameters.items() if not isinstance(one, Constant)}


def compute_slices(view: ModelView, at: Design, names: Sequence[str] | None = None) -> list[Slice]:
    """Compute a slice through a complete design along each parameter, or along those in `names`."""
    axes = get_varying(as_space(view.space))
    for name in names or ():
        _check_name(name, axes)
    wanted = axes if names is None else {name: axes[name] for name in names}
    found = []
    for name, parameter in wanted.items():
        along = _axis(name, parameter, SLICE_POINTS, at)
        points = _points(view.space, [at | {name: value} for value in along.values])
        found.append(Slice(along, compute_grid(view, points, (len(along.values),))))
    return found


def compute_plane(
    view: ModelView, at: Design, x: str | None = None, y: str | None = None, count: int = PLANE_POINTS
) -> Plane | None:
    """Compute the grid over two parameters, by default the first two; ``None`` if only one parameter varies.

    Parameters
    ----------
    view
        View of the study, model or noise map.
    at
        Complete design that sets the other parameters.
    x, y
        The two parameters.
    count
        Number of points along each parameter.
    """
    axes = get_varying(as_space(view.space))
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
    return Plane(across, up, compute_grid(view, _points(view.space, designs), (len(up.values), len(across.values))))


def project_items(view: ModelView, catalogue: Catalogue) -> ItemProjection:
    """Project the items of a catalogue to the plane of their first two principal components."""
    total = len(catalogue)
    rows = np.arange(total) if total <= MAX_ITEMS else _choose_rows(view, catalogue)
    points = catalogue.points[rows]
    places = _project_to_plane(points)
    found = [ProjectedItem(catalogue[int(row)], float(a), float(b)) for row, (a, b) in zip(rows, places, strict=True)]
    return ItemProjection(found, compute_grid(view, points, (len(rows),)), len(rows), total)


def compute_grid(view: ModelView, points: Array, shape: tuple[int, ...]) -> Grid[Any]:
    """Compute a grid at points, (n, d), as lists of the given shape."""
    noise, reliability = view.noise(points), view.noise.reliability(points)
    utility, low, high = (None, None, None) if view.model is None else compute_intervals(view.model, points)
    return Grid(*(_reshape(numbers, shape) for numbers in (utility, low, high, noise, reliability)))


def _axis(name: str, parameter: Parameter, count: int, at: Design) -> Axis:
    """Return the values along a parameter; for many choices a selection, which includes the value of the design."""
    along = make_axis(name, parameter, count)
    if not isinstance(parameter, Categorical | Ordinal) or at[name] in along.values:
        return along
    return replace(along, values=[value for value in parameter.values if value in along.values or value == at[name]])


def _check_name(name: str, axes: Mapping[str, Parameter]) -> None:
    if name not in axes:
        raise UnknownNameError.of("a parameter", name, axes)


def _points(space: DesignSpace, designs: list[Design]) -> Array:
    """Return the coordinates of designs, which may break constraints: a grid is evaluated everywhere."""
    return np.array([space.locate(design) for design in designs])


def _choose_rows(view: ModelView, catalogue: Catalogue) -> IntArray:
    """Return the rows that are shown: all that were compared or are anchors, and an even selection of the others."""
    told = [
        *view.anchors,
        *view.negative_anchors,
        *(design for duel in view.duels for design in (duel.first, duel.second)),
    ]
    row_of = {key: row for row, key in enumerate(catalogue.keys)}
    first = list(dict.fromkeys(row_of[design[catalogue.key]] for design in told))[:MAX_ITEMS]
    others = np.setdiff1d(np.arange(len(catalogue)), first)
    some = np.linspace(0, len(others) - 1, MAX_ITEMS - len(first)).astype(int)
    return np.sort(np.concatenate([np.array(first, dtype=np.intp), others[some]]))


def _project_to_plane(points: Array) -> Array:
    """Return the first two principal components, (n, 2), of points, (n, d)."""
    centred = points - points.mean(axis=0)
    if centred.shape[1] == 1:
        return np.column_stack([centred[:, 0], np.zeros(len(points))])
    # Use the smaller of the two matrices of products, of items or of columns: a fingerprint has thousands of columns.
    wide = len(centred) < centred.shape[1]
    gram = centred @ centred.T if wide else centred.T @ centred
    values, vectors = np.linalg.eigh(gram)
    top = vectors[:, :-3:-1]
    return np.asarray(top * np.sqrt(np.maximum(values[:-3:-1], 0.0)) if wide else centred @ top)


def _reshape(numbers: Any, shape: tuple[int, ...]) -> list[Any] | None:
    return None if numbers is None else np.asarray(numbers).reshape(shape).tolist()
