"""Tables: named columns of values, from a CSV file, a data frame or a list of dicts.

A column is an integer array if all cells are integers, a float array if all are numbers, and otherwise a tuple of plain
Python values, with None for an empty cell. So 100,000 rows of 50 columns take seconds to read and little memory.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import numbers
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import freeze
from anchorpbo.space.table_files import SupportsRead, describe_source, read_text
from anchorpbo.space.values import to_python
from anchorpbo.typing import Array

Column: TypeAlias = npt.NDArray[np.int64] | Array | tuple[Any, ...]
"""Values of one column, in the order of the rows."""

_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DIGIT_CODE = re.compile(r"0\d+", re.ASCII)  # codes such as 007 are text
_DECIMAL_COMMA = re.compile(r"[+-]?\d+(?:\.\d{3})*,\d+", re.ASCII)
_CHUNK_CELLS = 1_000
"""Number of cells written as JSON at a time, so that a long column is never held as text."""
_CELL_TYPES = {str, int, bool, type(None)}
_COMMA_NUMBER = re.compile(r"[+-]?\d+(,\d+)?", re.ASCII)
_MISSING_TYPES = {
    "NAType",
    "NaTType",
}  # empty cells of pandas besides NaN; pandas need not be installed


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length."""

    columns: Mapping[str, Column]
    lines: Sequence[int]
    """Origin of each row: its line in a file, or its number."""
    noun: str = "row"
    """Unit that `lines` counts."""
    encoding: str = "utf-8"
    """Encoding of the file: ``utf-8``, ``utf-16``, ``utf-32`` or ``cp1252``."""
    holds_text: bool = False
    """Whether the cells come from a text file, which cannot distinguish 7 from "7"."""

    def __len__(self) -> int:
        return len(self.lines)

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str] | SupportsRead,
        delimiter: str | None = None,
        as_text: Collection[str] = (),
        check_size: Callable[[int, int], None] = lambda rows, columns: None,
    ) -> Table:
        """Read a CSV file whose first line has the names; the columns `as_text` are not converted to numbers.

        The file is in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252. After each row, `check_size` is
        called with the number of rows and columns so far, and may raise.
        """
        if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
            raise InputError("delimiter must be a single character", repr(delimiter), "leave it out to have it guessed")
        text, encoding = read_text(path)
        with io.StringIO(text, newline="") as file:
            header = _check_header(path, file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter or _guess_delimiter(header), skipinitialspace=True)
            try:
                names = _check_names([name.strip() for name in next(reader)])
            except csv.Error as error:
                raise InputError("a table must be CSV", f"{error} in its first line", "save it again") from error
            rows, lines = _read_rows(reader, len(names), check_size)
        cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        # If commas mark decimals, as in Excel in much of Europe, semicolons separate the cells.
        comma = (delimiter or _guess_delimiter(header)) == ";"
        columns = {
            name: tuple(map(str.strip, column)) if name in as_text else _parse_column(column, comma)
            for name, column in zip(names, cells, strict=True)
        }
        return cls(columns, lines, "line", encoding, holds_text=True)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], noun: str = "row", first: int = 0) -> Table:
        """Create a table from lists of equal length by name; its rows are numbered from `first`."""
        found = {name: _make_column(values) for name, values in columns.items()}
        return cls(found, range(first, first + max(map(len, found.values()), default=0)), noun)

    @classmethod
    def from_frame(cls, frame: Any) -> Table:
        """Create a table from a pandas or polars data frame, an Arrow table, or a similar object."""
        try:
            # Looked up on the type, because a pandas frame has an attribute for each of its columns.
            called = list(frame.column_names if hasattr(type(frame), "column_names") else frame.columns)
            names = _check_names([str(name) for name in called])
            columns = {str(name): _make_column(_as_list(frame[name])) for name in called}
        except (AttributeError, KeyError, TypeError) as error:
            rule = "a data frame must have columns and return each by name, as in pandas and polars"
            raise InputError(rule, type(frame).__name__, "use from_records for a list of dicts") from error
        return cls(columns, range(len(columns[names[0]])))

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> Table:
        """Create a table from a list of dicts; a missing name is an empty cell."""
        if isinstance(records, str | PathLike | Mapping) or not isinstance(records, Iterable):
            remedy = "use from_csv for a file" if isinstance(records, str | PathLike) else "give one dict per row"
            raise InputError("items must be a list of dicts", repr(records), remedy)
        if hasattr(records, "columns"):
            raise InputError("items must be a list of dicts", type(records).__name__, "use from_frame for a data frame")
        rows = list(records)
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise InputError("items must be a list of dicts", f"{row!r} in row {number}", "give one dict per row")
        if not rows:
            raise InputError("a table must have at least one row", "an empty list", "give one dict per row")
        keys = list(dict.fromkeys(key for row in rows for key in row))
        names = _check_names([str(key) for key in keys])
        cells = {name: _make_column([row.get(key) for row in rows]) for name, key in zip(names, keys, strict=True)}
        return cls(cells, range(len(rows)))

    def numbers(self, name: str, also: str = "") -> Array:
        """Return a column of finite numbers, (n,); raise for the first other cell; `also` ends the remedy."""
        column = self.columns[name]
        if isinstance(column, np.ndarray):
            values = np.array(column, dtype=np.float64)
        else:
            read = _parse_number if self.holds_text else _to_number
            values = np.array([read(cell) for cell in column], dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            self.raise_number_error(int(wrong[0]), name, "must be a finite number", also)
        return values

    def find_non_number(self, name: str) -> int | None:
        """Return the first non-numeric row of a mostly numeric column, or ``None``."""
        column = self.columns[name]
        if isinstance(column, np.ndarray):
            return None
        fine = [self._is_number(cell) for cell in column]
        meant = sum(fine) + sum(isinstance(cell, str) and bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in column)
        return fine.index(False) if 2 * meant >= len(column) and not all(fine) else None

    def is_number_text(self, name: str) -> bool:
        """Return whether all cells of a column of records are numbers written as text."""
        column = self.columns[name]
        return not self.holds_text and all(isinstance(cell, str) and _is_number_text(cell) for cell in column)

    def raise_cell_error(self, row: int, name: str, rule: str, remedy: str = "") -> NoReturn:
        """Raise an error about one cell."""
        cell = get_cell(self.columns[name], row)
        empty = cell is None or cell == ""
        remedy = remedy or ("fill it in, or leave out the row" if empty else "correct it")
        received = "an empty cell" if empty else repr(cell)
        field = f"columns.{list(self.columns).index(name)}.values.{row}"
        rule = f"{name!r} in {self.noun} {self.lines[row]} {rule}"
        raise InputError(rule, received, remedy, value=cell, field=field)

    def raise_number_error(self, row: int, name: str, rule: str, also: str = "") -> NoReturn:
        """Raise an error about a cell that is not a number; `also` is a further remedy."""
        cell = get_cell(self.columns[name], row)
        remedy = "fill it in, or leave out the row" if cell is None or cell == "" else "correct it"
        if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()):
            remedy = "write numbers with a point, as in 12.5"
        elif isinstance(cell, str) and not self.holds_text and _is_number_text(cell):
            remedy = "convert it to a number"
        self.raise_cell_error(row, name, rule, f"{remedy}, {also}" if also else remedy)

    def _is_number(self, cell: object) -> bool:
        """Return whether a cell is a number, or, in a file, text that can be read as a number."""
        if isinstance(cell, str):
            return self.holds_text and _is_number_text(cell)
        return isinstance(cell, int | float) and not isinstance(cell, bool)


