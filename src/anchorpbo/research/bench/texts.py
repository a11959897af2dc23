"""Numbers as cells of a table."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.research.bench.costs import Cost, Ratio
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable


def format_duration(seconds: float) -> str:
    """With two or three digits that count: 4.2 ms, 380 ms, 1.3 s, 120 s."""
    if seconds < 0.9995:
        return f"{_format_three_digits(1e3 * seconds)} ms"
    return f"{_format_three_digits(seconds)} s"


def _format_three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def format_cost(found: Cost | None) -> Cell:
    """A median; the limit where nothing ended in time, in brackets where it was not tried; what failed or stopped."""
    if found is None:
        return Cell(MISSING_TEXT)
    if found.seconds is None:
        if found.limit is not None:
            return Cell(f"(> {found.limit:.3g} s)" if found.assumed else f"> {found.limit:.3g} s")
        if found.unready:
            return Cell("not ready in time")
        return Cell(f"failed, all {found.tried}" if found.failed else MISSING_TEXT)
    remarks = [f"{count} {word}" for count, word in ((found.failed, "failed"), (found.stopped, "stopped")) if count]
    text = format_duration(found.seconds)
    return Cell(f"{text} ({', '.join(remarks)} of {found.tried})" if remarks else text)


def format_ratio(found: Ratio | None) -> Cell:
    """A ratio, such as 61 x or > 300 x, or (> 300 x) where it was not tried."""
    if found is None:
        return Cell(MISSING_TEXT)
    text = f"{found.value:.0f} ×" if found.value >= 9.95 else f"{found.value:.1f} ×"
    text = f"> {text}" if found.at_least else text
    return Cell(f"({text})" if found.assumed else text, bold=not found.assumed)


def format_number(value: float | None, form: str = ".3g") -> Cell:
    """A plain number."""
    return Cell(MISSING_TEXT if value is None else format(value, form))


def make_table(
    title: str, headings: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], note: str = "", left: int = 0
) -> TextTable:
    """A table whose first columns stand on the left and whose numbers stand on the right."""
    align = tuple("l" if column < left else "r" for column in range(len(headings)))
    return TextTable(title, headings, tuple(rows), align, note)
