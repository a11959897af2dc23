"""HTML for people: elements whose content is escaped, and the quiet tables that notebooks show of our objects.

::

    tag, joined     elements; texts in them are escaped, whatever is in them
    shown           a value with the digits a person wants to see
    fixed, significant   a number with so many decimals or digits; halves are rounded away from zero
    sheet           a heading, notes and tables: what a `_repr_html_` returns

Nothing here names a colour: a page gives its own, light or dark. Styles stand at the elements, since a notebook shows
many outputs in one page and a style sheet would reach all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Any

DIGITS = 4
"""Significant ones of a number."""
_WIDE = Context(prec=400)
LONGEST = 60
"""Signs of a text in a cell of a table."""
_SPECIAL = re.compile("[&<>\"']|[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CELL = "text-align:left;vertical-align:top;padding:0.15em 1.2em 0.15em 0"
_NUMBER = "text-align:right;vertical-align:top;padding:0.15em 1.2em 0.15em 0;font-variant-numeric:tabular-nums"


class Markup(str):
    """HTML or SVG: all that is not markup is escaped."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Text as it may stand in an element or in an attribute."""
    return _SPECIAL.sub(lambda found: _NAMES.get(found[0], "\ufffd"), text)


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element. Texts among the children are escaped; ``class_`` is ``class``, ``text_anchor`` ``text-anchor``.

    Examples
    --------
    >>> tag("b", "a < b", class_="plain")
    '<b class="plain">a &lt; b</b>'
    """
    written = "".join([
        f' {_attribute(key)}="{_written(value)}"'
        for key, value in attributes.items()
        if value is not None
    ])  # fmt: skip
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def joined(parts: Iterable[str]) -> Markup:
    """Parts after each other."""
    return Markup("".join([part if isinstance(part, Markup) else escaped(part) for part in parts]))


def shown(value: Any) -> str:
    """A value in words or with the digits a person wants to see; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        moderate = 1e-3 <= abs(value) < 1e6 or not value
        return f"{significant(value, DIGITS):.{DIGITS}g}" if moderate else f"{value:.{DIGITS}e}"
    return str(value)


def significant(value: float, digits: int) -> float:
    """A number with so many significant digits, halves away from zero, as JavaScript's ``toPrecision``.

    Examples
    --------
    >>> significant(12.625, 4), significant(-12.625, 4)
    (12.63, -12.63)
    """
    near = float(f"{value:.{digits}g}")
    if near == value or float(f"{value:.{digits + 1}g}") != value:
        return near
    # Perhaps a tie, which has one digit more; formats round it to an even digit.
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(value))


def fixed(value: float, places: int) -> str:
    """A number with so many decimals, halves away from zero, as JavaScript's ``toFixed``.

    Examples
    --------
    >>> fixed(0.125, 2), fixed(2.5, 0)
    ('0.13', '3')
    """
    if not math.isfinite(value):
        return str(value)
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _WIDE):f}"


# -- tables -----------------------------------------------------------------------------------------------------------


def sheet(title: str, *parts: Markup) -> str:
    """A heading and what follows it."""
    return tag("div", tag("div", title, style="font-weight:600;margin:0 0 0.3em"), *(part for part in parts if part))


def note(text: str) -> Markup:
    """A quiet sentence."""
    return tag("div", text, style="opacity:0.75;margin:0.3em 0") if text else Markup()


def facts(pairs: Mapping[str, Any]) -> Markup:
    """Names and values, one a row; those that are ``None`` are left out."""
    return _table(
        (tag("th", name, style=f"{_CELL};font-weight:normal;opacity:0.75", scope="row"), _cell(value, longest=None))
        for name, value in pairs.items()
        if value is not None
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Iterable[str] = ()) -> Markup:
    """Rows of cells under their heads.

    Parameters
    ----------
    heads
        One a column.
    rows
        Cells: texts and values are escaped, `Markup` stands as it is.
    numbers
        Heads of columns that are aligned at their right.
    """
    right = {heads.index(head) for head in numbers}
    styles = [_NUMBER if column in right else _CELL for column in range(len(heads))]
    head = tag("tr", *(tag("th", text, style=style, scope="col") for text, style in zip(heads, styles, strict=True)))
    body = ([_cell(value, style) for value, style in zip(row, styles, strict=True)] for row in rows)
    return _table(body, head)


def cut(text: str, longest: int = LONGEST) -> str:
    """As much of a text as fits a cell."""
    return text if len(text) <= longest else f"{text[: longest - 2]} …"


def counted(count: int, what: str) -> str:
    """How many there are: 1 duel, 2 duels."""
    return f"{count} {what}{'s'[: count != 1]}"


def _table(rows: Iterable[Sequence[Markup]], head: Markup | None = None) -> Markup:
    above = [tag("thead", head)] if head else []
    body = tag("tbody", *(tag("tr", *cells) for cells in rows))
    return tag("table", *above, body, style="border-collapse:collapse;margin:0 0 0.5em")


def _cell(value: Any, style: str = _CELL, longest: int | None = LONGEST) -> Markup:
    text = value if isinstance(value, Markup) or longest is None else cut(shown(value), longest)
    return tag("td", text if isinstance(text, str) else shown(text), style=style)


def _written(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escaped(str(value))
