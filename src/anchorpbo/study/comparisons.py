"""Comparisons read from a table, one row per comparison or one row per ranked design.

::

    winner, loser                       items of a catalogue, by the values of its key column
    winner.dose, loser.dose, ...        parameters of a space, or columns of a catalogue, one pair of columns each
    tie                                 optional: whether the two were found equal instead

    rank                                rank of a design in a ranking: 1 is best, equal ranks are ties
    ranking                             optional: the ranking that a row belongs to, if there are several
    dose, ...                           the ranked design, by its parameters, or by the key of a catalogue

A ranking of k designs gives k - 1 comparisons, of each design with the next. The others follow from these and would
count the same judgement twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.space import Boolean, Catalogue, Categorical, Design, DesignSpace, Ordinal, Parameter, Space
from anchorpbo.space.table import Table, get_cells
from anchorpbo.study.events import Preferred

MAX_CELLS = 5_000_000
"""Largest number of cells in a table, if the number of comparisons is limited."""
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_EMPTY = ("", "none")


def read_comparisons(source: Any, space: DesignSpace, max_count: int | None = None) -> list[Preferred]:
    """Read all comparisons of a table, in order, and check every design; the module's docstring lists the columns.

    Parameters
    ----------
    source
        A CSV file, given by its path or open, a pandas or polars data frame, or a list of dicts.
    space
        The design space.
    max_count
        Largest number of comparisons; reading a longer table stops with an error.
    """
    reader = _Reader(_read_table(source, max_count), space)
    found = []
    for one in reader.read_ranking() if "rank" in reader.table.columns else reader.read_pairs():
        found.append(one)
        if max_count is not None and len(found) > max_count:
            raise _too_many_error(max_count, len(reader.table))
    if not found:
        raise InputError("a table of comparisons must hold at least one", f"{len(reader.table)} rows", "add some")
    return found


def _too_many_error(max_count: int, rows: int) -> InputError:
    return InputError(
        f"a table must have at most {max_count:,} comparisons", f"{rows:,} rows or more", "choose the latest"
    )


def _read_table(source: Any, max_count: int | None) -> Table:
    def check_size(rows: int, columns: int) -> None:
        # A ranking has one row more than comparisons; if every ranking has two designs, there are twice as many rows.
        if max_count is not None and rows > 2 * max_count:
            raise _too_many_error(max_count, rows)
        if max_count is not None and rows * columns > MAX_CELLS:
            rule = f"a table of comparisons must have at most {MAX_CELLS:,} cells"
            raise InputError(rule, f"{columns:,} columns and {rows:,} rows or more", "leave out other columns")

    if isinstance(source, str | PathLike) or hasattr(source, "read"):
        return Table.from_csv(source, check_size=check_size)
    if isinstance(source, list | tuple):
        return Table.from_records([_flatten(record) for record in source])
    try:
        return Table.from_frame(source)
    except InputError as error:
        rule = "comparisons must be the path of a CSV file, a data frame or a list of dicts"
        raise InputError(rule, repr(source), "give one of these") from error


def _flatten(record: Any) -> Any:
    """Flatten a record whose cells are designs, ``{"winner": {"dose": 15}, ...}``, to ``{"winner.dose": 15, ...}``."""
    if not isinstance(record, Mapping):
        return record
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        flat |= {f"{name}.{key}": value for key, value in cell.items()} if isinstance(cell, Mapping) else {name: cell}
    return flat


class _Reader:
    """A table and the space of its designs."""

    def __init__(self, table: Table, space: DesignSpace) -> None:
        self.table, self.space = table, space
        self.cells = {name: get_cells(column) for name, column in table.columns.items()}
        self.choices = index_choices(space)

    def read_pairs(self) -> Iterator[Preferred]:
        """Read one comparison per row."""
        sides = [self._find_columns(side) for side in ("winner", "loser")]
        known = {"tie", *(name for side in sides for name in side.values())}
        others = [name for name in self.table.columns if name not in known]
        if others:
            rule = "every column of a table of comparisons must have a meaning: winner, loser or tie"
            raise InputError(rule, ", ".join(others), "drop or rename it")
        for row in range(len(self.table)):
            winner, loser = (self._read_design(row, side) for side in sides)
            yield self._make_preference(row, winner, loser, self._read_tie(row))

    def read_ranking(self) -> Iterator[Preferred]:
        """Read one design per row, and compare it with the next of its ranking."""
        columns = {name: name for name in self.table.columns if name not in ("rank", "ranking")}
        ranks = self.table.numbers("rank")
        groups: dict[Any, list[int]] = {}
        for row in range(len(self.table)):
            group = self.cells["ranking"][row] if "ranking" in self.table.columns else None
            groups.setdefault(group, []).append(row)
        for rows in groups.values():
            rows.sort(key=lambda row: float(ranks[row]))
            for better, worse in pairwise(rows):
                winner, loser = (self._read_design(row, columns) for row in (better, worse))
                yield self._make_preference(worse, winner, loser, bool(ranks[better] == ranks[worse]))

    def _find_columns(self, side: str) -> dict[str, str]:
        """Return the columns of the winner's or the loser's parameters, by name of the parameter."""
        table, space = self.table, self.space
        if isinstance(space, Catalogue) and side in table.columns:
            return {space.key: side}
        found = {name.removeprefix(f"{side}."): name for name in table.columns if name.startswith(f"{side}.")}
        if not found:
            example = side if isinstance(space, Catalogue) else f"{side}.{next(iter(self.choices))}"
            rule = f"a table of comparisons must have columns for the {side}, such as {example}, or a column rank"
            raise InputError(rule, ", ".join(table.columns), "rename the columns")
        return found

    def _read_design(self, row: int, columns: Mapping[str, str]) -> Design:
        cells = {name: self.cells[column][row] for name, column in columns.items()}
        try:
            # Text files cannot distinguish 7 from "7", nor true from "true".
            return self.space.check({name: self._parse_choice(name, cell) for name, cell in cells.items()})
        except InputError as error:
            raise error.about(self._format_place(row)) from error

    def _parse_choice(self, name: str, cell: Any) -> Any:
        choices = self.choices.get(name)
        return choices.get(_normalise_text(cell), cell) if choices and cell is not None else cell

    def _make_preference(self, row: int, winner: Design, loser: Design, tie: bool) -> Preferred:
        if np.array_equal(self.space.locate(winner), self.space.locate(loser)):
            rule = f"{self._format_place(row)}: the two designs of a comparison must differ"
            raise InputError(rule, f"{winner} and {loser}", "leave this comparison out")
        return Preferred(winner, loser, tie)

    def _read_tie(self, row: int) -> bool:
        word = _normalise_text(self.cells["tie"][row]) if "tie" in self.table.columns else ""
        if word not in _BOOLEANS and word not in _EMPTY:
            self.table.raise_cell_error(row, "tie", "must be true or false")
        return _BOOLEANS.get(word, False)

    def _format_place(self, row: int) -> str:
        return f"{self.table.noun} {self.table.lines[row]}"


def _normalise_text(cell: object) -> str:
    return str(cell).strip().lower()


def index_choices(space: DesignSpace) -> dict[str, dict[str, Any]]:
    """For each parameter, or column of a catalogue, map texts to the value that they denote, if it is unambiguous."""
    if isinstance(space, Space):
        return {name: _index_parameter(parameter) for name, parameter in space.parameters.items()}
    if isinstance(space, Catalogue):
        return {space.key: _index_unambiguous(space.keys)}
    return {}


def _index_parameter(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Boolean):
        return dict(_BOOLEANS)
    return _index_unambiguous(parameter.values) if isinstance(parameter, Categorical | Ordinal) else {}


def _index_unambiguous(values: Iterable[Any]) -> dict[str, Any]:
    words: dict[str, list[Any]] = {}
    for value in values:
        words.setdefault(_normalise_text(value), []).append(value)
    return {word: meant[0] for word, meant in words.items() if len(meant) == 1}
