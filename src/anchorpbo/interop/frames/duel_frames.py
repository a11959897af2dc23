"""Frames of duels between designs in the unit cube, one row per duel.

::

    winner, loser               row numbers of `Duels.points`
    tie                         whether the two designs were judged equal
    winner.x0, winner.x1, ...   coordinates of the winner, or of a tie's first design
    loser.x0, loser.x1, ...     coordinates of the loser, or of a tie's second design

Row numbers and `tie` are optional when a frame is read. With row numbers, designs keep their order, so that
``duels_from_frame(duels_to_frame(duels)) == duels``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.interop.frames.frame_libraries import LibraryName, as_table, get_library
from anchorpbo.space.table import Table
from anchorpbo.typing import Array, BoolArray, IntArray


def duels_to_frame(duels: Duels, library: LibraryName = "pandas", names: Sequence[str] | None = None) -> Any:
    """Return duels as a frame, wins before ties; merged duels are repeated.

    Parameters
    ----------
    duels
        The duels.
    library
        Library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    names
        Names of the coordinates; by default ``x0``, ``x1`` and so on.
    """
    if not isinstance(duels, Duels):
        raise InputError("duels must be a Duels object", type(duels).__name__, "build one with Duels(points, ...)")
    called = [f"x{c}" for c in range(duels.dimension)] if names is None else list(names)
    if len(called) != duels.dimension or len(set(called)) < len(called):
        rule = f"names must be {duels.dimension} distinct names, one per coordinate"
        raise InputError(rule, called, "leave them out for x0, x1 and so on")
    each = duels.expand_repeats()
    rows = (("winner", each.first), ("loser", each.second))
    coordinates = {f"{side}.{name}": each.points[row, c] for side, row in rows for c, name in enumerate(called)}
    return get_library(library).make_frame({**dict(rows), "tie": each.tied, **coordinates})


def duels_from_frame(
    frame: Any, names: Sequence[str] | None = None, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> Duels:
    """Return the duels of a frame; the module docstring describes its columns.

    Parameters
    ----------
    frame
        A DataFrame of pandas or polars, a Table of pyarrow, or anything with Arrow's PyCapsule interface.
    names
        Names of the coordinates, in order; by default all coordinates of the winner.
    bounds
        See `Duels`.
    """
    table = as_table(frame)
    called = _find_coordinates(table) if names is None else list(names)
    winners, losers = (_points(table, side, called) for side in ("winner", "loser"))
    points, first, second = _rows(table, winners, losers)
    tied = _read_ties(table)
    ties = np.stack([first[tied], second[tied]], axis=1)
    return Duels(points, first[~tied], second[~tied], ties, bounds)


def _find_coordinates(table: Table) -> list[str]:
    found = [name.removeprefix("winner.") for name in table.columns if name.startswith("winner.")]
    if not found:
        rule = "a frame of duels must have the coordinates of the winner and the loser, as in winner.x0 and loser.x0"
        raise InputError(rule, ", ".join(table.columns), "rename the columns")
    return found


def _points(table: Table, side: str, names: Sequence[str]) -> Array:
    """Return the coordinates of the winners or losers, (m, d)."""
    columns = [f"{side}.{name}" for name in names]
    missing = [column for column in columns if column not in table.columns]
    if missing:
        rule = "winner and loser must have the same coordinates"
        raise InputError(rule, f"no column {missing[0]!r}", f"there are {', '.join(table.columns)}")
    return np.stack([table.numbers(column) for column in columns], axis=1)


def _rows(table: Table, winners: Array, losers: Array) -> tuple[Array, IntArray, IntArray]:
    """Return the designs, (n, d), and the row numbers of winners and losers among them."""
    m, both = len(winners), np.concatenate([winners, losers])
    if not {"winner", "loser"} <= set(table.columns):
        # In the order of the rows, the winner before the loser.
        order = np.arange(2 * m).reshape(2, m)
        return np.stack([winners, losers], axis=1).reshape(2 * m, -1), 2 * order[0], 2 * order[0] + 1
    numbers = [_read_row_numbers(table, side) for side in ("winner", "loser")]
    rows, used = np.concatenate(numbers), np.unique(np.concatenate(numbers))
    place = np.searchsorted(used, rows)
    points = np.empty((len(used), both.shape[1]))
    points[place] = both
    different = np.flatnonzero((points[place] != both).any(axis=1))
    if len(different):
        row = int(different[0])
        rule = "equal row numbers must have equal coordinates"
        raise InputError(rule, f"two designs with number {rows[row]}", "drop the columns winner and loser")
    return points, place[:m], place[m:]


def _read_row_numbers(table: Table, side: str) -> IntArray:
    values = table.numbers(side)
    wrong = np.flatnonzero((values != np.floor(values)) | (values < 0))
    if len(wrong):
        table.raise_cell_error(
            int(wrong[0]), side, "must be the row number of a design", "drop the columns winner and loser"
        )
    return values.astype(np.intp)


def _read_ties(table: Table) -> BoolArray:
    """Return which rows are ties, (m,)."""
    if "tie" not in table.columns:
        return np.zeros(len(table), dtype=np.bool_)
    cells = table.columns["tie"]
    for row, cell in enumerate(cells):
        if cell not in (None, True, False):
            table.raise_cell_error(row, "tie", "must be true or false")
    return np.array([bool(cell) for cell in cells], dtype=np.bool_)
