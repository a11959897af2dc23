"""The journal of a study: an append-only log of its participants' actions.

An undone entry stays in the journal, followed by an entry of type ``undone``. The whole state of a study, including
each participant's log, is a replay of its journal.

An entry has a type and data ready for JSON; `anchorpbo.app.definition.events` says which data each type has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from anchorpbo.errors import InputError, UnknownNameError

EntryType = Literal[
    "created", "edited", "anchor_added", "anchor_removed", "anchor_named", "asked", "answered", "undone",
    "commented", "removed", "invited", "relinked",
]  # fmt: skip
ENTRY_TYPES: tuple[EntryType, ...] = get_args(EntryType)

OWNER = "owner"
"""The participant who created the study."""


@dataclass(frozen=True)
class Entry:
    """An entry of a journal.

    Parameters
    ----------
    type
        Type of the entry.
    participant
        Participant who acted.
    time
        Time of the action, with a time zone.
    data
        Data by type, ready for JSON.
    response_ms
        Response time of an answer, in milliseconds.
    number
        Position in the journal, from 1; 0 before it is appended.
    """

    type: EntryType
    participant: str
    time: datetime
    data: Mapping[str, Any]
    response_ms: int | None = None
    number: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the entry in the form of an export."""
        return {
            "number": self.number,
            "type": self.type,
            "time": self.time.astimezone(UTC).isoformat(timespec="microseconds"),
            "participant": self.participant,
            "response_ms": self.response_ms,
            **self.data,
        }

    @classmethod
    def from_dict(cls, layout: Any) -> Entry:
        """Read an entry of an export."""
        if not isinstance(layout, Mapping):
            raise InputError("an event must be an object", repr(layout), "export the study again")
        data = dict(layout)
        kind, participant, time = (data.pop(name, None) for name in ("type", "participant", "time"))
        response_ms, number = data.pop("response_ms", None), data.pop("number", 0)
        if kind not in ENTRY_TYPES:
            raise UnknownNameError.of("an event's type", kind, ENTRY_TYPES)
        if not isinstance(participant, str) or not participant:
            raise InputError("an event must name its participant", repr(participant), "export the study again")
        if not _is_count(number) or not (response_ms is None or _is_count(response_ms)):
            rule = "number and response_ms must be whole numbers from 0"
            raise InputError(rule, repr((number, response_ms)), "export the study again")
        return cls(kind, participant, _as_time(time), data, response_ms, number)


def is_informative(kind: str, data: Mapping[str, Any]) -> bool:
    """Return whether an entry is an informative answer: a preference or a tie, not a skip."""
    return kind == "answered" and data.get("outcome") != "skip"


def list_standing(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that were not undone."""
    entries = list(entries)
    undone = {entry.data.get("event", 0) for entry in entries if entry.type == "undone"}
    return [entry for entry in entries if entry.number not in undone]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _as_time(text: Any) -> datetime:
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InputError("an event's time must be in ISO 8601", repr(text), "export the study again") from problem
