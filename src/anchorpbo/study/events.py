"""Events of a study, as plain data, and the log entries that hold them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.validation import freeze
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.duel import Duel, Outcome, parse_outcome
from anchorpbo.typing import Array

Judgement = Literal["yes", "no", "unsure"]
"""Answer to "could you judge this design well?"."""
JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)


@dataclass(frozen=True)
class Answered:
    """The user answered a duel."""

    type: ClassVar[str] = "answered"
    duel: str
    """Id of the duel."""
    first: Design
    second: Design
    outcome: Outcome
    gain: float | None = None
    """Expected gain of the duel, see `Duel.gain`."""

    @classmethod
    def of(cls, duel: Duel, outcome: Outcome) -> Answered:
        """Return the answer to a duel."""
        return cls(duel.id, dict(duel.first), dict(duel.second), outcome, duel.gain)


@dataclass(frozen=True)
class Preferred:
    """The user prefers one design to another, without having been asked."""

    type: ClassVar[str] = "preferred"
    winner: Design
    loser: Design
    tie: bool = False
    """Whether the user finds the two equal instead."""


@dataclass(frozen=True)
class AnchorAdded:
    """The user marked a design; this replaces an earlier mark of the design with another judgement."""

    type: ClassVar[str] = "anchor_added"
    design: Design
    name: str | None = None
    """Name given by the user; not part of the digest, because no result depends on it."""
    judgement: Judgement = "yes"
    """Whether the user could judge the design well: "yes" makes it an anchor and "no" a negative anchor; "unsure" only
    keeps it from being proposed again."""


@dataclass(frozen=True)
class AnchorRemoved:
    """The user removed the mark of a design, of any judgement."""

    type: ClassVar[str] = "anchor_removed"
    design: Design


Event: TypeAlias = Answered | Preferred | AnchorAdded | AnchorRemoved


def list_designs(event: Event) -> tuple[Design, ...]:
    """Return the one or two designs of an event."""
    if isinstance(event, Answered):
        return event.first, event.second
    if isinstance(event, Preferred):
        return event.winner, event.loser
    return (event.design,)


def parse_judgement(text: object) -> Judgement:
    """Return a judgement; raise unless it is one."""
    if not isinstance(text, str) or text not in JUDGEMENTS:
        raise UnknownNameError.of("judgement", text, JUDGEMENTS)
    return text


def event_to_dict(event: Event) -> dict[str, Any]:
    """Convert an event to JSON data; its designs are copies."""
    fields = {key: dict(value) if isinstance(value, dict) else value for key, value in vars(event).items()}
    if isinstance(event, AnchorAdded) and event.name is None:
        del fields["name"]
    # Left out, so that anchors have the text and the digest of releases without judgements.
    if isinstance(event, AnchorAdded) and event.judgement == "yes":
        del fields["judgement"]
    return {"type": event.type, **fields}


def event_from_dict(data: Mapping[str, Any], space: DesignSpace) -> Event:
    """Read an event from JSON data; its designs are checked against the space."""
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise InputError("an event must be an object with a type", repr(data), "export the study again")
    kind = data["type"]
    if kind not in _READERS:
        raise UnknownNameError.of("an event's type", kind, _READERS)
    try:
        return _READERS[kind](data, space)
    except KeyError as error:
        raise InputError(f"an event of type {kind} must have {error}", repr(dict(data)), "add it") from error


def check_event(event: Event, space: DesignSpace) -> Event:
    """Return an event with its designs and numbers as the space writes them; raise if they are not of this space."""
    if not isinstance(event, Answered | Preferred | AnchorAdded | AnchorRemoved):
        raise InputError("an event must be one of anchorpbo.study.events", repr(event), "or use tell")
    return event_from_dict(event_to_dict(event), space)


def _read_answer(data: Mapping[str, Any], space: DesignSpace) -> Event:
    duel, gain = data["duel"], data.get("gain")
    if not isinstance(duel, str) or not isinstance(gain, float | int | None) or isinstance(gain, bool):
        rule = "an answer must name its duel, and a gain must be a number"
        raise InputError(rule, repr((duel, gain)), "export the study again")
    designs = space.check(data["first"]), space.check(data["second"])
    return Answered(duel, *designs, parse_outcome(data["outcome"]), None if gain is None else float(gain))


def _read_preference(data: Mapping[str, Any], space: DesignSpace) -> Event:
    if not isinstance(data.get("tie", False), bool):
        raise InputError("tie must be true or false", repr(data["tie"]), "leave it out if there is a winner")
    return Preferred(space.check(data["winner"]), space.check(data["loser"]), data.get("tie", False))


def _read_anchor(data: Mapping[str, Any], space: DesignSpace) -> Event:
    name = data.get("name")
    if not isinstance(name, str | None):
        raise InputError("the name of an anchor must be text", repr(name), "leave it out if the anchor has none")
    return AnchorAdded(space.check(data["design"]), name, parse_judgement(data.get("judgement", "yes")))


_READERS: dict[str, Callable[[Mapping[str, Any], DesignSpace], Event]] = {
    "answered": _read_answer,
    "preferred": _read_preference,
    "anchor_added": _read_anchor,
    "anchor_removed": lambda data, space: AnchorRemoved(space.check(data["design"])),
}


@dataclass(frozen=True, eq=False)
class LogEntry:
    """Entry of a log: an event, the coordinates of its designs and the digest of the log up to it."""

    event: Event
    points: Array
    """Coordinates of its designs, (1 or 2, d)."""
    digest: str
    """Digest of the study, of this event and of all before it."""

    @classmethod
    def create(cls, digest: str, event: Event, points: Array) -> LogEntry:
        """Create the entry of an event that follows a log with this digest."""
        data = event_to_dict(event)
        if isinstance(event, AnchorAdded):
            data.pop("name", None)
        return cls(event, freeze(points), compute_digest([digest, data]))


def compute_digest(data: Any) -> str:
    """Compute the SHA-256 digest of JSON data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
