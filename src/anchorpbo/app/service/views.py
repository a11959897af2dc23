"""Views: return values of the use cases, plain data ready for JSON."""

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
    """Summary of a study, as in the list of studies."""

    id: str
    name: str
    created: str
    updated: str
    answers: int

    @classmethod
    def from_info(cls, info: StudyInfo) -> StudySummary:
        """Return the summary of a stored study."""
        updated = info.updated or info.created
        return cls(info.id, info.name, format_time(info.created), format_time(updated), info.answers)


@dataclass(frozen=True)
class StudyView:
    """Study with its definition and its progress."""

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
        """Return the view of a stored study with its definition."""
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
    """Duel: two designs to compare."""

    id: str
    first: Design
    second: Design
    why: str
    answers: int
    """Number of informative answers by this participant so far."""
    progress: Progress
    cards: list[Card]
    """Cards of the two designs."""
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession, duel: Duel, cards: Sequence[Card]) -> DuelView:
        """Return the view of a duel of a session."""
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
    """Recorded answer."""

    duel_id: str
    outcome: Outcome
    answers: int
    repeated: bool
    """Whether the answer was recorded earlier: requests are idempotent."""
    event: int
    """Number of the answer's event."""
    next: DuelView | None = None
    """The next duel, if the request asked for it and one is left."""


@dataclass(frozen=True)
class UndoView:
    """Undone event."""

    event: JSONObject
    pending: DuelView | None
    """Duel that is pending again if the event was an answer, else null."""
    repeated: bool
    """Whether the event was undone earlier: requests with the event's number are idempotent."""


@dataclass(frozen=True)
class RecommendationView:
    """Recommended design with its uncertainty; see `anchorpbo.study.Recommendation`."""

    design: Design
    utility: float
    interval: list[float]
    """Ends of the 90 % credible interval."""
    reference: str
    noise: float
    p_best: float
    credible_set: list[Design]
    credible_probabilities: list[float]
    risk_weight: float
    p_within: float
    """Probability that the design is within `margin` of the best over the space."""
    margin: float
    """Share of the way from a median design to the best."""
    answers: int


@dataclass(frozen=True)
class ParticipantView:
    """Participant of a study."""

    name: str
    answers: int
    anchors: int
    link: str | None
    """Signed path of the participant's page; visible to the owner only."""

    @classmethod
    def from_counts(cls, name: str, counts: Mapping[str, tuple[int, int]]) -> ParticipantView:
        """Return the view of a participant without a link, from the counts of all participants."""
        answers, anchors = counts.get(name, (0, 0))
        return cls(name, answers, anchors, None)


def format_time(time: datetime) -> str:
    """Format a time in UTC as ISO 8601, to the second."""
    return time.astimezone(UTC).isoformat(timespec="seconds")
