"""Events of a study in the app: the library's events of one participant's log, and those that only the app knows.

::

    event                          type of its entry    data of its entry
    Created                        created              name, of the study
    Edited                         edited               new values of some of name, question, description, ...
    AnchorAdded                    anchor_added         design; name, if the mark has one; judgement, if not "yes"
    AnchorRemoved                  anchor_removed       design
    AnchorNamed                    anchor_named         design; name, the anchor's new one, or null
    Asked                          asked                duel_id, first, second, why, gain
    Answered                       answered             duel_id, first, second, outcome
    Preferred                      answered             first, second, outcome; duel_id null, imported true
    Undone                         undone               event, the number of the undone entry
    Commented                      commented            text; event, the number of the entry it refers to, or null
    Removed, Invited, Relinked     likewise             name, of a participant

`make_entry` converts an event to an entry of the journal, and `read_event` reads it back. No other code knows how an
event is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeAlias, cast

from anchorpbo.app.storage.journal import Entry, EntryType
from anchorpbo.errors import InputError
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study import Duel
from anchorpbo.study.duel import parse_outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Event, Preferred, parse_judgement


@dataclass(frozen=True)
class Created:
    """The owner created the study."""

    type: ClassVar[EntryType] = "created"
    name: str


@dataclass(frozen=True)
class Edited:
    """The owner changed texts or settings of the study."""

    type: ClassVar[EntryType] = "edited"
    values: Mapping[str, Any]
    """New values by name, see `anchorpbo.app.definition.definition.check_edits`."""


@dataclass(frozen=True)
class AnchorNamed:
    """A participant gave an anchor a new name, or removed its name."""

    type: ClassVar[EntryType] = "anchor_named"
    design: Design
    name: str | None


@dataclass(frozen=True)
class Asked:
    """A participant was asked a duel."""

    type: ClassVar[EntryType] = "asked"
    duel: Duel


@dataclass(frozen=True)
class Undone:
    """A participant undid the last of their events that was not undone."""

    type: ClassVar[EntryType] = "undone"
    event: int
    """Number of the entry of the undone event."""


@dataclass(frozen=True)
class Commented:
    """A participant commented on an event, or on the study."""

    type: ClassVar[EntryType] = "commented"
    text: str
    event: int | None
    """Number of the entry that the comment refers to; ``None`` for the study."""


@dataclass(frozen=True)
class Removed:
    """The owner removed a participant."""

    type: ClassVar[EntryType] = "removed"
    name: str


@dataclass(frozen=True)
class Invited:
    """The owner invited a removed participant again."""

    type: ClassVar[EntryType] = "invited"
    name: str


@dataclass(frozen=True)
class Relinked:
    """The owner gave a participant a new link."""

    type: ClassVar[EntryType] = "relinked"
    name: str


AppEvent: TypeAlias = Created | Edited | AnchorNamed | Asked | Undone | Commented | Removed | Invited | Relinked
StudyEvent: TypeAlias = Event | AppEvent


def make_entry(event: StudyEvent, participant: str, response_ms: int | None = None) -> Entry:
    """Return the entry of an event, with the current time."""
    kind = "answered" if isinstance(event, Preferred) else event.type
    return Entry(cast(EntryType, kind), participant, datetime.now(UTC), _make_data(event), response_ms)


def _make_data(event: StudyEvent) -> dict[str, Any]:
    match event:
        case Asked(duel):
            return {"duel_id": duel.id, "first": duel.first, "second": duel.second, "why": duel.why, "gain": duel.gain}
        case Answered(duel_id, first, second, outcome):
            return {"duel_id": duel_id, "first": first, "second": second, "outcome": outcome}
        case Preferred(winner, loser, tie):
            outcome = "tie" if tie else "first"
            return {"duel_id": None, "first": winner, "second": loser, "outcome": outcome, "imported": True}
        case AnchorAdded(design, name, judgement):
            named = {} if name is None else {"name": name}
            return {"design": design, **named, **({} if judgement == "yes" else {"judgement": judgement})}
        case Edited(values):
            return dict(values)
    return dict(vars(event))


def read_event(entry: Entry, space: DesignSpace, asked: Mapping[str, Duel]) -> StudyEvent:
    """Read the event of an entry; raise `KeyError` or `TypeError` if the entry is incomplete.

    Parameters
    ----------
    entry
        An entry of one participant.
    space
        Design space of the study, which checks the designs.
    asked
        Duels that this participant was asked before, by id.
    """
    data = entry.data
    if entry.type == "answered":
        return _read_preference(data, space) if data.get("imported") else _read_answer(data, space, asked)
    return _READERS[entry.type](data, space)


def _read_question(data: Mapping[str, Any], space: DesignSpace) -> Asked:
    gain = data["gain"]
    first, second = _read_pair(data, space)
    return Asked(Duel(data["duel_id"], first, second, data["why"], None if gain is None else float(gain)))


def _read_answer(data: Mapping[str, Any], space: DesignSpace, asked: Mapping[str, Duel]) -> Answered:
    duel = asked[data["duel_id"]]
    if _read_pair(data, space) != (duel.first, duel.second):
        raise InputError("an answer must have the designs of its duel", repr(duel.id), "import a complete export")
    return Answered.of(duel, parse_outcome(data["outcome"]))


def _read_preference(data: Mapping[str, Any], space: DesignSpace) -> Preferred:
    outcome = parse_outcome(data["outcome"])
    if outcome == "skip":
        raise InputError("a comparison from elsewhere must have an outcome", "skip", "leave it out")
    first, second = _read_pair(data, space)
    winner, loser = (second, first) if outcome == "second" else (first, second)
    return Preferred(winner, loser, outcome == "tie")


def _read_pair(data: Mapping[str, Any], space: DesignSpace) -> tuple[Design, Design]:
    """Return the two designs; JavaScript writes 1.0 as 1, so the space sets the number types."""
    return space.check(data["first"]), space.check(data["second"])


_READERS: dict[str, Callable[[Mapping[str, Any], DesignSpace], StudyEvent]] = {
    "created": lambda data, space: Created(data["name"]),
    "edited": lambda data, space: Edited(data),
    "anchor_added": lambda data, space: AnchorAdded(
        space.check(data["design"]), data.get("name"), parse_judgement(data.get("judgement", "yes"))
    ),
    "anchor_removed": lambda data, space: AnchorRemoved(space.check(data["design"])),
    "anchor_named": lambda data, space: AnchorNamed(space.check(data["design"]), data.get("name")),
    "asked": _read_question,
    "undone": lambda data, space: Undone(data["event"]),
    "commented": lambda data, space: Commented(data["text"], data.get("event")),
    "removed": lambda data, space: Removed(data["name"]),
    "invited": lambda data, space: Invited(data["name"]),
    "relinked": lambda data, space: Relinked(data["name"]),
}
