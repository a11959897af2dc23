"""Rows that every storage back end keeps: validated values, journal entries, heads of studies and their checksums.

The rules are the same for every back end, so that one can be exchanged for another. An entry becomes an `EntryRow`, a
study's counts a `Head`. A checksum covers these columns, in this order::

    studies        definition_checksum: definition      checksum: id, name, created, definition_checksum
    participants   checksum: study, name, position
    entries        checksum: study and all columns of an entry, its number included
    heads          checksum: study, entries, participants, answers, updated
    secrets        checksum: name, value

CRC-32 finds every error within 32 bits in a row and takes four microseconds an entry; it is no protection against
someone who means to change a database. Missing rows are found by the numbers of the others and by the head.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from anchorpbo.app.storage.base import unknown_study_error
from anchorpbo.app.storage.journal import ENTRY_TYPES, Entry, EntryType, is_informative
from anchorpbo.errors import InputError, UnknownNameError

MAX_INTEGER = 2**63 - 1
"""The largest whole number a database keeps."""
_MAX_NAME_LENGTH = 200
"""Characters of an id or a participant's name: PostgreSQL's indices have no room for much longer ones."""

ColumnValue = str | int | bytes | datetime | None
"""Value of a column."""


@dataclass(frozen=True)
class EntryRow:
    """An entry of a journal as storage keeps it.

    Parameters
    ----------
    type, participant, time, response_ms
        As in `Entry`; the time is in UTC.
    data
        As JSON.
    undoes
        Number of the entry that this one takes back. It is in the data too; the column lets answers be counted
        without parsing JSON.
    """

    type: EntryType
    participant: str
    time: datetime
    response_ms: int | None
    data: str
    undoes: int | None

    @classmethod
    def from_entry(cls, entry: Entry) -> EntryRow:
        """Validate an entry and convert it to a row."""
        if not isinstance(entry, Entry):
            raise InputError(
                "a journal holds entries", repr(entry), "make an anchorpbo.app.storage.journal.Entry of it"
            )
        if entry.type not in ENTRY_TYPES:
            raise UnknownNameError.of("an entry's type", entry.type, ENTRY_TYPES)
        return cls(
            type=entry.type,
            participant=as_name("a participant's name", entry.participant),
            time=as_utc("an entry's time", entry.time),
            response_ms=None if entry.response_ms is None else as_count("response_ms", entry.response_ms),
            data=as_json("an entry's data", entry.data),
            undoes=_undone_number(entry),
        )

    @property
    def is_informative(self) -> bool:
        """Whether it is an answer that counts."""
        return self.type == "answered" and is_informative(self.type, json.loads(self.data))

    def checksum(self, study: str, number: int) -> int:
        """Checksum of the row of this number in a study's journal."""
        fields = (self.type, self.participant, self.time, self.response_ms, self.data, self.undoes)
        return compute_checksum(study, number, *fields)

    def to_entry(self, number: int) -> Entry:
        """Entry of this number, with data of its own."""
        return Entry(self.type, self.participant, self.time, json.loads(self.data), self.response_ms, number)


def make_rows(entries: Sequence[Entry]) -> list[EntryRow]:
    """Validate entries of any participants and convert them to rows."""
    return [EntryRow.from_entry(entry) for entry in entries]


def make_rows_of_one(entries: Sequence[Entry]) -> list[EntryRow]:
    """Validate entries that must be of one participant and convert them to rows."""
    rows = make_rows(entries)
    names = sorted({row.participant for row in rows})
    if len(names) > 1:
        raise InputError("entries added together must be of one participant", names, "add those of each on their own")
    return rows


@dataclass(frozen=True)
class Head:
    """Counts of a study's rows, so that no missing row goes unnoticed.

    The list of studies reads heads only; otherwise it would have to read all journals.
    """

    entries: int = 0
    """In its journal: the number of the last one."""
    participants: int = 0
    answers: int = 0
    """Informative answers that were not undone."""
    updated: datetime | None = None
    """Time of the last entry."""

    def append(self, rows: Sequence[EntryRow], answers: int) -> Head:
        """Head after appending `rows` (not empty), with the new count of valid answers."""
        return replace(self, entries=self.entries + len(rows), answers=answers, updated=rows[-1].time)

    def checksum(self, study: str) -> int:
        """Checksum of the head of this study."""
        return compute_checksum(study, self.entries, self.participants, self.answers, self.updated)


def count_answers(rows: Iterable[tuple[int, EntryRow]]) -> int:
    """Count the informative answers that were not undone, from numbered rows in their order."""
    valid: set[int] = set()
    for number, row in rows:
        if row.is_informative:
            valid.add(number)
        elif row.type == "undone":
            valid.discard(row.undoes or 0)
    return len(valid)


def compute_checksum(*values: ColumnValue) -> int:
    """CRC-32 of values, in their order."""
    # Text holds no NUL, see `as_text`.
    texts = [value if type(value) is str else _column_text(value) for value in values]
    return crc32("\0".join(texts).encode("utf-8", "surrogatepass"))


# -- values -----------------------------------------------------------------------------------------------------------


def as_text(what: str, value: Any) -> str:
    """Return text that every database can keep, or raise."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be text", repr(value), "write a str")
    if not _is_storable(value):
        raise InputError(f"{what} must not hold NUL characters or half a surrogate pair", repr(value), "remove them")
    return value


def as_name(what: str, value: Any) -> str:
    """Return a text of 1 to 200 characters that something is found by, or raise."""
    if not 1 <= len(as_text(what, value)) <= _MAX_NAME_LENGTH:
        raise InputError(
            f"{what} must have between 1 and {_MAX_NAME_LENGTH} characters", repr(value), "choose another one"
        )
    return str(value)


def as_study_id(id: Any) -> str:
    """Return a study's id; an id that cannot be stored belongs to no study."""
    if not isinstance(id, str):
        raise InputError("a study's id must be text", repr(id), "write a str")
    if not _is_storable(id):
        raise unknown_study_error(id)
    return id


def as_count(what: str, value: Any) -> int:
    """Return a whole number from 0, or raise."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_INTEGER:
        raise InputError(f"{what} must be a whole number from 0", repr(value), "count from 0")
    return int(value)


def as_utc(what: str, value: Any) -> datetime:
    """Convert a time with a time zone to UTC."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InputError(f"{what} must be a time with a time zone", repr(value), "write datetime.now(UTC)")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InputError(f"{what} must be between the years 1 and 9999", repr(value), "check the clock") from error


def as_json(what: str, value: Any) -> str:
    """Encode a mapping as JSON in ASCII, so that any text in it can be stored."""
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be a mapping", repr(value), "write a dict")
    try:
        return json.dumps(dict(value), allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        remedy = "use dicts with text as keys, lists, text, finite numbers, booleans and None"
        raise InputError(f"{what} must be ready for JSON", error, remedy) from error


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _column_text(value: ColumnValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return value.hex() if isinstance(value, bytes) else str(value)


def _undone_number(entry: Entry) -> int | None:
    number = entry.data.get("event") if entry.type == "undone" else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 < number <= MAX_INTEGER else None
