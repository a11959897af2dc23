"""Views: what use cases return, plain data that is ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from anchorpbo.app.definition.definition import OPTIONS, StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.study import Duel, Outcome, Progress

JSONObject = dict[str, Any]
Design = dict[str, Any]


@dataclass(frozen=True)
class StudySummary:
    """A study in the list of them."""

    id: str
    name: str
    created: str
    updated: str
    answers: int

    @classmethod
    def from_info(cls, info: StudyInfo) -> StudySummary:
        """Format what storage knows of a study."""
        updated = info.updated or info.created
        return cls(info.id, info.name, format_time(info.created), format_time(updated), info.answers)


@dataclass(frozen=True)
class StudyView:
    """A study: what it was made with and how far it is."""

    id: str
    name: str
    description: str
    example: str | None
    created: str
    updated: str
    answers: int
    participants: list[str]
    space: JSONObject
    display: JSONObject
    options: JSONObject

    @classmethod
    def from_definition(cls, info: StudyInfo, definition: StudyDefinition, participants: list[str]) -> StudyView:
        """View a study by its definition and what storage knows of it."""
        return cls(
            id=info.id,
            name=info.name,
            description=definition.description,
            example=definition.example,
            created=format_time(info.created),
            updated=format_time(info.updated or info.created),
            answers=info.answers,
            participants=participants,
            space=dict(definition.engine["space"]),
            display=definition.display_without_pictures,
            options={name: definition.engine.get(name) for name in OPTIONS},
        )


@dataclass(frozen=True)
class DuelView:
    """Two designs to choose between."""

    id: str
    first: Design
    second: Design
    why: str
    answers: int
    """By this participant so far, those that say nothing left out."""
    progress: Progress
    cards: list[Card]
    """The two designs as people see them."""
    last: int | None
    """Number of the event that an undo would take back."""

    @classmethod
    def from_session(cls, session: ParticipantSession, duel: Duel, cards: Sequence[Card]) -> DuelView:
        """View a duel of a session."""
        return cls(
            id=duel.id,
            first=duel.first,
            second=duel.second,
            why=duel.why,
            answers=len(session.optimizer),
            progress=session.optimizer.progress(duel),
            cards=list(cards),
            last=None if session.last_entry is None else session.last_entry.number,
        )


@dataclass(frozen=True)
class AnswerView:
    """An answer that was recorded, now or before."""

    duel_id: str
    outcome: Outcome
    answers: int
    repeated: bool
    """Whether it had been recorded before: sending an answer twice does no harm."""
    event: int
    """Number of its event."""
    next: DuelView | None = None
    """The next duel, where it was asked for with the answer and there is one."""


@dataclass(frozen=True)
class UndoView:
    """An event that was undone."""

    event: JSONObject
    pending: DuelView | None
    """The duel that is out again, where it was an answer."""
    repeated: bool
    """Whether it had been taken back before: with the event's number, sending it twice does no harm."""


@dataclass(frozen=True)
class RecommendationView:
    """The design to take, and how sure that is; see `anchorpbo.study.Recommendation`."""

    design: Design
    utility: float
    interval: list[float]
    """The ends of that of 90 %."""
    reference: str
    noise: float
    p_best: float
    credible_set: list[Design]
    credible_probabilities: list[float]
    risk_weight: float
    answers: int


@dataclass(frozen=True)
class ParticipantView:
    """Someone who takes part."""

    name: str
    answers: int
    anchors: int
    link: str | None
    """A path to their page, signed; for the owner only."""

    @classmethod
    def from_counts(cls, name: str, counts: Mapping[str, tuple[int, int]]) -> ParticipantView:
        """View a participant by the answers and anchors of all, without a link."""
        answers, anchors = counts.get(name, (0, 0))
        return cls(name, answers, anchors, None)


def format_time(time: datetime) -> str:
    """Format a time in UTC as ISO 8601, to the second."""
    return time.astimezone(UTC).isoformat(timespec="seconds")
