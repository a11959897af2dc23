"""Imports of studies: read an untrusted export, or raise an `InputError`.

A replay validates everything. Only these fields of an event are kept, by its type::

    created          name
    edited           name, question, description, archived, shared_pairs
    anchor_added     design, name, judgement
    anchor_removed   design
    anchor_named     design, name
    asked            duel_id, first, second, why, gain
    answered         duel_id, first, second, outcome, imported
    undone           event
    commented        text, event
    removed, invited, relinked      name
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anchorpbo.app.definition.definition import (
    EDITABLE,
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    StudyDefinition,
    check_anchor_name,
    check_edits,
)
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.definition.validation import check_json, check_text, raise_input_errors
from anchorpbo.app.storage.journal import OWNER, Entry, EntryType
from anchorpbo.errors import InputError
from anchorpbo.study.events import parse_judgement

MAX_PARTICIPANTS = 1_000
_FIELDS: dict[EntryType, tuple[str, ...]] = {
    "created": ("name",),
    "edited": EDITABLE,
    "anchor_added": ("design", "name", "judgement"),
    "anchor_removed": ("design",),
    "anchor_named": ("design", "name"),
    "asked": ("duel_id", "first", "second", "why", "gain"),
    "answered": ("duel_id", "first", "second", "outcome", "imported"),
    "undone": ("event",),
    "commented": ("text", "event"),
    "removed": ("name",),
    "invited": ("name",),
    "relinked": ("name",),
}
_REMEDY = "export the study again"


@dataclass(frozen=True)
class ImportedStudy:
    """A study read from an export and validated by a replay."""

    definition: StudyDefinition
    entries: Sequence[Entry]
    """Numbered from 1."""
    participants: Sequence[str]
    """All participants, including those without entries."""


def read_export(layout: Any) -> ImportedStudy:
    """Read an export and validate everything in it."""
    check_json("an export", layout)
    if not isinstance(layout, Mapping) or not isinstance(layout.get("study"), Mapping):
        received = "another object" if isinstance(layout, Mapping) else repr(layout)
        raise InputError("an export must be an object with a study and events", received, _REMEDY)
    if layout.get("version", 1) != 1:
        raise InputError("an export must be of version 1", repr(layout["version"]), "upgrade anchorpbo")
    definition = StudyDefinition.from_dict(layout["study"], trusted=False)
    entries = _read_entries(layout.get("events"))
    listed = layout["study"].get("participants") or []
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = list(dict.fromkeys([OWNER, *names, *(entry.participant for entry in entries)]))
    if len(names) > MAX_PARTICIPANTS:
        raise InputError(f"a study must have at most {MAX_PARTICIPANTS} participants", len(names), "split it")
    own: dict[str, list[Entry]] = {name: [] for name in names}
    for entry in entries:
        own[entry.participant].append(entry)
    for name in names:
        if check_text("a participant's name", name, MAX_NAME_LENGTH, required=True) != name:
            raise InputError("a participant's name must not begin or end with spaces", repr(name), "rename them")
        with raise_input_errors("the events of an export"):
            ParticipantSession(definition, name).replay_untrusted(own[name])
    return ImportedStudy(definition, entries, names)


def _read_entries(events: Any) -> list[Entry]:
    if not isinstance(events, list):
        raise InputError("the events of an export must be a list", type(events).__name__, _REMEDY)
    numbers: dict[int, int] = {}
    entries: list[Entry] = []
    for new, event in enumerate(events, start=1):
        entry = Entry.from_dict(event)
        numbers[entry.number or new] = new
        data = {name: entry.data[name] for name in _FIELDS[entry.type] if name in entry.data}
        entries.append(replace(entry, number=new, data=_check_data(entry.type, data, numbers)))
    if not entries or entries[0].type != "created":
        raise InputError("the first event of an export must be of type created", "another", _REMEDY)
    return entries


def _check_data(kind: EntryType, data: dict[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Validate the data of an event and renumber its references; the replay validates designs later."""
    if kind == "created":
        data["name"] = check_text("a study's name", data.get("name", ""), MAX_NAME_LENGTH)
    elif kind == "edited":
        data = check_edits(data)
    elif kind == "commented":
        data["text"] = check_text("a comment", data.get("text"), MAX_TEXT_LENGTH, required=True)
    elif kind in ("anchor_added", "anchor_named"):
        data |= {"name": check_anchor_name(data["name"])} if data.get("name") is not None else {}
        if parse_judgement(data.get("judgement", "yes")) == "yes":
            data.pop("judgement", None)
    elif kind in ("removed", "invited", "relinked"):
        data["name"] = check_text("a participant's name", data.get("name"), MAX_NAME_LENGTH, required=True)
    elif kind == "answered":
        data = {name: value for name, value in data.items() if name != "imported" or value}
    event = data.get("event")
    if event is not None:
        if not isinstance(event, int) or isinstance(event, bool) or event not in numbers:
            raise InputError("an event must refer to an earlier one", repr(event), _REMEDY)
        data["event"] = numbers[event]
    return data
