"""HTML elements with escaped content, and the plain tables in which notebooks show our objects.

::

    tag, join       elements with escaped text
    escape          text escaped for an element or an attribute
    sheet           a heading with notes and tables, for `_repr_html_`

Colours are left to the page, which may be light or dark. Styles are inline, because a notebook shows many outputs in
one page and a style sheet would apply to all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from anchorpbo.formatting import CELL_LENGTH, format_value, truncate

_SPECIAL = re.compile("[&<>\"']|[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CELL = "text-align:left;vertical-align:top;padding:0.15em 1.2em 0.15em 0"
_NUMBER = "text-align:right;vertical-align:top;padding:0.15em 1.2em 0.15em 0;font-variant-numeric:tabular-nums"


class Markup(str):
    """HTML or SVG that needs no further escaping."""

    __slots__ = ()


def escape(text: str) -> str:
    """Escape text for an element or an attribute."""
    return _SPECIAL.sub(lambda found: _NAMES.get(found[0], "\ufffd"), text)


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element with escaped children. ``class_`` is written ``class``, ``text_anchor`` ``text-anchor``.

    Examples
    --------
    >>> tag("b", "a < b", class_="plain")
    '<b class="plain">a &lt; b</b>'
    """
    written = "".join([
        f' {_attribute(key)}="{_format_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    ])  # fmt: skip
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def join(parts: Iterable[str]) -> Markup:
    """Join parts and escape those that are not `Markup`."""
    return Markup("".join([part if isinstance(part, Markup) else escape(part) for part in parts]))


# -- tables -----------------------------------------------------------------------------------------------------------


def sheet(title: str, *parts: Markup) -> str:
    """Return a heading with the parts below it."""
    return tag("div", tag("div", title, style="font-weight:600;margin:0 0 0.3em"), *(part for part in parts if part))


def note(text: str) -> Markup:
    """Return a muted paragraph, or nothing for an empty text."""
    return tag("div", text, style="opacity:0.75;margin:0.3em 0") if text else Markup()


def facts(pairs: Mapping[str, Any]) -> Markup:
    """Return a table of names and values, one pair per row, without the values that are ``None``."""
    return _table(
        (tag("th", name, style=f"{_CELL};font-weight:normal;opacity:0.75", scope="row"), _cell(value, length=None))
        for name, value in pairs.items()
        if value is not None
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Iterable[str] = ()) -> Markup:
    """Return a table with column heads.

    Parameters
    ----------
    heads
        One head per column.
    rows
        Cells per row. Texts and values are escaped; `Markup` is not.
    numbers
        Heads of the columns that are aligned right.
    """
    right = {heads.index(head) for head in numbers}
    styles = [_NUMBER if column in right else _CELL for column in range(len(heads))]
    head = tag("tr", *(tag("th", text, style=style, scope="col") for text, style in zip(heads, styles, strict=True)))
    body = ([_cell(value, style) for value, style in zip(row, styles, strict=True)] for row in rows)
    return _table(body, head)


def _table(rows: Iterable[Sequence[Markup]], head: Markup | None = None) -> Markup:
    above = [tag("thead", head)] if head else []
    body = tag("tbody", *(tag("tr", *cells) for cells in rows))
    return tag("table", *above, body, style="border-collapse:collapse;margin:0 0 0.5em")


def _cell(value: Any, style: str = _CELL, length: int | None = CELL_LENGTH) -> Markup:
    text = value if isinstance(value, Markup) or length is None else truncate(format_value(value), length)
    return tag("td", text if isinstance(text, str) else format_value(text), style=style)


def _format_attribute(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))
