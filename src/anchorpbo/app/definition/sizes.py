"""How large a study may be that comes from outside.

Checked on plain data, before anything is built of it. Studies that are there already are not held to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from anchorpbo.errors import InputError

MOST_PARAMETERS = 100
MOST_CONSTRAINTS = 100
MOST_VALUES = 4_000_000
"""Of all parameters with steps together: each takes 8 bytes."""
MOST_CHOICES = 10_000
"""Values of one choice or order."""
MOST_ROWS, MOST_COLUMNS, MOST_CELLS = 100_000, 5_000, 5_000_000
"""Largest catalogue."""
LARGEST, NARROWEST = 1e300, 1e-300
"""Largest end of a range, and narrowest range: beyond, products overflow or vanish."""


def check_size(space: Any) -> None:
    """Refuse a space that is too large. Malformed input is ignored here; `space_from_dict` refuses it."""
    if not isinstance(space, Mapping):
        return
    if space.get("kind") == "catalogue":
        columns = [one.get("values") for one in _list(space.get("columns")) if isinstance(one, Mapping)]
        check_table(max((len(_list(values)) for values in columns), default=0), len(columns))
        return
    parameters = [one for one in _list(space.get("parameters")) if isinstance(one, Mapping)]
    _check_count("parameters", len(parameters), MOST_PARAMETERS, "leave out what matters least")
    _check_count("constraints", len(_list(space.get("constraints"))), MOST_CONSTRAINTS, "leave some out")
    for one in parameters:
        _check_range(one)
        if len(_list(one.get("values"))) > MOST_CHOICES:
            rule = f"{one.get('name')!r}: there must be at most {MOST_CHOICES:,} values to choose from"
            raise InputError(rule, f"{len(one['values']):,}", "leave some out, or give a table of designs")
    total = sum(_values_of(parameters))
    if total > MOST_VALUES:
        rule = f"all parameters with steps must have at most {MOST_VALUES:,} values together"
        raise InputError(rule, f"{total:,.0f}", "count in larger units, or use ranges without steps")


def check_table(rows: int, columns: int) -> None:
    """Refuse a catalogue that is too large, or gets too large while it is read."""
    for name, size, most, remedy in (
        ("rows", rows, MOST_ROWS, "choose the likely ones first"),
        ("columns", columns, MOST_COLUMNS, "leave out what does not matter"),
        ("cells", rows * columns, MOST_CELLS, "leave out columns that do not matter, or rows that are unlikely"),
    ):
        if size > most:
            raise InputError(f"a catalogue must have at most {most:,} {name}", f"{size:,}", remedy)


def _check_count(name: str, count: int, most: int, remedy: str) -> None:
    if count > most:
        raise InputError(f"a study must have at most {most} {name}", f"{count:,}", remedy)


def _check_range(parameter: Mapping[str, Any]) -> None:
    low, high = parameter.get("low"), parameter.get("high")
    if not _is_number(low) or not _is_number(high) or not low < high:
        return
    if max(abs(low), abs(high)) > LARGEST:
        rule = f"{parameter.get('name')!r}: low and high must lie within {LARGEST:g}"
        raise InputError(rule, f"{low:g} and {high:g}", "choose a larger unit")
    if high - low < NARROWEST:
        rule = f"{parameter.get('name')!r}: low and high must differ by at least {NARROWEST:g}"
        raise InputError(rule, f"{low:g} and {high:g}", "choose a smaller unit")


def _values_of(parameters: Iterable[Mapping[str, Any]]) -> Iterable[float]:
    for one in parameters:
        low, high, step = one.get("low"), one.get("high"), one.get("step", 1 if one.get("kind") == "integer" else None)
        if _is_number(low) and _is_number(high) and _is_number(step) and step > 0 and high > low:
            yield (high - low) / step + 1
        yield len(_list(one.get("values")))


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number that a double can hold; `check_plain` refuses other integers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) <= sys.float_info.max


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
