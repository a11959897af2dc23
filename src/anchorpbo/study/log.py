"""The events of a study, oldest first, and what is looked up among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.events import Answered, Event
from anchorpbo.study.memory import Memory
from anchorpbo.study.record import Entry, Record
from anchorpbo.typing import Array


class Log:
    """What was said, in order: the one thing in a study that changes. Not thread-safe.

    Its record is a function of the events alone, but is not read from the first of them each time: the record of any
    shorter log that is still remembered is a start.
    """

    def __init__(self, study: str, space: DesignSpace, anchors: Mapping[bytes, Design]) -> None:
        self._entries: list[Entry] = []
        self._answered: set[str] = set()
        self._first = Record.empty(study, space, anchors)
        self._records: Memory[Record] = Memory(8)

    def __len__(self) -> int:
        """Events."""
        return len(self._entries)

    def __iter__(self) -> Iterator[Event]:
        """Events, oldest first."""
        return (entry.event for entry in self._entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Events with what is derived from each, oldest first."""
        return tuple(self._entries)

    @property
    def digest(self) -> str:
        """Of the study and all its events."""
        return self._entries[-1].digest if self._entries else self._first.digest

    def has_answer(self, duel: str) -> bool:
        """Whether the duel of this id was answered."""
        return duel in self._answered

    def append(self, event: Event, points: Array) -> None:
        """Add an event with the coordinates of its designs, (1 or 2, d)."""
        entry = Entry.after(self.digest, event, points)
        if isinstance(event, Answered):
            self._answered.add(event.duel)
        self._entries.append(entry)

    def pop(self) -> None:
        """Take back the last event."""
        event = self._entries.pop().event
        if isinstance(event, Answered):
            self._answered.remove(event.duel)

    def cut(self, count: int) -> None:
        """Take back all but the first few events."""
        while len(self._entries) > count:
            self.pop()

    def record(self) -> Record:
        """What the log says."""
        return self._records.get(self.digest, self._read)

    def record_after(self, event: Event, points: Array) -> Record:
        """What it would say after one more event."""
        now, entry = self.record(), Entry.after(self.digest, event, points)
        return self._records.get(entry.digest, lambda: now.after([entry]))

    def _read(self) -> Record:
        """The record of all entries, from the longest log before them whose record is remembered."""
        entries: Sequence[Entry] = self._entries
        for count in range(len(entries) - 1, 0, -1):
            record = self._records.find(entries[count - 1].digest)
            if record is not None:
                return record.after(entries[count:])
        return self._first.after(entries)
