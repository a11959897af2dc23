"""Views: return values of the use cases, plain data ready for JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from anchorpbo.app.definition.definition import OPTIONS, StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.service.layouts import Design, DisplayObject, JSONObject, OptionsObject, SpaceObject, UndoneObject
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.plots.plot import Plot
from anchorpbo.study import Assessment, Duel, Outcome, Progress
from anchorpbo.study.assessment import AssessmentCode
from anchorpbo.study.explanations import name_sides
from anchorpbo.study.recommendation import ReferenceKind

_QUESTION = re.compile(r"[^?\n]{1,110}\?")


@dataclass(frozen=True)
class StudySummary:
    """Summary of a study, as in the list of studies."""

    id: str
    name: str
    created: str
    updated: str
    answers: int
    archived: bool

    @classmethod
    def from_info(cls, info: StudyInfo) -> StudySummary:
        """Return the summary of a stored study."""
        updated = info.updated or info.created
        archived = bool(info.edits.get("archived", False))
        return cls(info.id, info.name, format_time(info.created), format_time(updated), info.answers, archived)


def find_question(description: str) -> str:
    """Return the question that a description begins with, or an empty text."""
    found = _QUESTION.match(description)
    return found[0] if found else ""


@dataclass(frozen=True)
class StudyView:
    """Study with its definition and its progress."""

    id: str
    name: str
    question: str
    """Question of each duel; empty for the default one. By default, the question that the description begins with."""
    description: str
    example: str | None
    created: str
    updated: str
    answers: int
    archived: bool
    shared_pairs: float
    """Share of questions about pairs that another participant has answered."""
    participants: list[str]
    space: SpaceObject
    display: DisplayObject
    options: OptionsObject

    @classmethod
    def from_definition(cls, info: StudyInfo, definition: StudyDefinition, participants: list[str]) -> StudyView:
        """Return the view of a stored study with its definition."""
        description = info.edits.get("description", definition.description)
        return cls(
            id=info.id,
            name=info.name,
            question=info.edits.get("question", definition.question) or find_question(description),
            description=description,
            example=definition.example,
            created=format_time(info.created),
            updated=format_time(info.updated or info.created),
            answers=info.answers,
            archived=bool(info.edits.get("archived", False)),
            shared_pairs=info.edits.get("shared_pairs", definition.shared_pairs),
            participants=participants,
            space=dict(definition.engine["space"]),
            display=definition.display_without_pictures,
            options={name: definition.engine.get(name) for name in OPTIONS},
        )


@dataclass(frozen=True)
class AnchorView:
    """Anchor of a participant."""

    design: Design
    name: str | None
    """Name given by the participant; null without one."""


@dataclass(frozen=True)
class AnchorsView:
    """All anchors of a participant."""

    anchors: list[AnchorView]
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession) -> AnchorsView:
        """Return the view of a session's anchors."""
        return cls([AnchorView(one.design, one.name) for one in session.anchors], session.last_number)


@dataclass(frozen=True)
class DuelView:
    """Duel: two designs to compare."""

    id: str
    first: Design
    second: Design
    why: str
    reason: str
    """The same sentence with the letters of the cards: A is the first design, B the second."""
    answers: int
    """Number of informative answers by this participant so far."""
    progress: Progress
    cards: list[Card]
    """Cards of the two designs."""
    known: list[bool]
    """Whether each of the two designs is an anchor of this participant."""
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession, duel: Duel, cards: Sequence[Card]) -> DuelView:
        """Return the view of a duel of a session."""
        anchors = session.optimizer.anchors
        return cls(
            id=duel.id,
            first=duel.first,
            second=duel.second,
            why=duel.why,
            reason=name_sides(duel.why, "A", "B"),
            answers=len(session.optimizer),
            progress=session.optimizer.progress(duel),
            cards=list(cards),
            known=[design in anchors for design in (duel.first, duel.second)],
            last=session.last_number,
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
class ImportView:
    """Result of an import of comparisons."""

    imported: int
    """Number of comparisons."""


@dataclass(frozen=True)
class UndoView:
    """Undone event."""

    event: UndoneObject
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
    relative_to: ReferenceKind
    """Kind of reference of the utility."""
    p_best: float
    credible_set: list[Design]
    credible_probabilities: list[float]
    risk_weight: float
    p_within: float
    """Probability that the design is within `margin` of the best over the space."""
    margin: float
    """Share of the way from a median design to the best."""
    p_within_compared: float
    """The same probability among the designs compared only."""
    answers: int


@dataclass(frozen=True)
class ContradictionView:
    """Answer that the participant's other answers make improbable; see `anchorpbo.study.Surprise`."""

    event: int
    """Number of the answer's event."""
    winner: Design
    loser: Design
    tie: bool
    probability: float
    sentence: str


HEADLINES: Mapping[AssessmentCode, str] = {
    "early": "Just started.",
    "continue": "Keep going.",
    "stop": "Good enough.",
    "contradictory": "Contradictory.",
}


@dataclass(frozen=True)
class AssessmentView:
    """Whether a participant can stop; see `anchorpbo.study.Assessment`."""

    code: AssessmentCode
    headline: str
    """The verdict in a word or two."""
    sentence: str
    evidence: str
    predicted: int
    recent: int
    contradictions: list[ContradictionView]

    @classmethod
    def from_assessment(cls, session: ParticipantSession, assessment: Assessment) -> AssessmentView:
        """Return the view of the assessment of a session's study."""
        fields = ("winner", "loser", "tie", "probability", "sentence")
        numbers = list(session.events)
        contradictions = [
            ContradictionView(numbers[each.event], **{name: getattr(each, name) for name in fields})
            for each in assessment.contradictions
        ]
        headline = HEADLINES[assessment.code]
        return cls(**(vars(assessment) | {"contradictions": contradictions, "headline": headline}))


@dataclass(frozen=True)
class FigureView:
    """Figure as plotly's data and layout, which plotly.js draws."""

    description: str
    """Description of the figure, for people who cannot see it."""
    data: list[JSONObject]
    layout: JSONObject

    @classmethod
    def from_plot(cls, plot: Plot) -> FigureView:
        """Return the view of a plot, transparent and legible on any background."""
        figure = json.loads(plot.plotly("auto").to_json())
        return cls(plot.description, figure["data"], figure["layout"])


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
