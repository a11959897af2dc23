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
from anchorpbo.formatting import format_significant
from anchorpbo.plots.plot import Plot
from anchorpbo.study import Assessment, Audit, Duel, Finding, Optimizer, Outcome, Progress, Retest
from anchorpbo.study.anchor_proposals import Reason
from anchorpbo.study.anchor_validation import CONTRADICTED_FACTOR, SUPPORTED_FACTOR, AnchorValidation, Verdict
from anchorpbo.study.assessment import AssessmentCode
from anchorpbo.study.audit.finding import FindingLevel
from anchorpbo.study.events import Judgement
from anchorpbo.study.explanations import name_sides
from anchorpbo.study.recommendation import ReferenceKind
from anchorpbo.study.serialization import ADDED_OPTIONS

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
            options={name: (ADDED_OPTIONS | dict(definition.engine)).get(name) for name in OPTIONS},
        )


@dataclass(frozen=True)
class AnchorView:
    """Marked design of a participant."""

    design: Design
    name: str | None
    """Name given by the participant; null without one."""
    judgement: Judgement = "good"
    """How well they can judge it: "good" for an anchor, "poor" for a negative anchor, or "unsure"."""


@dataclass(frozen=True)
class AnchorsView:
    """All marked designs of a participant."""

    anchors: list[AnchorView]
    """Anchors, negative anchors and designs marked as unsure, in the order in which they were marked."""
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession) -> AnchorsView:
        """Return the view of a session's marks."""
        marks = [AnchorView(one.design, one.name, one.judgement) for one in session.marks]
        return cls(marks, session.last_number)

    def count(self, judgement: Judgement = "good") -> int:
        """Return the number of marks of one judgement."""
        return sum(one.judgement == judgement for one in self.anchors)


@dataclass(frozen=True)
class ProposalView:
    """Design that a participant may mark; see `anchorpbo.AnchorProposal`."""

    design: Design
    reason: Reason
    """Whether it may be the best or is far from the marked designs."""
    gain: float
    """How much more the next ten answers are expected to tell about the best design if it becomes an anchor."""
    sentence: str
    """Reason and gain in words."""


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
class FindingView:
    """Finding about the answers; see `anchorpbo.study.Finding`."""

    name: str
    title: str
    value: float | None
    """The number; null if there are not enough answers for one."""
    interval: list[float]
    """90 % interval of the value; its whole range if nothing is known."""
    sentence: str
    level: FindingLevel
    level_text: str
    """The level in words."""
    figure: bool
    """Whether `figures/audit` has a figure of this finding."""

    @classmethod
    def from_finding(cls, finding: Finding) -> FindingView:
        """Return the view of a finding."""
        interval = list(finding.interval)
        return cls(
            finding.name, finding.title, finding.value, interval, finding.sentence, finding.level, finding.level_text,
            finding.data is not None,
        )  # fmt: skip


@dataclass(frozen=True)
class AuditView:
    """Whether a participant's answers can be trusted; see `anchorpbo.study.Audit`."""

    sentence: str
    answers: int
    findings: list[FindingView]

    @classmethod
    def from_audit(cls, audit: Audit) -> AuditView:
        """Return the view of an audit."""
        return cls(audit.sentence, audit.answers, [FindingView.from_finding(each) for each in audit])


@dataclass(frozen=True)
class RetestBandView:
    """Agreement of answers to the same pair in one band of reliability; see `anchorpbo.study.RetestBand`."""

    name: str
    retests: int
    """Number of retests: each compares two consecutive answers to the same pair."""
    agreed: int
    share: float | None
    """Share of retests with the same answer; null without any."""
    interval: list[float]
    """90 % interval of the share; from 0 to 1 without any retest."""
    expected: float | None
    """Share that the model expects; null without any retest."""


@dataclass(frozen=True)
class RetestView:
    """Agreement of a participant's answers to the same pair; see `anchorpbo.study.Retest`."""

    sentence: str
    retests: int
    """Number of retests in all bands."""
    bands: list[RetestBandView]

    @classmethod
    def from_retest(cls, retest: Retest) -> RetestView:
        """Return the view of an agreement."""
        bands = [RetestBandView(**(vars(band) | {"interval": list(band.interval)})) for band in retest.bands]
        return cls(retest.sentence, retest.retests, bands)


VERDICT_ADVICE: Mapping[Verdict, str] = {
    "supported": "Answers near your anchors rightly count more.",
    "open": "Answer more questions; those that check your anchors tell most about them.",
    "contradicted": "Check your anchors, and remove those that you could not judge without trying them again.",
}


@dataclass(frozen=True)
class AnchorValidationView:
    """Whether a participant's anchors are right, according to their answers; see `anchorpbo.study.AnchorValidation`."""

    anchors: int
    """Number of anchors."""
    bayes_factor: float
    """Evidence of the anchored noise map as a multiple of that of a constant one; 1 if it was not compared."""
    verdict: Verdict
    sentence: str
    explanation: str
    """The Bayes factor and its limits in words; empty if the maps were not compared."""
    advice: str
    """What to do next; empty if the maps were not compared."""
    strengths: list[float]
    """Strengths of the map that were compared; empty without anchors or with too few answers."""
    factors: list[float]
    """Bayes factor of each strength."""
    retest: RetestView

    @classmethod
    def from_optimizer(cls, optimizer: Optimizer) -> AnchorValidationView:
        """Return the view of the validation of a study's anchors."""
        return cls.from_validation(optimizer.validate_anchors(), len(optimizer.anchors))

    @classmethod
    def from_validation(cls, found: AnchorValidation, anchors: int) -> AnchorValidationView:
        """Return the view of a validation of this number of anchors."""
        compared = bool(found.strengths)
        return cls(
            anchors, found.bayes_factor, found.verdict, found.sentence,
            _explain_factor(found.bayes_factor) if compared else "",
            VERDICT_ADVICE[found.verdict] if compared else "",
            list(found.strengths), list(found.factors), RetestView.from_retest(found.retest),
        )  # fmt: skip

    @property
    def paragraphs(self) -> list[str]:
        """The texts to show: on the anchors if there are any or their map was compared, on repeats if there are any."""
        anchors = [self.sentence, self.explanation, self.advice] if self.anchors or self.strengths else []
        repeats = [self.retest.sentence] if self.retest.retests else []
        return [text for text in (*anchors, *repeats) if text]


def _explain_factor(factor: float) -> str:
    return (
        f"The Bayes factor is {format_significant(factor, 2)}: from {SUPPORTED_FACTOR:g} up the answers support your "
        f"anchors, from 1/{1.0 / CONTRADICTED_FACTOR:g} down they contradict them."
    )


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
