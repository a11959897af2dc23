"""Values, numbers and counts as text for people.

::

    format_value         a value with few significant digits
    format_fixed         a number with a fixed number of decimals
    round_significant    a number rounded to significant digits
    format_significant   a number with a number of significant digits
    format_count         a count and its noun: 1 duel, 2 duels
    truncate             a text shortened to fit a table cell

Halves are rounded away from zero, as in JavaScript, so that pages and reports show the same digits.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

DIGITS = 4
"""Significant digits of a formatted number."""
CELL_LENGTH = 60
"""Maximum number of characters in a table cell."""
_WIDE = Context(prec=400)


def format_value(value: Any, decimals: int | None = None) -> str:
    """Format a value: four significant digits, ``yes`` or ``no`` for a Boolean, a dash for ``None``.

    With the decimals of its parameter's step, a number has these, without zeros at the end.

    Examples
    --------
    >>> format_value(1234.5), format_value(1234.5, 1), format_value(84.0, 1)
    ('1235', '1234.5', '84')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and decimals is not None:
        text = format_fixed(value, decimals)
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, float):
        moderate = 1e-3 <= abs(value) < 1e6 or not value
        return f"{round_significant(value, DIGITS):.{DIGITS}g}" if moderate else f"{value:.{DIGITS}e}"
    return str(value)


def round_significant(value: float, digits: int) -> float:
    """Round a number to significant digits, halves away from zero, as JavaScript's ``toPrecision``.

    Examples
    --------
    >>> round_significant(12.625, 4), round_significant(-12.625, 4)
    (12.63, -12.63)
    """
    near = float(f"{value:.{digits}g}")
    if near == value or float(f"{value:.{digits + 1}g}") != value:
        return near
    # The value may be a tie (one more digit), which Python's formats round to the even digit.
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(value))


def format_fixed(value: float, places: int) -> str:
    """Format a number with a fixed number of decimals, halves away from zero, as JavaScript's ``toFixed``.

    Examples
    --------
    >>> format_fixed(0.125, 2), format_fixed(2.5, 0)
    ('0.13', '3')
    """
    if not math.isfinite(value):
        return str(value)
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _WIDE):f}"


def format_significant(value: float, digits: int) -> str:
    """Format a number with significant digits, halves away from zero, and whole if it is large.

    Examples
    --------
    >>> format_significant(2.345, 2), format_significant(23.45, 2), format_significant(1234.5, 2)
    ('2.3', '23', '1200')
    """
    rounded = round_significant(value, digits)
    places = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0) if rounded else 0
    return format_fixed(rounded, places)


def format_count(count: int, noun: str) -> str:
    """Format a count and its noun.

    Examples
    --------
    >>> format_count(1, "duel"), format_count(2, "duel")
    ('1 duel', '2 duels')
    """
    return f"{count} {noun}{'s'[: count != 1]}"


def truncate(text: str, length: int = CELL_LENGTH) -> str:
    """Shorten a text to at most `length` characters and end it with an ellipsis if it was longer."""
    return text if len(text) <= length else f"{text[: length - 2]} …"


def format_probability(p: float) -> str:
    """Format a probability in whole percent, rounded down, so that 90 % is not shown for less than 90 %."""
    return f"{int(100 * p + 1e-9)} %"
