"""Catalogues: designs from a list, such as molecules, recipes or products."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.row_index import RowIndex, find_distinct_rows
from anchorpbo.numerics.validation import as_floats, as_generator, as_integer, freeze
from anchorpbo.space.base import Columns, Design, DesignSpace
from anchorpbo.space.column_roles import (
    as_names,
    check_columns,
    check_roles,
    find_identifiers,
    find_numeric,
    find_repeat,
)
from anchorpbo.space.fingerprints import as_fingerprints
from anchorpbo.space.subset_selection import MAX_SUBSET_ROWS, farthest_points
from anchorpbo.space.table import Column, Table, as_cell, get_cell, get_cells, hash_columns
from anchorpbo.space.table_files import SupportsRead
from anchorpbo.space.values import format_call, short_repr
from anchorpbo.typing import Array, BoolArray, IntArray

_ITEM = "item"
"""Name of the column of row numbers that is added if no column identifies the items."""


class Catalogue(DesignSpace):
    """A list of items, whose similarity is given by features, categories and a fingerprint.

    An item is a dict of all its columns except the fingerprint; columns without a role are only shown. An item can be
    given by its key, or by any columns that no other item shares. Items with equal coordinates are one design to the
    model, and `decode` returns the first of them. Immutable and thread-safe.

    Parameters
    ----------
    records
        The items: a list of dicts, or a `Table`.
    features
        Columns of numbers, scaled to [0, 1]. By default all columns that contain only numbers, except the key, or none
        if there is a fingerprint; a column with half numbers or more, but not only numbers, is then an error.
    categories
        Columns whose values are equal or different.
    fingerprint
        One column of bit strings (``"0110"``) or of lists of counts, or several columns of one bit or count each.
    key
        The column that identifies an item. By default the first column, other than the features, whose cells all
        differ, or else a new column ``"item"`` of numbers from 0. If `features` is ``None`` as well, a column called
        id, key, item, name, nr, number or something_id whose cells all differ takes precedence, and is not a feature.

    Examples
    --------
    >>> beans = [{"bean": "Kenya", "acidity": 8, "body": 3}, {"bean": "Brazil", "acidity": 4, "body": 7}]
    >>> catalogue = Catalogue(beans)
    >>> catalogue.encode({"bean": "Kenya"})
    array([1., 0.])
    >>> catalogue.decode(np.array([0.0, 1.0]))
    {'bean': 'Brazil', 'acidity': 4, 'body': 7}
    """

    def __init__(
        self,
        records: Table | Iterable[Mapping[str, Any]],
        features: Sequence[str] | None = None,
        categories: Sequence[str] = (),
        fingerprint: str | Sequence[str] | None = None,
        key: str | None = None,
    ) -> None:
        if isinstance(records, Sized) and not len(records):
            received = (
                "only the names of columns" if isinstance(records, Table) else f"an empty {type(records).__name__}"
            )
            raise InputError("a catalogue must have rows", received, "give one row per item")
        table = records if isinstance(records, Table) else Table.from_records(records)
        self._categories = check_columns("categories", categories, table)
        self._fingerprint = check_columns("fingerprint", fingerprint, table)
        called = (
            find_identifiers(table, {*self._categories, *self._fingerprint}) if features is None and key is None else ()
        )
        self._features = check_columns("features", self._choose_features(table, features, {key, *called}), table)
        check_roles(self._features, self._categories, self._fingerprint, table)
        self._points = freeze(self._encode_items(table))
        self._table, self._key = self._find_key(table, called[0] if called else key)
        if len(self.candidates) < 2:
            rule = "a catalogue must have at least two items that differ in their features"
            raise InputError(rule, f"{len(self)} items, {len(self.candidates)} distinct", "add items or features")

    # -- construction --------------------------------------------------------------------------------------------------

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str] | SupportsRead,
        features: Sequence[str] | None = None,
        categories: Sequence[str] = (),
        fingerprint: str | Sequence[str] | None = None,
        key: str | None = None,
        delimiter: str | None = None,
    ) -> Catalogue:
        """Read a CSV file, given by its path or open; by default guess the delimiter among , ; | and tab."""
        # A column of bit strings must not be read as large numbers.
        as_text = as_names(fingerprint) if len(as_names(fingerprint)) == 1 else ()
        return cls(Table.from_csv(path, delimiter, as_text), features, categories, fingerprint, key)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        features: Sequence[str] | None = None,
        categories: Sequence[str] = (),
        fingerprint: str | Sequence[str] | None = None,
        key: str | None = None,
    ) -> Catalogue:
        """Create a catalogue from a pandas or polars data frame; the index of a pandas frame is left out."""
        return cls(Table.from_frame(frame), features, categories, fingerprint, key)

    @classmethod
    def from_records(
        cls,
        records: Iterable[Mapping[str, Any]],
        features: Sequence[str] | None = None,
        categories: Sequence[str] = (),
        fingerprint: str | Sequence[str] | None = None,
        key: str | None = None,
    ) -> Catalogue:
        """Create a catalogue from a list of dicts."""
        return cls(records, features, categories, fingerprint, key)

    # -- properties ----------------------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """The column that identifies an item."""
        return self._key

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """Features, categories and the fingerprint; the other columns, except the key, are only shown."""
        used = {*self._features, *self._categories, self._key}
        return {
            "features": self._features,
            "categories": self._categories,
            "fingerprint": self._fingerprint,
            "shown": tuple(name for name in self.names if name not in used),
        }

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Columns of an item, in the order of the file."""
        return tuple(name for name in self._table.columns if name not in self._fingerprint)

    @property
    def items(self) -> list[Design]:
        """All items."""
        columns = [get_cells(self._table.columns[name]) for name in self.names]
        return [dict(zip(self.names, cells, strict=True)) for cells in zip(*columns, strict=True)]

    @property
    def points(self) -> Array:
        """Coordinates of all items, (n, d), including equal ones."""
        return self._points

    def __len__(self) -> int:
        """Items."""
        return len(self._table)

    def __getitem__(self, row: int) -> Design:
        """Return an item by its row number."""
        return {name: get_cell(self._table.columns[name], row) for name in self.names}

    @property
    def dimension(self) -> int:
        """Number of coordinates, d: features, categories and bits of the fingerprint, in this order."""
        return int(self._points.shape[1])

    @cached_property
    def columns(self) -> Columns:
        """Kinds of the coordinates; features are numeric."""
        first, second = len(self._features), len(self._features) + len(self._categories)
        return Columns(tuple(range(first)), tuple(range(first, second)), tuple(range(second, self.dimension)))

    @cached_property
    def candidates(self) -> Array:
        """The distinct coordinates, (n, d), in order of first appearance."""
        rows = self._first_rows
        return self._points if len(rows) == len(self._points) else freeze(self._points[rows])

    @property
    def region(self) -> None:
        """``None``: the only designs are the items."""
        return

    # -- designs -------------------------------------------------------------------------------------------------------

    def check(self, design: Mapping[str, Any]) -> Design:
        """Return the complete item that some of its columns identify."""
        return self[self._find(design)]

    def encode(self, design: Mapping[str, Any]) -> Array:
        """Return the coordinates, (d,), of the item that some of its columns identify."""
        return np.array(self._points[self._find(design)])

    def locate(self, design: Mapping[str, Any]) -> Array:
        """Return the coordinates, (d,), of an item that has passed `check`."""
        return np.array(self._points[self._keys[design[self._key]]])

    def decode(self, x: Array) -> Design:
        """Return the first item with coordinates x, (d,)."""
        return self[int(self._first_rows[self._nearest(x)])]

    def nearest(self, x: Array) -> Array:
        """Return the coordinates, (d,), of the item at the smallest Euclidean distance from x; the first of several."""
        return np.array(self.candidates[self._nearest(x)])

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Return distinct items, (n, d), far from one another; fewer only if there are fewer."""
        n, rng = as_integer("n", n, 0), as_generator(rng)
        order = rng.permutation(len(self.candidates))
        if n >= min(MAX_SUBSET_ROWS, len(order)):
            return self.candidates[order[:n]]
        # For a long list, the farthest of 2,000 random items are far apart as well, at a fraction of the cost.
        some = self.candidates[order[:MAX_SUBSET_ROWS]]
        return some[[0, *farthest_points(some, n - 1, self.columns, [0])]] if n else some[:0]

    # -- serialisation -------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the catalogue as JSON data; `space_from_dict` reads it."""
        columns = self._table.columns.items()
        return {
            "kind": "catalogue",
            "columns": [{"name": name, "values": list(get_cells(column))} for name, column in columns],
            "features": list(self._features),
            "categories": list(self._categories),
            "fingerprint": list(self._fingerprint),
            "key": self._key,
        }

    @cached_property
    def digest(self) -> str:
        """Digest of the content, computed without writing all of it as text."""
        roles = [self._features, self._categories, self._fingerprint, self._key]
        return hash_columns(self._table.columns, json.dumps(roles))

    @property
    def keys(self) -> Sequence[Any]:
        """The key of each item."""
        return get_cells(self._table.columns[self._key])

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Catalogue) else NotImplemented

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __repr__(self) -> str:
        size = f"{len(self)} items" + f", {len(self.candidates)} distinct" * (len(self.candidates) < len(self))
        named = [f"{role}={short_repr(names)}" for role, names in self.roles.items() if names]
        return format_call("Catalogue(", [size, f"key={self._key!r}", *named], ")")

    def _repr_html_(self) -> str:
        from anchorpbo.space.html import catalogue_html

        return catalogue_html(self)

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _choose_features(
        self, table: Table, features: Sequence[str] | None, keys: Collection[str | None]
    ) -> tuple[str, ...]:
        if features is not None:
            return as_names(features)
        return () if self._fingerprint else find_numeric(table, {name for name in keys if name} | {*self._categories})

    def _find_key(self, table: Table, key: str | None) -> tuple[Table, str]:
        """Return the table, with a key column added if it lacks one, and the name of the key."""
        if key is not None:
            (key,) = check_columns("key", (key,), table)
            twice = find_repeat(table, key)
            if twice is not None:
                table.raise_cell_error(twice, key, "must differ from all others, as it is the key")
            return table, key
        for name in table.columns:
            if name not in {*self._features, *self._fingerprint} and find_repeat(table, name) is None:
                return table, name
        if _ITEM in table.columns:
            rule = f"the column {_ITEM!r} must identify all items if no other does"
            raise InputError(rule, "equal or empty cells in it", "rename it, or give a key")
        numbered = {_ITEM: freeze(np.arange(len(table))), **table.columns}
        return replace(table, columns=numbered), _ITEM

    def _encode_items(self, table: Table) -> Array:
        blocks = [_scale_feature(table, name) for name in self._features]
        blocks += [_code_category(table, name) for name in self._categories]
        if self._features and len(table) > 1 and not any(block.any() for block in blocks[: len(self._features)]):
            rule = "at least one feature must vary"
            raise InputError(rule, f"equal values in {', '.join(map(repr, self._features))}", "choose other features")
        parts = [np.stack(blocks, axis=1)] if blocks else []
        if self._fingerprint:
            parts.append(as_fingerprints(table, self._fingerprint))
        found = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        found += 0.0  # turns -0.0 into 0.0, so that both are one coordinate
        return found

    @cached_property
    def _first_rows(self) -> IntArray:
        """Row number of the first item with each of the distinct coordinates."""
        return find_distinct_rows(self._points)[0]

    @cached_property
    def _places(self) -> RowIndex:
        return RowIndex(self.candidates)

    def _nearest(self, x: Array) -> int:
        """Return the row of `candidates` at the smallest distance from x, (d,)."""
        point = as_floats("x", x) + 0.0
        if point.shape != (self.dimension,):
            raise ShapeError(f"x must have shape ({self.dimension},)", point.shape, "give one design")
        place = self._places.find(point)
        return int(((self.candidates - point) ** 2).sum(axis=1).argmin()) if place is None else place

    @cached_property
    def _keys(self) -> dict[Any, int]:
        return {value: row for row, value in enumerate(self.keys)}

    def _find(self, design: Mapping[str, Any]) -> int:
        """Return the row number of the item that a design identifies."""
        if not isinstance(design, Mapping) or not design:
            example = f"give {{{self._key!r}: {get_cell(self._table.columns[self._key], 0)!r}}}, for example"
            raise InputError("an item must have some of its columns by name", repr(design), example)
        for name in design:
            if name not in self.names:
                rule = f"an item must have the columns {', '.join(map(repr, self.names))}"
                raise InputError(rule, repr(name), "check the spelling")
        return self._find_by_key(design) if self._key in design else self._find_by_columns(design)

    def _find_by_key(self, design: Mapping[str, Any]) -> int:
        """Return the row number of the item with the key of a design; raise if another given value differs."""
        row = self._keys.get(as_cell(design[self._key]))
        if row is None:
            rule = f"{self._key} must match an item"
            raise InputError(rule, repr(design[self._key]), "check the spelling")
        for name, value in design.items():
            if not _same(get_cell(self._table.columns[name], row), as_cell(value)):
                raise self._mismatch_error(design, name, np.array([row]))
        return row

    def _find_by_columns(self, design: Mapping[str, Any]) -> int:
        """Return the first item with the given values; raise unless all such items have the same coordinates."""
        rows = np.arange(len(self))
        for name, value in design.items():
            fewer = self._match_rows(rows, name, as_cell(value))
            if not len(fewer):
                raise self._mismatch_error(design, name, rows)
            rows = fewer
        if (self._points[rows] != self._points[rows[0]]).any():
            rule = f"a design must identify one item; {len(rows)} items match"
            raise InputError(rule, repr(dict(design)), f"give its {self._key!r}")
        return int(rows[0])

    def _match_rows(self, rows: IntArray, name: str, value: object) -> IntArray:
        column = self._table.columns[name]
        if isinstance(column, np.ndarray):
            fits = isinstance(value, int | float) and not isinstance(value, bool)
            return rows[_equal(column[rows], value)] if fits else rows[:0]
        same = [_same(column[row], value) for row in rows]
        return rows[np.array(same, dtype=np.bool_)]

    def _mismatch_error(self, design: Mapping[str, Any], name: str, rows: IntArray) -> InputError:
        if self._key in design:
            rule = f"{name} of {design[self._key]!r} must be {get_cell(self._table.columns[name], int(rows[0]))!r}"
            return InputError(rule, repr(design[name]), f"correct one of the two, or give only {self._key!r}")
        rest = "" if len(rows) == len(self) else " with the other values given"
        rule = f"{name} must match an item{rest}"
        return InputError(rule, repr(design[name]), f"check it, or give {self._key!r}")