def get_cell(column: Column, row: int) -> Any:
    """Return one cell as a plain Python value."""
    return to_python(column[row])


def get_cells(column: Column) -> Sequence[Any]:
    """Return all cells as plain Python values."""
    return column.tolist() if isinstance(column, np.ndarray) else column


def hash_columns(columns: Mapping[str, Column], text: str = "") -> str:
    """Return a SHA-256 digest of columns and some text: numbers by their bytes, other cells as JSON."""
    digest = hashlib.sha256(text.encode())
    for name, column in columns.items():
        kind = column.dtype.kind if isinstance(column, np.ndarray) else "cells"
        digest.update(json.dumps([name, kind, len(column)]).encode())
        if isinstance(column, np.ndarray):
            digest.update(np.ascontiguousarray(column, dtype=column.dtype.newbyteorder("<")).data)
        else:
            for start in range(0, len(column), _CHUNK_CELLS):
                digest.update(json.dumps(column[start : start + _CHUNK_CELLS]).encode())
    return digest.hexdigest()


def _is_number_text(cell: str) -> bool:
    """Return whether text is a number, and not a code of digits."""
    return bool(_NUMBER.fullmatch(cell.strip())) and not _DIGIT_CODE.fullmatch(cell.strip())


def _to_number(cell: object) -> float:
    """Return a cell as a number, NaN if it is not one; bools count as 0 and 1."""
    try:
        return float(cell) if isinstance(cell, int | float) else math.nan
    except OverflowError:
        return math.nan


