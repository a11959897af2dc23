"""The head of a journal: how much of a study there is, so that no row of it can be missing unnoticed.

It is read where all of a journal would have to be read otherwise: for the list of studies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from anchorpbo.app.storage.rows import Row


@dataclass(frozen=True)
class Head:
    """How much of a study there is."""

    entries: int = 0
    """In its journal: the number of the last one."""
    participants: int = 0
    answers: int = 0
    """Informative ones that stand."""
    updated: datetime | None = None
    """Time of the last entry."""

    def after(self, rows: Sequence[Row], answers: int) -> Head:
        """The head after appending `rows` (not empty), with the new count of valid answers."""
        return replace(self, entries=self.entries + len(rows), answers=answers, updated=rows[-1].time)


def count_answers(rows: Iterable[tuple[int, Row]]) -> int:
    """Informative answers of a journal that stand, from its entries with their numbers, in their order."""
    standing: set[int] = set()
    for number, row in rows:
        if row.informative:
            standing.add(number)
        elif row.type == "undone":
            standing.discard(row.undoes or 0)
    return len(standing)