def _same(cell: Any, value: object) -> bool:
    """Return whether a cell equals a value; a bool equals neither 0 nor 1."""
    return bool(cell == value) and isinstance(cell, bool) == isinstance(value, bool)


def _equal(column: Column, value: Any) -> BoolArray:
    """Return where a column of numbers equals a value, (n,)."""
    try:
        return np.asarray(column == value, dtype=np.bool_)
    except OverflowError:  # an integer too large for a double
        return np.zeros(len(column), dtype=np.bool_)


def _scale_feature(table: Table, name: str) -> Array:
    """Return a feature, (n,), scaled from 0 at its minimum to 1 at its maximum; 0 if all values are equal."""
    values = table.numbers(name, "or make the column a category")
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if not math.isfinite(high - low):
        raise InputError(f"the range of {name!r} must be finite", f"{low} to {high}", "choose a larger unit")
    return (values - low) / (high - low) if high > low else np.zeros(len(values))


def _code_category(table: Table, name: str) -> Array:
    """Return a category, (n,), numbered in order of first appearance and scaled from 0 to 1."""
    values = get_cells(table.columns[name])
    codes: dict[Any, int] = {}
    for row, value in enumerate(values):
        if value is None or value == "":
            remedy = "fill it in, with 'none' for instance"
            table.raise_cell_error(row, name, "must be filled in, as it is a category", remedy)
        codes.setdefault(value, len(codes))
    return np.array([codes[value] for value in values], dtype=np.float64) / max(len(codes) - 1, 1)
