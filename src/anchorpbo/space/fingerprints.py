"""Fingerprints: bits, or counts, that encode which parts an item has."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.space.table import Table, get_cell
from anchorpbo.typing import Array

_SEPARATORS = re.compile(r"[\s,;]+")


def as_fingerprints(table: Table, names: Sequence[str]) -> Array:
    """Return bits or counts, (n, b), from one column of bit strings or lists, or from columns of one bit each."""
    if len(names) > 1 or _is_counts(table, names[0]):
        found = np.stack([table.numbers(name) for name in names], axis=1)
    else:
        found = _from_lists(table, names[0])
    negative = np.argwhere(found < 0)
    if len(negative):
        row, column = (int(i) for i in negative[0])
        table.raise_cell_error(row, names[min(column, len(names) - 1)], "must have bits or counts of at least 0")
    return found


def _is_counts(table: Table, name: str) -> bool:
    return isinstance(table.columns[name], np.ndarray)


def _from_lists(table: Table, name: str) -> Array:
    column = table.columns[name]
    found = np.empty((len(table), 0))
    for row in range(len(table)):
        bits = _bits(get_cell(column, row))
        if bits is None or not len(bits):
            table.raise_cell_error(row, name, "must be bits such as 0110, or a list of counts")
        if row == 0:
            found = np.empty((len(table), len(bits)))
        elif len(bits) != found.shape[1]:
            first = f"{found.shape[1]}, as in {table.noun} {table.lines[0]}"
            raise InputError(
                f"every fingerprint in {name!r} must have the same number of bits: {first}",
                f"{len(bits)} in {table.noun} {table.lines[row]}",
                "pad or recompute it",
            )
        found[row] = bits
    return found


def _bits(cell: Any) -> Array | None:
    """Return the numbers of one fingerprint; ``None`` if the cell contains none."""
    if isinstance(cell, str):
        if cell and not cell.strip("01"):
            # The text is ASCII with one byte per character, and the codes of the digits are consecutive.
            return (np.frombuffer(cell.encode(), dtype=np.uint8) - np.uint8(ord("0"))).astype(np.float64)
        cell = [part for part in _SEPARATORS.split(cell.strip("[]() ")) if part]
    if not isinstance(cell, list | tuple):
        return None
    try:
        found = np.array([float(count) for count in cell])
    except (TypeError, ValueError, OverflowError):
        return None
    return found if np.isfinite(found).all() else None
