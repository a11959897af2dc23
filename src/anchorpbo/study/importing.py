"""Comparisons from elsewhere: a CSV file, a data frame or records, one row a comparison or one row a ranked design.

::

    winner, loser                       items of a catalogue, by the values of its key column
    winner.dose, loser.dose, ...        parameters of a space, or columns of a catalogue, one pair of columns each
    tie                                 optional: whether the two were found equal instead

    rank                                of a ranking: 1 is best, equal ranks are ties
    ranking                             optional: which ranking a row belongs to, where there are several
    dose, ...                           the ranked design, by its parameters, or by the key of a catalogue

A ranking of k designs gives k - 1 comparisons, of each design with the next: the others follow from these, and would
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

MOST_CELLS = 5_000_000
"""Largest number of cells in a table whose comparisons are limited."""
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_EMPTY = ("", "none")


def comparisons(source: Any, space: DesignSpace, most: int | None = None) -> list[Preferred]:
    """All comparisons of a table, in its order, every design checked; see the head of this module.

    Parameters
    ----------
    source
        A CSV file, by its path or open, a pandas or polars data frame, or a list of dicts.
    space
        Where the designs come from.
    most
        Comparisons that there may be; a longer table is refused while it is read.
    """
    reader = _Reader(_table(source, most), space)
    found = []
    for one in reader.ranked() if "rank" in reader.table.columns else reader.paired():
        found.append(one)
        if most is not None and len(found) > most:
            raise _too_many(most, len(reader.table))
    if not found:
        raise InputError("a table of comparisons must hold at least one", f"{len(reader.table)} rows", "add some")
    return found


def _too_many(most: int, rows: int) -> InputError:
    return InputError(f"a table must have at most {most:,} comparisons", f"{rows:,} rows or more", "choose the latest")


def _table(source: Any, most: int | None) -> Table:
    def check_size(rows: int, columns: int) -> None:
        # A ranking has one row more than comparisons; where each is of two designs, there are twice as many rows.
        if most is not None and rows > 2 * most:
            raise _too_many(most, rows)
        if most is not None and rows * columns > MOST_CELLS:
            rule = f"a table of comparisons must have at most {MOST_CELLS:,} cells"
            raise InputError(rule, f"{columns:,} columns and {rows:,} rows or more", "leave out other columns")

    if isinstance(source, str | PathLike) or hasattr(source, "read"):
        return Table.from_csv(source, check_size=check_size)
    if isinstance(source, list | tuple):
        return Table.from_records([_flat(record) for record in source])
    try:
        return Table.from_frame(source)
    except InputError as problem:
        rule = "comparisons must be the path of a CSV file, a data frame or a list of dicts"
        raise InputError(rule, repr(source), "give one of these") from problem


def _flat(record: Any) -> Any:
    """A record whose cells may be designs, ``{"winner": {"dose": 15}, ...}``, as ``{"winner.dose": 15, ...}``."""
    if not isinstance(record, Mapping):
        return record
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        flat |= {f"{name}.{key}": value for key, value in cell.items()} if isinstance(cell, Mapping) else {name: cell}
    return flat


class _Reader:
    """A table, and the space its designs come from."""

    def __init__(self, table: Table, space: DesignSpace) -> None:
        self.table, self.space = table, space
        self.cells = {name: get_cells(column) for name, column in table.columns.items()}
        self.choices = choices_of(space)

    def paired(self) -> Iterator[Preferred]:
        """One comparison a row."""
        sides = [self._columns(side) for side in ("winner", "loser")]
        known = {"tie", *(name for side in sides for name in side.values())}
        others = [name for name in self.table.columns if name not in known]
        if others:
            rule = "every column of a table of comparisons must have a meaning: winner, loser or tie"
            raise InputError(rule, ", ".join(others), "drop or rename it")
        for row in range(len(self.table)):
            winner, loser = (self._design(row, side) for side in sides)
            yield self._compared(row, winner, loser, self._tie(row))

    def ranked(self) -> Iterator[Preferred]:
        """One design a row, compared with the next of its ranking."""
        columns = {name: name for name in self.table.columns if name not in ("rank", "ranking")}
        ranks = self.table.numbers("rank")
        groups: dict[Any, list[int]] = {}
        for row in range(len(self.table)):
            group = self.cells["ranking"][row] if "ranking" in self.table.columns else None
            groups.setdefault(group, []).append(row)
        for rows in groups.values():
            rows.sort(key=lambda row: float(ranks[row]))
            for better, worse in pairwise(rows):
                winner, loser = (self._design(row, columns) for row in (better, worse))
                yield self._compared(worse, winner, loser, bool(ranks[better] == ranks[worse]))

    def _columns(self, side: str) -> dict[str, str]:
        """Names of parameters and the columns that hold them, for the winner or the loser."""
        table, space = self.table, self.space
        if isinstance(space, Catalogue) and side in table.columns:
            return {space.key: side}
        found = {name.removeprefix(f"{side}."): name for name in table.columns if name.startswith(f"{side}.")}
        if not found:
            example = side if isinstance(space, Catalogue) else f"{side}.{next(iter(self.choices))}"
            rule = f"a table of comparisons must have columns for the {side}, such as {example}, or a column rank"
            raise InputError(rule, ", ".join(table.columns), "rename the columns")
        return found

    def _design(self, row: int, columns: Mapping[str, str]) -> Design:
        cells = {name: self.cells[column][row] for name, column in columns.items()}
        try:
            # Text files cannot tell 7 from "7", nor true from "true".
            return self.space.check({name: self._choice(name, cell) for name, cell in cells.items()})
        except InputError as problem:
            raise InputError(f"{self._place(row)}: {problem.rule}", problem.received, problem.remedy) from problem

    def _choice(self, name: str, cell: Any) -> Any:
        choices = self.choices.get(name)
        return choices.get(_word(cell), cell) if choices and cell is not None else cell

    def _compared(self, row: int, winner: Design, loser: Design, tie: bool) -> Preferred:
        if np.array_equal(self.space.locate(winner), self.space.locate(loser)):
            rule = f"{self._place(row)}: the two designs of a comparison must differ"
            raise InputError(rule, f"{winner} and {loser}", "leave this comparison out")
        return Preferred(winner, loser, tie)

    def _tie(self, row: int) -> bool:
        word = _word(self.cells["tie"][row]) if "tie" in self.table.columns else ""
        if word not in _TRUTHS and word not in _EMPTY:
            self.table.refuse(row, "tie", "must be true or false")
        return _TRUTHS.get(word, False)

    def _place(self, row: int) -> str:
        return f"{self.table.noun} {self.table.lines[row]}"


def _word(cell: object) -> str:
    return str(cell).strip().lower()


def choices_of(space: DesignSpace) -> dict[str, dict[str, Any]]:
    """For each parameter, or column of a catalogue, the values a word can stand for without doubt."""
    if isinstance(space, Space):
        return {name: _values(parameter) for name, parameter in space.parameters.items()}
    if isinstance(space, Catalogue):
        return {space.key: _unambiguous(space.keys)}
    return {}


def _values(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Boolean):
        return dict(_TRUTHS)
    return _unambiguous(parameter.values) if isinstance(parameter, Categorical | Ordinal) else {}


def _unambiguous(values: Iterable[Any]) -> dict[str, Any]:
    words: dict[str, list[Any]] = {}
    for value in values:
        words.setdefault(_word(value), []).append(value)
    return {word: meant[0] for word, meant in words.items() if len(meant) == 1}
