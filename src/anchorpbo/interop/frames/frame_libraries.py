"""Libraries of data frames: creating a frame, and adding columns to it.

A column is an array, or a list of Python values with None for an empty cell. A library is imported only to create a
frame; if a user passes a frame, its library is imported already.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, UnknownNameError, UnsupportedError
from anchorpbo.space.table import Table
from anchorpbo.typing import Array

LibraryName = Literal["pandas", "polars", "pyarrow"]
Cells = npt.NDArray[Any] | Sequence[Any]
"""Cells of one column."""


class FrameLibrary(ABC):
    """Interface to a library of data frames."""

    name: ClassVar[str]
    frame_name: ClassVar[str]
    """Name of the library's frame class."""
    one_type: ClassVar[bool] = True
    """Whether a column has one type, so that mixed values are written as text."""

    def load(self) -> Any:
        """Return the imported library; raise `UnsupportedError` if it is not installed."""
        try:
            return import_module(self.name)
        except ModuleNotFoundError as error:
            remedy = f"pip install {self.name}, or choose another library"
            raise UnsupportedError(f"a frame of {self.name} needs {self.name}", remedy=remedy) from error

    def is_frame(self, value: object) -> bool:
        """Return whether a value is a frame of this library."""
        loaded = sys.modules.get(self.name)
        return loaded is not None and isinstance(value, getattr(loaded, self.frame_name))

    @abstractmethod
    def make_frame(self, columns: Mapping[str, Cells]) -> Any:
        """Return a frame of columns."""

    @abstractmethod
    def add_columns(self, frame: Any, columns: Mapping[str, Array]) -> Any:
        """Return a copy of a frame with more columns at its end."""


class Pandas(FrameLibrary):
    """The library pandas; rows keep their index."""

    name, frame_name, one_type = "pandas", "DataFrame", False

    def make_frame(self, columns: Mapping[str, Cells]) -> Any:
        """Return a frame of columns; columns with empty cells have nullable types."""
        pandas = self.load()
        return pandas.DataFrame({name: self._series(pandas, cells) for name, cells in columns.items()})

    def add_columns(self, frame: Any, columns: Mapping[str, Array]) -> Any:
        """Return a copy with more columns."""
        return frame.assign(**columns)

    def _series(self, pandas: Any, cells: Cells) -> Any:
        kinds = {type(cell) for cell in cells if cell is not None} if isinstance(cells, Sequence) else set()
        with_gaps = kinds and any(cell is None for cell in cells)
        # By default, pandas converts integers with gaps to floats, and Booleans with gaps to objects.
        dtype = {int: "Int64", bool: "boolean"}.get(next(iter(kinds))) if with_gaps and len(kinds) == 1 else None
        return pandas.Series(cells, dtype="object" if len(kinds) > 1 else dtype)


class Polars(FrameLibrary):
    """The library polars; its columns have one type."""

    name, frame_name = "polars", "DataFrame"

    def make_frame(self, columns: Mapping[str, Cells]) -> Any:
        """Return a frame of columns."""
        return self.load().DataFrame({name: unify_types(cells) for name, cells in columns.items()})

    def add_columns(self, frame: Any, columns: Mapping[str, Array]) -> Any:
        """Return a copy with more columns."""
        polars = self.load()
        return frame.with_columns([polars.Series(name, values) for name, values in columns.items()])


class PyArrow(FrameLibrary):
    """The library pyarrow; the columns of its tables have one type."""

    name, frame_name = "pyarrow", "Table"

    def make_frame(self, columns: Mapping[str, Cells]) -> Any:
        """Return a table of columns."""
        return self.load().table({name: unify_types(cells) for name, cells in columns.items()})

    def add_columns(self, frame: Any, columns: Mapping[str, Array]) -> Any:
        """Return a copy with more columns."""
        for name, values in columns.items():
            frame = frame.append_column(name, [self.load().array(values)])
        return frame


FRAME_LIBRARIES: dict[str, FrameLibrary] = {library.name: library for library in (Pandas(), Polars(), PyArrow())}


def get_library(name: str) -> FrameLibrary:
    """Return the library with this name."""
    if not isinstance(name, str) or name not in FRAME_LIBRARIES:
        raise UnknownNameError.of("library", name, FRAME_LIBRARIES)
    return FRAME_LIBRARIES[name]


def detect_library(frame: object) -> FrameLibrary:
    """Return the library of a frame."""
    for library in FRAME_LIBRARIES.values():
        if library.is_frame(frame):
            return library
    remedy = "collect it first" if type(frame).__name__ == "LazyFrame" else "convert it, as in pandas.DataFrame(it)"
    rule = "a frame must be a DataFrame of pandas or polars, or a Table of pyarrow"
    raise InputError(rule, f"{type(frame).__module__}.{type(frame).__name__}", remedy)


def as_table(frame: object) -> Table:
    """Return the columns of a frame of any library, or of an object with Arrow's PyCapsule interface."""
    known = any(library.is_frame(frame) for library in FRAME_LIBRARIES.values())
    if not known and hasattr(frame, "__arrow_c_stream__"):
        frame = _from_arrow(frame)
    detect_library(frame)  # raises an error with a remedy
    return Table.from_frame(frame)


def _from_arrow(stream: object) -> Any:
    """Return a frame of an object with Arrow's PyCapsule interface, such as a result of DuckDB."""
    for name, make in (("pyarrow", "table"), ("polars", "DataFrame")):
        if find_spec(name) is not None:
            return getattr(import_module(name), make)(stream)
    raise UnsupportedError("Arrow data needs a library to read it", type(stream).__name__, "pip install pyarrow")


def unify_types(cells: Cells) -> Cells:
    """Return the values, converted to text if they have several types."""
    if isinstance(cells, np.ndarray):
        return cells
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        return cells
    return [None if cell is None else str(cell) for cell in cells]
