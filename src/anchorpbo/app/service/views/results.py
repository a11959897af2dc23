"""Views of results: recommendation, assessment, figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.layouts import Design, JSONObject
from anchorpbo.plots.plot import Plot
from anchorpbo.study import Assessment
from anchorpbo.study.assessment import AssessmentCode
from anchorpbo.study.recommendation import ReferenceKind


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
