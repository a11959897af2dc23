"""Roles of the columns of a table: features, categories, fingerprint, and the key that identifies an item."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.space.table import Table, get_cells

_IDENTIFIER = re.compile(r"id|key|item|name|nr|number|.*[_ ]id", re.IGNORECASE | re.DOTALL)


def as_names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return names of columns as a tuple; a single name may be given without a list."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    if not isinstance(given, Iterable):
        raise InputError("columns must be given by name", repr(given), "give a list of names")
    return tuple(given)


def check_columns(role: str, given: str | Sequence[str] | None, table: Table) -> tuple[str, ...]:
    """Return names of columns; raise if one does not exist or is given twice."""
    names = as_names(given)
    for i, name in enumerate(names):
        if name not in table.columns:
            rule = f"{role} must be among the columns {', '.join(map(repr, table.columns))}"
            raise InputError(rule, repr(name), "check the spelling")
        if name in names[:i]:
            raise InputError(f"{role} must differ", f"{name!r} twice", "drop one of the two")
    return names


def find_identifiers(table: Table, taken: Collection[str]) -> tuple[str, ...]:
    """Find columns that are named like a key, such as id or bean_id, and whose cells all differ."""
    called = [name for name in table.columns if _IDENTIFIER.fullmatch(name.strip()) and name not in taken]
    return tuple(name for name in called if find_repeat(table, name) is None)


def find_numeric(table: Table, taken: Collection[str]) -> tuple[str, ...]:
    """Find columns that contain only numbers; raise if one nearly does, instead of leaving it out silently."""
    left = [name for name in table.columns if name not in taken]
    found = tuple(name for name in left if isinstance(table.columns[name], np.ndarray))
    for name in left:
        row = table.find_non_number(name)
        if row is not None:
            others = ", ".join(map(repr, found)) or "..."
            rule = "must be a number for the column to be a feature"
            table.raise_number_error(row, name, rule, f"or choose the features yourself, such as {others}")
    typed = [name for name in left if table.is_number_text(name)]
    if typed and not found:
        rule = "features of records must be numbers"
        received = f"text such as {get_cells(table.columns[typed[0]])[0]!r} in {', '.join(map(repr, typed))}"
        raise InputError(rule, received, "convert to numbers, or choose the features yourself")
    return found


def check_roles(features: Sequence[str], categories: Sequence[str], fingerprint: Sequence[str], table: Table) -> None:
    """Raise if a column has two roles, or if no column has any."""
    every = [*features, *categories, *fingerprint]
    for i, name in enumerate(every):
        if name in every[:i]:
            rule = "a column must be a feature, a category or part of the fingerprint, not two of them"
            raise InputError(rule, repr(name), "choose one")
    if not every:
        numeric = [repr(name) for name, column in table.columns.items() if isinstance(column, np.ndarray)]
        received = f"none, and no column of numbers{' but ' * bool(numeric)}{', '.join(numeric)}"
        remedy = "choose columns that describe an item"
        raise InputError("a catalogue must have features, categories or a fingerprint", received, remedy)


def find_repeat(table: Table, name: str) -> int | None:
    """Find the first row whose cell is empty or repeats an earlier one."""
    seen: set[Any] = set()
    for row, value in enumerate(get_cells(table.columns[name])):
        if value is None or value == "" or value in seen:
            return row
        seen.add(value)
    return None
