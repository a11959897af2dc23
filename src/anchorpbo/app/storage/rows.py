"""What is kept of an entry: its fields, checked, with its data as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from anchorpbo.app.storage.checks import LARGEST, as_count, as_json, as_name, as_utc
from anchorpbo.app.storage.checksums import checksum
from anchorpbo.app.storage.journal import TYPES, Entry, EntryType, is_informative
from anchorpbo.errors import InputError, UnknownNameError


@dataclass(frozen=True)
class Row:
    """An entry as it is kept.

    Parameters
    ----------
    type, participant, time, response_ms
        As in `Entry`; the time is in UTC.
    data
        As JSON.
    undoes
        Number of the entry that this one takes back. It is in the data too, but whoever counts the answers that stand
        should not have to read all JSON.
    """

    type: EntryType
    participant: str
    time: datetime
    response_ms: int | None
    data: str
    undoes: int | None

    @classmethod
    def of(cls, entry: Entry) -> Row:
        """Check an entry."""
        if not isinstance(entry, Entry):
            raise InputError(
                "a journal holds entries", repr(entry), "make an anchorpbo.app.storage.journal.Entry of it"
            )
        if entry.type not in TYPES:
            raise UnknownNameError.of("an entry's type", entry.type, TYPES)
        return cls(
            type=entry.type,
            participant=as_name("a participant's name", entry.participant),
            time=as_utc("an entry's time", entry.time),
            response_ms=None if entry.response_ms is None else as_count("response_ms", entry.response_ms),
            data=as_json("an entry's data", entry.data),
            undoes=_undoes(entry),
        )

    @property
    def informative(self) -> bool:
        """Whether it is an answer that counts."""
        return self.type == "answered" and is_informative(self.type, json.loads(self.data))

    def checksum(self, study: str, number: int) -> int:
        """As the row of this number in a study's journal has it."""
        fields = (self.type, self.participant, self.time, self.response_ms, self.data, self.undoes)
        return checksum(study, number, *fields)

    def entry(self, number: int) -> Entry:
        """As an entry of this number, with data of its own."""
        return Entry(self.type, self.participant, self.time, json.loads(self.data), self.response_ms, number)


def rows_of(entries: Sequence[Entry]) -> list[Row]:
    """Check entries of anyone."""
    return [Row.of(entry) for entry in entries]


def rows_of_one(entries: Sequence[Entry]) -> list[Row]:
    """Check entries that must be of one participant."""
    rows = rows_of(entries)
    names = sorted({row.participant for row in rows})
    if len(names) > 1:
        raise InputError("entries added together must be of one participant", names, "add those of each on their own")
    return rows


def _undoes(entry: Entry) -> int | None:
    number = entry.data.get("event") if entry.type == "undone" else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 < number <= LARGEST else None
