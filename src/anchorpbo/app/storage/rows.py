"""Rows that every storage back end stores: validated values, journal entries, heads of studies and their checksums.

The rules are the same for every back end, so that back ends are interchangeable. An entry becomes an `EntryRow`, the
counts of a study become a `Head`. A checksum covers these columns, in this order::

    studies        definition_checksum: definition      checksum: id, name, created, definition_checksum, edits if any
    participants   checksum: study, name, position
    entries        checksum: study and all columns of an entry, including its number
    heads          checksum: study, entries, participants, answers, updated
    secrets        checksum: name, value
    clips          content_checksum: content               checksum: study, name, type, size, content_checksum
    clip_chunks    checksum: study, name, position, content

CRC-32 detects every burst error of up to 32 bits and takes four microseconds per entry. It does not protect against
deliberate changes. Gaps in the numbers and the head reveal missing rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from anchorpbo.app.storage.base import ClipInfo, unknown_study_error
from anchorpbo.app.storage.journal import ENTRY_TYPES, Entry, EntryType, is_informative
from anchorpbo.errors import InputError, UnknownNameError

MAX_INTEGER = 2**63 - 1
"""Largest integer that every database can store."""
_MAX_NAME_LENGTH = 200
"""Maximum length of an id or a participant's name; PostgreSQL's indices cannot hold much longer ones."""

ColumnValue = str | int | bytes | datetime | None
"""Value of a column."""


@dataclass(frozen=True)
class EntryRow:
    """Stored form of a journal entry.

    Parameters
    ----------
    type, participant, time, response_ms
        As in `Entry`; the time is in UTC.
    data
        The entry's data as JSON.
    undoes
        Number of the entry that this one undoes. The data contains it, too; with the column, answers can be counted
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
                "a journal holds entries", repr(entry), "convert it to an anchorpbo.app.storage.journal.Entry"
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
        """Whether the entry is an informative answer."""
        return self.type == "answered" and is_informative(self.type, json.loads(self.data))

    def checksum(self, study: str, number: int) -> int:
        """Return the checksum of this row at a number in a study's journal."""
        fields = (self.type, self.participant, self.time, self.response_ms, self.data, self.undoes)
        return compute_checksum(study, number, *fields)

    def to_entry(self, number: int) -> Entry:
        """Return the entry with this number and a new copy of the data."""
        return Entry(self.type, self.participant, self.time, json.loads(self.data), self.response_ms, number)


def make_rows(entries: Sequence[Entry]) -> list[EntryRow]:
    """Validate entries of one or more participants and convert them to rows."""
    return [EntryRow.from_entry(entry) for entry in entries]


def make_rows_of_one(entries: Sequence[Entry]) -> list[EntryRow]:
    """Validate entries, check that they belong to one participant, and convert them to rows."""
    rows = make_rows(entries)
    names = sorted({row.participant for row in rows})
    if len(names) > 1:
        raise InputError("entries appended together must be of one participant", names, "append per participant")
    return rows


@dataclass(frozen=True)
class Head:
    """Counts of a study's rows, which reveal missing rows.

    The list of studies reads only the heads instead of all journals.
    """

    entries: int = 0
    """Number of entries in the journal, which is the number of the last one."""
    participants: int = 0
    answers: int = 0
    """Informative answers that were not undone."""
    updated: datetime | None = None
    """Time of the last entry."""

    def append(self, rows: Sequence[EntryRow], answers: int) -> Head:
        """Return the head after appending `rows` (not empty), with the new count of valid answers."""
        return replace(self, entries=self.entries + len(rows), answers=answers, updated=rows[-1].time)

    def checksum(self, study: str) -> int:
        """Return the checksum of the head of this study."""
        return compute_checksum(study, self.entries, self.participants, self.answers, self.updated)


def count_answers(rows: Iterable[tuple[int, EntryRow]]) -> int:
    """Count the informative answers that were not undone, from numbered rows in order."""
    valid: set[int] = set()
    for number, row in rows:
        if row.is_informative:
            valid.add(number)
        elif row.type == "undone":
            valid.discard(row.undoes or 0)
    return len(valid)


def merge_edits(edits: Mapping[str, Any], rows: Iterable[EntryRow]) -> dict[str, Any]:
    """Return the edits of a study after these rows."""
    merged = dict(edits)
    for row in rows:
        if row.type == "edited":
            merged |= json.loads(row.data)
    return merged


def compute_checksum(*values: ColumnValue) -> int:
    """Return the CRC-32 of values, in order."""
    # NUL separates the values, because text cannot contain it, see `as_text`.
    texts = [value if type(value) is str else _column_text(value) for value in values]
    return crc32("\0".join(texts).encode("utf-8", "surrogatepass"))


def make_clip(name: Any, type: Any, content: Any) -> ClipInfo:
    """Validate a clip and return its description."""
    if not isinstance(content, bytes):
        raise InputError("the content of a clip must be bytes", repr(content)[:60], "read the file in binary mode")
    return ClipInfo(as_name("a clip's name", name), as_text("a clip's type", type), len(content), crc32(content))


# -- values -----------------------------------------------------------------------------------------------------------


def as_text(what: str, value: Any) -> str:
    """Return text that every database can store, or raise."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be text", repr(value), "write a str")
    if not _is_storable(value):
        raise InputError(f"{what} must not contain NUL characters or half a surrogate pair", repr(value), "remove them")
    return value


def as_name(what: str, value: Any) -> str:
    """Return a text of 1 to 200 characters for a key column, or raise."""
    if not 1 <= len(as_text(what, value)) <= _MAX_NAME_LENGTH:
        raise InputError(
            f"{what} must have between 1 and {_MAX_NAME_LENGTH} characters", repr(value), "choose another one"
        )
    return str(value)


def as_study_id(id: Any) -> str:
    """Return a study's id; raise `UnknownStudyError` if it cannot be stored."""
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
