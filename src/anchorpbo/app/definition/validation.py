"""Validation of untrusted JSON: types, texts, nesting and size.

Data is checked before any object is created from it: every storage back end must be able to store it as JSON. The size
limits do not apply to studies that are stored already.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeGuard

from anchorpbo.errors import AnchorPBOError, InputError

MAX_NESTING = 32
"""Maximum depth of nested lists and objects."""
_MAX_DOUBLE_INTEGER = 2**1023
"""Integers below this fit a double."""
MAX_PARAMETERS = 100
MAX_CONSTRAINTS = 100
MAX_VALUES = 4_000_000
"""Maximum total number of values of all parameters with steps, at 8 bytes per value."""
MAX_CHOICES = 10_000
"""Maximum number of values of one categorical or ordinal parameter."""
MAX_ROWS, MAX_COLUMNS, MAX_CELLS = 100_000, 5_000, 5_000_000
"""Maximum size of a catalogue."""
MAX_BOUND, MIN_RANGE_WIDTH = 1e300, 1e-300
"""Largest bound and smallest width of a range; beyond them, products overflow or underflow."""


def check_json(what: str, data: Any) -> None:
    """Raise unless data holds only objects, lists, text, finite numbers, booleans and null, and is not too deep."""
    level = [data]
    for _ in range(MAX_NESTING):
        below: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                for key in value:
                    _check_key(what, key)
                below.extend(value.values())
            elif isinstance(value, list | tuple):
                below.extend(value)
            elif isinstance(value, str):
                _check_characters(what, value)
            else:
                _check_scalar(what, value)
        if not below:
            return
        level = below
    raise InputError(f"{what} must be nested at most {MAX_NESTING} levels deep", "more levels", "make it flatter")


@contextmanager
def raise_input_errors(what: str) -> Iterator[None]:
    """Raise `InputError` instead of Python's own errors, which untrusted data may cause anywhere in the block."""
    try:
        yield
    except AnchorPBOError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        TypeError,
        ValueError,
        RecursionError,
    ) as error:
        received = f"{type(error).__name__}: {error}"
        raise InputError(f"{what} must have the documented form", received, "compare it with an example") from error


def check_text(name: str, value: Any, max_length: int, *, required: bool = False) -> str:
    """Return the stripped text; raise if it has more than `max_length` characters or cannot be stored."""
    if not isinstance(value, str) or len(value) > max_length or (required and not value.strip()):
        at_least = "a text of 1" if required else "a text of 0"
        raise InputError(f"{name} must be {at_least} to {max_length} characters", repr(value), "change it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{name} must be text that can be written", error, "leave odd characters out") from error
    if "\x00" in value:
        raise InputError(f"{name} must not contain NUL characters", repr(value), "leave them out")
    return value.strip()


def check_object(name: str, value: Any) -> dict[str, Any]:
    """Return a dict; raise unless the value is an object with text keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{name} must be an object", repr(value), "write {...}")
    return dict(value)


def _check_key(what: str, key: object) -> None:
    if not isinstance(key, str):
        raise InputError(f"{what} must have texts for keys", repr(key), "put it in quotes")
    _check_characters(what, key)


def _check_characters(what: str, text: str) -> None:
    # ASCII text, by far the most frequent, cannot contain surrogates.
    if "\0" in text or (not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)):
        rule = f"{what} must not contain NUL characters or half a surrogate pair"
        raise InputError(rule, ascii(text), "leave odd characters out")


def _check_scalar(what: str, value: object) -> None:
    if isinstance(value, float):
        fits = math.isfinite(value)
    else:
        fits = value is None or (isinstance(value, int) and abs(value) < _MAX_DOUBLE_INTEGER)
    if not fits:
        received = repr(value) if isinstance(value, float) else type(value).__name__ + " that is too large or unknown"
        raise InputError(f"{what} must hold finite numbers, texts, true, false and null", received, "correct it")


# -- size --------------------------------------------------------------------------------------------------------------


def check_space_size(space: Any) -> None:
    """Raise if a space is too large. Malformed input is ignored here; `space_from_dict` raises on it."""
    if not isinstance(space, Mapping):
        return
    if space.get("kind") == "catalogue":
        columns = [one.get("values") for one in _as_list(space.get("columns")) if isinstance(one, Mapping)]
        check_table_size(max((len(_as_list(values)) for values in columns), default=0), len(columns))
        return
    parameters = [one for one in _as_list(space.get("parameters")) if isinstance(one, Mapping)]
    _check_count("parameters", len(parameters), MAX_PARAMETERS, "leave out what matters least")
    _check_count("constraints", len(_as_list(space.get("constraints"))), MAX_CONSTRAINTS, "leave some out")
    for one in parameters:
        _check_range(one)
        if len(_as_list(one.get("values"))) > MAX_CHOICES:
            rule = f"{one.get('name')!r}: there must be at most {MAX_CHOICES:,} values to choose from"
            raise InputError(rule, f"{len(one['values']):,}", "leave some out, or give a table of designs")
    total = sum(_count_values(parameters))
    if total > MAX_VALUES:
        rule = f"all parameters with steps must have at most {MAX_VALUES:,} values together"
        raise InputError(rule, f"{total:,.0f}", "count in larger units, or use ranges without steps")


def check_table_size(rows: int, columns: int) -> None:
    """Raise if a catalogue is too large; also called while a table is read."""
    for name, size, most, remedy in (
        ("rows", rows, MAX_ROWS, "choose the likely ones first"),
        ("columns", columns, MAX_COLUMNS, "leave out what does not matter"),
        ("cells", rows * columns, MAX_CELLS, "leave out columns that do not matter, or rows that are unlikely"),
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
    if max(abs(low), abs(high)) > MAX_BOUND:
        rule = f"{parameter.get('name')!r}: low and high must lie within {MAX_BOUND:g}"
        raise InputError(rule, f"{low:g} and {high:g}", "choose a larger unit")
    if high - low < MIN_RANGE_WIDTH:
        rule = f"{parameter.get('name')!r}: low and high must differ by at least {MIN_RANGE_WIDTH:g}"
        raise InputError(rule, f"{low:g} and {high:g}", "choose a smaller unit")


def _count_values(parameters: Iterable[Mapping[str, Any]]) -> Iterable[float]:
    for one in parameters:
        low, high, step = one.get("low"), one.get("high"), one.get("step", 1 if one.get("kind") == "integer" else None)
        if _is_number(low) and _is_number(high) and _is_number(step) and step > 0 and high > low:
            yield (high - low) / step + 1
        yield len(_as_list(one.get("values")))


def _is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a double can hold; `check_json` rejects larger integers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) <= sys.float_info.max


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
