"""What use cases return: plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.app.rendering.cards import Card
from anchorpbo.study import Outcome, Progress

JSONObject = dict[str, Any]
Design = dict[str, Any]


@dataclass(frozen=True)
class StudyLine:
    """A study in the list of them."""

    id: str
    name: str
    created: str
    updated: str
    answers: int


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
    """What was taken back."""

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
