"""Duels as notebooks show them."""

from __future__ import annotations

from anchorpbo.duels.duels import Duels
from anchorpbo.formatting import format_count
from anchorpbo.html import note, sheet, table
from anchorpbo.typing import Array

ROWS, COORDINATES = 6, 8
"""Of many duels, and of designs with many coordinates, so many are shown."""


def duels_html(duels: Duels) -> str:
    """The first duels, a row each: the designs by their coordinates."""
    u, d = duels.points.shape
    count = len(duels.winners) + len(duels.ties) if duels.counts is None else int(duels.counts.sum())
    heads = ["first", "", "second"] + (["times"] if duels.counts is not None else [])
    rows = [
        (_design(duels.points[a]), "as good as" if tied else "preferred to", _design(duels.points[b]), *times)
        for a, b, tied, *times in zip(
            duels.first.tolist(), duels.second.tolist(), duels.tied.tolist(),
            *([] if duels.counts is None else [duels.counts.astype(int).tolist()]), strict=True,
        )
    ][:ROWS]  # fmt: skip
    more = len(duels) - len(rows)
    title = f"{format_count(count, 'duel')} on {format_count(u, 'design')} of {format_count(d, 'coordinate')}"
    return sheet(title, table(heads, rows), note(f"… and {more} more" if more else ""))


def _design(x: Array) -> str:
    numbers = [f"{value:.3g}" for value in x[:COORDINATES].tolist()]
    return f"({', '.join(numbers + ['…'] * (len(x) > COORDINATES))})"
