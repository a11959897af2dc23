"""The log of a study: its events, oldest first, and immutable snapshots of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.cache import LRUCache
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.events import Answered, Event, LogEntry, event_to_dict


@dataclass(frozen=True, eq=False)
class LogSnapshot:
    """The entries of a log at one time, optionally with one hypothetical answer."""

    study: str
    """Digest of the study's settings."""
    entries: tuple[LogEntry, ...]

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self.entries)

    @property
    def digest(self) -> str:
        """Digest of the study and of all its events."""
        return self.entries[-1].digest if self.entries else self.study

    def count_common(self, other: LogSnapshot) -> int:
        """Return the length of the common prefix of two logs of one study."""
        # A digest covers all events up to its own, and logs mostly differ only in their last events.
        for count in range(min(len(self), len(other)), 0, -1):
            if self.entries[count - 1].digest == other.entries[count - 1].digest:
                return count
        return 0

    def events(self, start: int = 0) -> list[dict[str, Any]]:
        """Return the events from an index on, as JSON data."""
        return [event_to_dict(entry.event) for entry in self.entries[start:]]


class Log:
    """Events in order: the only part of a study that changes. Not thread-safe.

    Its `StudyData` is a function of the events. It is computed from the data of the longest shorter log in the cache
    instead of from the first event.
    """

    def __init__(self, study: str, space: DesignSpace, anchors: Mapping[bytes, Design]) -> None:
        self._entries: list[LogEntry] = []
        self._answered: set[str] = set()
        self._empty = StudyData.empty(study, space, anchors)
        self._data: LRUCache[StudyData] = LRUCache(8)

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._entries)

    def __iter__(self) -> Iterator[Event]:
        """Iterate over the events, oldest first."""
        return (entry.event for entry in self._entries)

    @property
    def digest(self) -> str:
        """Digest of the study and of all its events."""
        return self._entries[-1].digest if self._entries else self._empty.digest

    @property
    def data(self) -> StudyData:
        """The log as arrays."""
        return self._data.get_or_compute(self.digest, self._compute_data)

    def data_after(self, entry: LogEntry) -> StudyData:
        """Return the data of the log after one more entry."""
        now = self.data
        return self._data.get_or_compute(entry.digest, lambda: now.with_entries([entry]))

    def snapshot(self, *entries: LogEntry) -> LogSnapshot:
        """Return a snapshot of the log, with further entries at its end."""
        return LogSnapshot(self._empty.digest, (*self._entries, *entries))

    def has_answer(self, duel: str) -> bool:
        """Return whether the duel with this id was answered."""
        return duel in self._answered

    def append(self, entry: LogEntry) -> None:
        """Add an entry that was created for this log."""
        if isinstance(entry.event, Answered):
            self._answered.add(entry.event.duel)
        self._entries.append(entry)

    def pop(self) -> None:
        """Remove the last event."""
        event = self._entries.pop().event
        if isinstance(event, Answered):
            self._answered.remove(event.duel)

    def truncate(self, count: int) -> None:
        """Remove all but the first `count` events."""
        while len(self._entries) > count:
            self.pop()

    def _compute_data(self) -> StudyData:
        """Compute the data of all entries, from the longest prefix whose data is in the cache."""
        entries: Sequence[LogEntry] = self._entries
        for count in range(len(entries) - 1, 0, -1):
            data = self._data.get(entries[count - 1].digest)
            if data is not None:
                return data.with_entries(entries[count:])
        return self._empty.with_entries(entries)
