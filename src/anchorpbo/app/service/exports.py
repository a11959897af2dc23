"""The history of a study as a CSV table for spreadsheets, and the names of exported files.

Spreadsheets read a cell as a formula if it begins with ``=``, ``+``, ``-``, ``@``, their full-width forms, a tab or a
line break; some also skip spaces and quotes before it. Such texts get a leading apostrophe, so that they stay text;
numbers do not. If a semicolon separates cells, as in much of Europe, quotes do not keep a cell together: the part after
a semicolon, a tab or a line break becomes a new cell, so it gets an apostrophe, too.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = re.compile(r"""(^|[;\t\r\n])(?=[\s"']*?[=+\-@\t\r\n＝＋－＠])""")
"""Matches the start of a cell, or a separator, if a possible formula follows after optional spaces and quotes."""
_MAX_STEM_LENGTH = 60
_COLUMNS = ("number", "time", "participant", "type", "stands", "outcome", "response_ms", "duel_id", "event", "text")
_NAMING = ("anchor_added", "anchor_named")


def history_to_csv(history: Sequence[dict[str, Any]], parameters: Iterable[str]) -> str:
    """Return the journal as CSV: one row per entry, one column per parameter of each design.

    The column ``text`` has comments and the names of anchors; ``outcome`` also has the judgement of a design that was
    marked as "no" or "unsure".
    """
    parameters = list(parameters)
    sides = ("first", "second", "design")
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([*_COLUMNS, *(escape_formula(f"{side}.{name}") for side in sides for name in parameters)])
    for event in history:
        designs = ((event.get(side) or {}).get(name) for side in sides for name in parameters)
        cells = event
        if event.get("type") in _NAMING:
            cells = event | {"text": event.get("name"), "outcome": event.get("judgement")}
        writer.writerow([escape_formula(value) for value in (*(cells.get(column) for column in _COLUMNS), *designs)])
    return file.getvalue()


def make_file_name(name: str, id: str, suffix: str) -> str:
    """Return the name of an exported file: the study's name in lower-case ASCII with hyphens, or its id."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_MAX_STEM_LENGTH].rstrip("-")
    return f"{stem or f'study-{id}'}.{suffix}"


def escape_formula(value: Any) -> Any:
    """Return a cell that no spreadsheet reads as a formula."""
    if not isinstance(value, str):
        return "" if value is None else value
    return _FORMULA.sub(r"\1'", value)
