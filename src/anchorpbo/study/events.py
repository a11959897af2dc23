"""What was said in a study: plain data, from which everything else follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.duel import Outcome, as_outcome


@dataclass(frozen=True)
class Answered:
    """The user answered a duel."""

    type: ClassVar[str] = "answered"
    duel: str
    """Its id."""
    first: Design
    second: Design
    outcome: Outcome
    gain: float | None = None
    """What was expected of it, see `Duel.gain`."""


@dataclass(frozen=True)
class Preferred:
    """The user prefers one design to another, without having been asked."""

    type: ClassVar[str] = "preferred"
    winner: Design
    loser: Design
    tie: bool = False
    """Whether they find the two equal instead."""


@dataclass(frozen=True)
class AnchorAdded:
    """The user knows a design well."""

    type: ClassVar[str] = "anchor_added"
    design: Design


@dataclass(frozen=True)
class AnchorRemoved:
    """The user does not know it that well after all."""

    type: ClassVar[str] = "anchor_removed"
    design: Design


Event: TypeAlias = Answered | Preferred | AnchorAdded | AnchorRemoved


def designs_of(event: Event) -> tuple[Design, ...]:
    """The one or two designs an event is about."""
    if isinstance(event, Answered):
        return event.first, event.second
    if isinstance(event, Preferred):
        return event.winner, event.loser
    return (event.design,)


def event_to_dict(event: Event) -> dict[str, Any]:
    """An event as JSON holds it; its designs are copies."""
    fields = {key: dict(value) if isinstance(value, dict) else value for key, value in vars(event).items()}
    return {"type": event.type, **fields}


def event_from_dict(data: Mapping[str, Any], space: DesignSpace) -> Event:
    """The event of a dict, its designs checked against the space."""
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise InputError("an event must be an object with a type", repr(data), "export the study again")
    kind = data["type"]
    if kind not in _READERS:
        raise UnknownNameError.of("an event's type", kind, _READERS)
    try:
        return _READERS[kind](data, space)
    except KeyError as problem:
        raise InputError(f"an event of type {kind} must have {problem}", repr(dict(data)), "add it") from problem


def _answered(data: Mapping[str, Any], space: DesignSpace) -> Event:
    duel, gain = data["duel"], data.get("gain")
    if not isinstance(duel, str) or not isinstance(gain, float | int | None) or isinstance(gain, bool):
        rule = "an answer must name its duel, and a gain must be a number"
        raise InputError(rule, repr((duel, gain)), "export the study again")
    designs = space.check(data["first"]), space.check(data["second"])
    return Answered(duel, *designs, as_outcome(data["outcome"]), None if gain is None else float(gain))


def _preferred(data: Mapping[str, Any], space: DesignSpace) -> Event:
    if not isinstance(data.get("tie", False), bool):
        raise InputError("tie must be true or false", repr(data["tie"]), "leave it out where there is a winner")
    return Preferred(space.check(data["winner"]), space.check(data["loser"]), data.get("tie", False))


_READERS: dict[str, Callable[[Mapping[str, Any], DesignSpace], Event]] = {
    "answered": _answered,
    "preferred": _preferred,
    "anchor_added": lambda data, space: AnchorAdded(space.check(data["design"])),
    "anchor_removed": lambda data, space: AnchorRemoved(space.check(data["design"])),
}
