"""Tables with designs in their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.interop.frames.frame_libraries import FrameLibrary
from anchorpbo.space import Catalogue, Categorical, Design, DesignSpace, Ordinal, Space
from anchorpbo.space.table import Table, get_cells
from anchorpbo.study import Optimizer
from anchorpbo.study.comparisons import index_choices
from anchorpbo.typing import Array


class DesignTable:
    """A table of designs with their space."""

    def __init__(self, table: Table, space: DesignSpace) -> None:
        self.space = space
        self.cells = {name: get_cells(column) for name, column in table.columns.items()}
        self.rows = len(table)
        self._choices = index_choices(space)

    def at(self, row: int, columns: Mapping[str, str]) -> Design:
        """Return the design in a row, without empty cells; `columns` maps names of the design to columns.

        Libraries with one type per column hold values of mixed types as text, so text may stand for a category.
        """
        return {
            name: self._choices.get(name, {}).get(str(cell).strip().lower(), cell)
            for name, column in columns.items()
            if column in self.cells and (cell := self.cells[column][row]) is not None
        }

    def encode(self, columns: Mapping[str, str]) -> Array:
        """Return the encoded designs of all rows, (n, d)."""
        found = np.empty((self.rows, self.space.dimension))
        for row in range(self.rows):
            try:
                found[row] = self.space.encode(self.at(row, columns))
            except InputError as error:
                raise error.about(f"row {row}") from error
        return found


def get_space(study: Optimizer, library: FrameLibrary) -> DesignSpace:
    """Return the space of a study; raise if a frame of the library cannot hold its designs."""
    if not isinstance(study, Optimizer):
        raise InputError("a frame of a study needs the study", type(study).__name__, "give an Optimizer")
    _check_distinguishable(study.space, library)
    return study.space


def _check_distinguishable(space: DesignSpace, library: FrameLibrary) -> None:
    """Raise if two values of a space have the same text in a column of one type, such as 3 and "3"."""
    listed = {space.key: space.keys} if isinstance(space, Catalogue) else {}
    if isinstance(space, Space):
        listed = {name: p.values for name, p in space.parameters.items() if isinstance(p, Categorical | Ordinal)}
    for name, values in listed.items() if library.one_type else ():
        meant: dict[str, Any] = {}
        for value in values:
            other = meant.setdefault(str(value).strip().lower(), value)
            if type(other) is not type(value):
                rule = f"a column of {library.name} has one type, so values of {name} must differ as text"
                raise InputError(rule, f"{other!r} and {value!r}", 'use library="pandas"')


def name_columns(space: DesignSpace, part: str = "") -> dict[str, str]:
    """Return columns by name of a design, for one part of an event; for a catalogue only its key."""
    if isinstance(space, Catalogue):
        return {space.key: part or space.key}
    return {name: f"{part}.{name}" if part else name for name in space.names}


def flatten_design(part: str, design: Mapping[str, Any], space: DesignSpace) -> dict[str, Any]:
    """Return the cells of a design by column."""
    return {column: design[name] for name, column in name_columns(space, part).items()}
