"""An export read back: whatever it holds, either a study that works or an `InputError`.

Everything is checked by replaying it. Of an event only what its type has is kept::

    created          name
    anchor_added     design
    anchor_removed   design
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

from anchorpbo.app.definition.definition import LONGEST_NAME, LONGEST_TEXT, Definition, text
from anchorpbo.app.definition.plain import check_plain, refusing
from anchorpbo.app.definition.rater import Rater
from anchorpbo.app.storage.journal import OWNER, Entry, EntryType
from anchorpbo.errors import InputError

MOST_PARTICIPANTS = 1_000
_FIELDS: dict[EntryType, tuple[str, ...]] = {
    "created": ("name",),
    "anchor_added": ("design",),
    "anchor_removed": ("design",),
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
class Import:
    """A study that was read and found to work."""

    definition: Definition
    entries: Sequence[Entry]
    """Numbered from 1."""
    participants: Sequence[str]
    """All of them, those without entries included."""


def read_export(layout: Any) -> Import:
    """Check an export and everything in it."""
    check_plain("an export", layout)
    if not isinstance(layout, Mapping) or not isinstance(layout.get("study"), Mapping):
        received = "another object" if isinstance(layout, Mapping) else repr(layout)
        raise InputError("an export must be an object with a study and events", received, _REMEDY)
    if layout.get("version", 1) != 1:
        raise InputError("an export must be of version 1", repr(layout["version"]), "upgrade anchorpbo")
    definition = Definition.from_dict(layout["study"], trusted=False)
    entries = _entries(layout.get("events"))
    listed = layout["study"].get("participants") or []
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = list(dict.fromkeys([OWNER, *names, *(entry.participant for entry in entries)]))
    if len(names) > MOST_PARTICIPANTS:
        raise InputError(f"a study must have at most {MOST_PARTICIPANTS} participants", len(names), "split it")
    own: dict[str, list[Entry]] = {name: [] for name in names}
    for entry in entries:
        own[entry.participant].append(entry)
    for name in names:
        if text("a participant's name", name, LONGEST_NAME, needed=True) != name:
            raise InputError("a participant's name must not begin or end with spaces", repr(name), "rename them")
        with refusing("the events of an export"):
            Rater(definition, name).vet(own[name])
    return Import(definition, entries, names)


def _entries(events: Any) -> list[Entry]:
    if not isinstance(events, list):
        raise InputError("the events of an export must be a list", type(events).__name__, _REMEDY)
    numbers: dict[int, int] = {}
    entries: list[Entry] = []
    for new, event in enumerate(events, start=1):
        entry = Entry.from_dict(event)
        numbers[entry.number or new] = new
        data = {name: entry.data[name] for name in _FIELDS[entry.type] if name in entry.data}
        entries.append(replace(entry, number=new, data=_checked(entry.type, data, numbers)))
    if not entries or entries[0].type != "created":
        raise InputError("the first event of an export must be of type created", "another", _REMEDY)
    return entries


def _checked(kind: EntryType, data: dict[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """What an event holds beside designs, which the replay checks; references are to new numbers."""
    if kind == "created":
        data["name"] = text("a study's name", data.get("name", ""), LONGEST_NAME)
    elif kind == "commented":
        data["text"] = text("a comment", data.get("text"), LONGEST_TEXT, needed=True)
    elif kind in ("removed", "invited", "relinked"):
        data["name"] = text("a participant's name", data.get("name"), LONGEST_NAME, needed=True)
    elif kind == "answered":
        data = {name: value for name, value in data.items() if name != "imported" or value}
    event = data.get("event")
    if event is not None:
        if not isinstance(event, int) or isinstance(event, bool) or event not in numbers:
            raise InputError("an event must refer to an earlier one", repr(event), _REMEDY)
        data["event"] = numbers[event]
    return data