def _parse_number(cell: object) -> float:
    """Return a cell of a file as a number; one wrong cell has left the whole column as text."""
    try:
        return float(cell) if isinstance(cell, str) and "_" not in cell else _to_number(cell)
    except ValueError:
        return math.nan


# -- CSV ---------------------------------------------------------------------------------------------------------------


def _check_header(source: object, line: str) -> str:
    if not line.strip():
        raise InputError(
            "a table must begin with a line of column names", f"none in {describe_source(source)}", "add one"
        )
    return line


def _guess_delimiter(header: str) -> str:
    """Return the delimiter that is most frequent among the names."""
    return max(_DELIMITERS, key=header.count)


def _check_names(names: list[str]) -> list[str]:
    if not names:
        raise InputError("a table must have columns", "none", "give every row some values")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name:
            raise InputError("every column must have a name", f"none for column {i + 1}", "name it")
        if name in seen:
            raise InputError("column names must differ", f"{name!r} twice", "rename one of the two")
        seen.add(name)
    return names


def _read_rows(reader: Any, width: int, check_size: Callable[[int, int], None]) -> tuple[list[list[str]], list[int]]:
    """Return the rows that are not blank, and the line in which each ends."""
    rows: list[list[str]] = []
    lines: list[int] = []
    check_size(0, width)
    try:
        for row in reader:
            if len(row) != width:
                if not any(cell.strip() for cell in row):
                    continue
                rule = f"every line must have {width} cells, as the first one has"
                remedy = "put cells with the delimiter in them in quotes"
                raise InputError(rule, f"{len(row)} in line {reader.line_num}", remedy)
            rows.append(row)
            lines.append(reader.line_num)
            check_size(len(rows), width)
    except csv.Error as error:
        raise InputError("a table must be CSV", f"{error} in line {reader.line_num}", "save it again") from error
    return rows, lines


def _parse_column(cells: Sequence[str], comma: bool) -> Column:
    """Return integers if all cells are, else numbers, perhaps with decimal commas, else text; None for empty cells."""
    cells = list(map(str.strip, cells))
    filled = list(filter(None, cells))
    column = _parse_numbers(filled)
    if comma and isinstance(column, tuple) and all(map(_COMMA_NUMBER.fullmatch, filled)):
        column = _parse_numbers([cell.replace(",", ".") for cell in filled])
    if len(filled) == len(cells):
        return column
    found = iter(column.tolist() if isinstance(column, np.ndarray) else column)
    return tuple(next(found) if cell else None for cell in cells)


def _parse_numbers(cells: list[str]) -> Column:
    try:
        whole = list(map(int, cells))
    except ValueError:
        pass
    else:
        if list(map(str, whole)) == cells:
            return _make_column(whole)
        if any(len(cell) > 1 and cell[0] == "0" for cell in cells):  # codes such as 007 are text
            return tuple(cells)
    try:
        numbers = np.array(list(map(float, cells)))
    except ValueError:
        return tuple(cells)
    # Python parses nan, inf and 1_000 as numbers; in a file they are more likely to be text.
    return freeze(numbers) if np.isfinite(numbers).all() and "_" not in "".join(cells) else tuple(cells)


# -- values ------------------------------------------------------------------------------------------------------------


def _as_list(column: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    raise TypeError(f"a column of type {type(column).__name__}")


def _make_column(values: Sequence[Any]) -> Column:
    kinds = set(map(type, values))
    if kinds == {int} and min(values) >= -(2**63) and max(values) < 2**63:
        return freeze(np.array(values, dtype=np.int64))
    if kinds == {float}:
        numbers = np.array(values, dtype=np.float64)
        if np.isfinite(numbers).all():
            return freeze(numbers)
    if kinds <= _CELL_TYPES and kinds != {int, float}:
        return tuple(values)
    cells = tuple(map(as_cell, values))
    changed = set(map(type, cells))
    if changed == {int, float}:
        return freeze(np.array(cells, dtype=np.float64))
    return cells if changed == kinds else _make_column(cells)


def as_cell(value: Any) -> Any:
    """Convert any value to one that JSON can hold; NaN and the like to None."""
    value = to_python(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if type(value).__name__ in _MISSING_TYPES:
        return None
    if isinstance(value, numbers.Real | Decimal):  # databases return Decimal, which Python does not count as Real
        number = _as_double(value)
        # JSON has no infinity: it is kept as text, which is shown but rejected as a feature.
        return None if math.isnan(number) else number if math.isfinite(number) else str(value)
    if isinstance(value, np.ndarray):
        return as_cell(value.tolist())
    if isinstance(value, list | tuple):
        return tuple(map(as_cell, value))
    return str(value)


def _as_double(value: numbers.Real | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
