"""What may be kept: the same rules for every back end, so that one can be changed for another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from anchorpbo.errors import ConflictError, InputError, UnknownStudyError

LARGEST = 2**63 - 1
"""The largest whole number a database keeps."""

_LONGEST = 200
"""Characters of an id or a participant's name: PostgreSQL's indices have no room for much longer ones."""


def as_text(what: str, value: Any) -> str:
    """Text that every database can keep."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be text", repr(value), "write a str")
    if not _storable(value):
        raise InputError(f"{what} must not hold NUL characters or half a surrogate pair", repr(value), "remove them")
    return value


def as_name(what: str, value: Any) -> str:
    """Text that something is found by."""
    if not 1 <= len(as_text(what, value)) <= _LONGEST:
        raise InputError(f"{what} must have between 1 and {_LONGEST} characters", repr(value), "choose another one")
    return str(value)


def as_study(id: Any) -> str:
    """The id to look a study up by; there is no study of an id that cannot be kept."""
    if not isinstance(id, str):
        raise InputError("a study's id must be text", repr(id), "write a str")
    if not _storable(id):
        raise unknown_study(id)
    return id


def as_count(what: str, value: Any) -> int:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise InputError(f"{what} must be a whole number from 0", repr(value), "count from 0")
    return int(value)


def as_utc(what: str, value: Any) -> datetime:
    """The same time in UTC."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InputError(f"{what} must be a time with a time zone", repr(value), "write datetime.now(UTC)")
    try:
        return value.astimezone(UTC)
    except OverflowError as problem:
        raise InputError(f"{what} must be between the years 1 and 9999", repr(value), "check the clock") from problem


def as_json(what: str, value: Any) -> str:
    """JSON in ASCII, so that any text in it can be kept."""
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be a mapping", repr(value), "write a dict")
    try:
        return json.dumps(dict(value), allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as problem:
        remedy = "use dicts with text as keys, lists, text, finite numbers, booleans and None"
        raise InputError(f"{what} must be ready for JSON", problem, remedy) from problem


def unknown_study(id: str) -> UnknownStudyError:
    """Say that there is no such study."""
    return UnknownStudyError("there must be a study of this id", repr(id), "list the studies to see their ids")


def unknown_participant(name: str) -> UnknownStudyError:
    """Say that they do not take part."""
    return UnknownStudyError("only participants of a study can add to it", repr(name), "add the participant first")


def taken(id: str) -> ConflictError:
    """Say that there is a study of this id already."""
    return ConflictError("a new study needs an id of its own", repr(id), "choose another id, or delete the study")


def overtaken(participant: str, last: int, seen: int) -> ConflictError:
    """Say that someone else acted for the same participant."""
    rule = f"the last entry of {participant!r} must be known to whoever adds one"
    return ConflictError(rule, f"{seen} where the last one is {last}", "read the new entries and decide again")


def _storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
