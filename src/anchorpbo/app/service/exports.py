"""A study's history as a table for people and spreadsheets.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, wide forms of these, a tab or the end of a line
for a formula, some of them also behind spaces or quotes. Text of that kind is written with an apostrophe in front, so
that it stays text; numbers are written as they are. Where a semicolon separates cells, as in much of Europe, the quotes
around a cell do not hold what is in it together: a part after a semicolon, a tab or the end of a line is a cell of its
own, and gets an apostrophe too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = re.compile(r"""(^|[;\t\r\n])(?=[\s"']*?[=+\-@\t\r\n＝＋－＠])""")
"""The start of a cell, or what may separate cells, before what may be a formula behind spaces and quotes."""
_COLUMNS = ("number", "time", "participant", "type", "stands", "outcome", "response_ms", "duel_id", "event", "text")


def history_to_csv(history: Sequence[dict[str, Any]], parameters: Iterable[str]) -> str:
    """Write the journal as CSV, one row an entry; designs in a column for each parameter."""
    parameters = list(parameters)
    sides = ("first", "second", "design")
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([*_COLUMNS, *(escape_formula(f"{side}.{name}") for side in sides for name in parameters)])
    for event in history:
        designs = ((event.get(side) or {}).get(name) for side in sides for name in parameters)
        writer.writerow([escape_formula(value) for value in (*(event.get(column) for column in _COLUMNS), *designs)])
    return file.getvalue()


def escape_formula(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return "" if value is None else value
    return _FORMULA.sub(r"\1'", value)
