"""Values of parameters: checked, converted to plain Python and formatted."""

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anchorpbo.errors import InputError

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_MAX_LIST_VALUES = 12  # number of values shown of a list
_MAX_WIDTH = 100  # characters on one line of a terminal

Value: TypeAlias = str | bool | int | float
"""Type of the value of a parameter."""


def to_python(value: object) -> object:
    """Convert a numpy scalar to the Python value it holds; return anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def as_number(name: str, value: object) -> Any:
    """Return a finite number of any type; raise for bools and text."""
    number = to_python(value)
    if not isinstance(number, numbers.Real) or isinstance(number, bool):
        has_comma = isinstance(number, str) and _DECIMAL_COMMA.fullmatch(number.strip())
        remedy = "write decimals with a point" if has_comma else "give it without quotes or units"
        received = "nothing" if value is None else repr(value)
        raise InputError(f"{name} must be a number", received, remedy, value=number)
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError(f"{name} must be a finite number", repr(value), "drop or repair it")
    return number


def as_float(name: str, value: object) -> float:
    """Return a finite number as a float, never -0.0."""
    try:
        return float(as_number(name, value)) + 0.0
    except OverflowError as error:
        raise InputError(f"{name} must be a finite number", repr(value), "choose a larger unit") from error


def as_whole(name: str, value: object) -> int:
    """Return an integer as an int, also if given as a float."""
    number = as_number(name, value)
    if number != int(number):
        raise InputError(f"{name} must be a whole number", repr(value), "round it, or allow all numbers", value=number)
    return int(number)


def as_value(name: str, value: object) -> Value:
    """Return text, a bool or a finite number; raise for anything else."""
    simple = to_python(value)
    if not isinstance(simple, str | bool | int | float):
        received = "nothing" if value is None else repr(value)
        rule = f"{name} must be text, a number or a truth value"
        raise InputError(rule, received, "give its name instead", value=value)
    if isinstance(simple, float) and not math.isfinite(simple):
        raise InputError(f"{name} must be finite", repr(value), "drop or repair it")
    return simple


def as_distinct(values: Iterable[object]) -> tuple[Value, ...]:
    """Return two or more distinct values; raise if two are equal."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError("values must be a list", repr(values), "put them in square brackets", value=values)
    found = tuple(as_value("every value", value) for value in values)
    first: dict[Value, Value] = {}
    for value in found:
        if value in first:  # 1, 1.0 and True are one key
            received = f"{first[value]!r} and {value!r}"
            raise InputError("values must differ", received, "drop one of the two, or write them as text", value=value)
        first[value] = value
    if len(found) < 2:
        remedy = "use a constant for a value that never varies" if found else "list them"
        raise InputError("there must be at least two values", repr(list(found)), remedy, value=list(found))
    return found


def match_value(name: str, value: object, values: tuple[Value, ...]) -> Value:
    """Return the allowed value that equals the given one."""
    simple = to_python(value)
    for allowed in values:
        # True == 1 in Python, but a ticked box is not the number 1. The comparison with an array gives an array.
        if isinstance(simple, bool) == isinstance(allowed, bool) and (simple == allowed) is True:
            return allowed
    rule = f"{name} must be {'one of ' if len(values) > 1 else ''}{', '.join(map(repr, values))}"
    raise InputError(rule, repr(value), "check the spelling", value=simple)


def check_between(name: str, value: object, number: float, low: float, high: float) -> None:
    """Raise if a number is outside its range; the message has the value as given."""
    if not low <= number <= high:
        rule = f"{name} must lie between {short_repr(low)} and {short_repr(high)}"
        raise InputError(rule, repr(value), "correct it, or widen the range", value=number)


def check_range(low: float, high: float, log: object) -> None:
    """Raise if the ends leave an empty range, or a logarithmic scale that includes 0."""
    if not isinstance(log, bool):
        raise InputError("log must be true or false", repr(log), "leave it out for a linear scale", value=log)
    if low >= high:
        remedy = "swap the two" if low > high else "use a constant for a value that never varies"
        received = f"{short_repr(low)} and {short_repr(high)}"
        raise InputError("the lower end must be below the upper end", received, remedy, value=[low, high])
    if log and low <= 0:
        rule = "the lower end of a logarithmic range must be above 0"
        raise InputError(rule, short_repr(low), "raise it, or use a linear scale", value=low, field="low")


def short_repr(value: object) -> str:
    """Format a value as a person would write it: 80, not 80.0; only the first few and the last value of a long list."""
    if isinstance(value, tuple):
        parts = list(map(short_repr, value if len(value) <= _MAX_LIST_VALUES else (*value[:3], value[-1])))
        return f"[{', '.join(parts if len(value) == len(parts) else [*parts[:3], '...', parts[3]])}]"
    return repr(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else repr(value)


def format_call(opening: str, parts: Sequence[str], closing: str) -> str:
    """Format a call on one line if it fits, or else with one argument per line."""
    short = f"{opening}{', '.join(parts)}{closing}"
    if len(short) <= _MAX_WIDTH:
        return short
    return opening + "".join(f"\n    {part}," for part in parts) + f"\n{closing}"
