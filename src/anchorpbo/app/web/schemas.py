"""Request bodies of the REST interface, with examples. Values are validated by the use cases."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from anchorpbo.app.definition.definition import (
    MAX_NAME_LENGTH,
    MAX_QUESTION_LENGTH,
    MAX_SHARED_PAIRS,
    MAX_TEXT_LENGTH,
    SHARED_PAIRS,
    StudyDefinition,
)
from anchorpbo.app.service.duels import MAX_RESPONSE_MS
from anchorpbo.app.web.limits import MAX_CARDS
from anchorpbo.study.events import Judgement

Participant = Field(
    None,
    description="Acting participant; by default the owner. Can be a query parameter instead.",
    min_length=1,
    max_length=MAX_NAME_LENGTH,
)


def _shared_pairs(default: float | None) -> Any:
    """Return the field of the share of shared pairs."""
    return Field(
        default,
        description="Share of questions about pairs that another participant has answered; 0 for none.",
        ge=0,
        le=MAX_SHARED_PAIRS,
        allow_inf_nan=False,
    )


SPACE_EXAMPLE: dict[str, Any] = {
    "kind": "space",
    "parameters": [
        {"name": "temperature", "kind": "real", "low": 80.0, "high": 96.0},
        {"name": "dose", "kind": "real", "low": 12.0, "high": 22.0},
        {"name": "grind", "kind": "integer", "low": 1, "high": 10},
        {"name": "origin", "kind": "categorical", "values": ["Kenya", "Brazil"]},
    ],
    "constraints": [],
}
DESIGN_EXAMPLE: dict[str, Any] = {"temperature": 92.0, "dose": 16.0, "grind": 5, "origin": "Kenya"}
STUDY_EXAMPLE: dict[str, Any] = {
    "name": "Pour-over coffee",
    "description": "Which cup do you like better?",
    "space": SPACE_EXAMPLE,
    "anchors": [DESIGN_EXAMPLE],
    "display": {"units": {"temperature": "°C", "dose": "g"}},
    "options": {"preset": "default", "seed": 0},
}


OTHER_DESIGN_EXAMPLE: dict[str, Any] = {"temperature": 85.5, "dose": 19.0, "grind": 2, "origin": "Brazil"}
DUEL_EXAMPLE: dict[str, Any] = {
    "id": "1-eb0a8fca3b5a",
    "first": DESIGN_EXAMPLE,
    "second": OTHER_DESIGN_EXAMPLE,
    "why": "To start with, two quite different ones, to get a first idea.",
    "reason": "A first look at designs that are far apart.",
    "answers": 0,
    "progress": {
        "duels": 0,
        "gain": None,
        "stop": False,
        "remaining": 21,
        "sentence": "5 more to get a first idea of what you like.",
        "p_within": None,
    },
    "cards": [],
    "known": [True, False],
    "last": 2,
}
RECOMMENDATION_EXAMPLE: dict[str, Any] = {
    "design": DESIGN_EXAMPLE,
    "utility": 1.4,
    "interval": [0.3, 2.5],
    "reference": "the average of the 16 designs compared so far: utility has no natural zero",
    "noise": 0.6,
    "relative_to": "average",
    "p_best": 0.41,
    "credible_set": [DESIGN_EXAMPLE, OTHER_DESIGN_EXAMPLE],
    "credible_probabilities": [0.41, 0.3],
    "risk_weight": 1.0,
    "p_within": 0.62,
    "margin": 0.1,
    "p_within_compared": 0.84,
    "answers": 8,
}
ANCHORS_EXAMPLE: dict[str, Any] = {
    "anchors": [
        {"design": DESIGN_EXAMPLE, "name": "my usual", "judgement": "yes"},
        {"design": OTHER_DESIGN_EXAMPLE, "name": None, "judgement": "no"},
    ],
    "last": 3,
}
PROPOSALS_EXAMPLE: list[dict[str, Any]] = [
    {
        "design": OTHER_DESIGN_EXAMPLE,
        "reason": "promising",
        "gain": 0.12,
        "sentence": "Near the most promising designs; an anchor here makes answers about 8 % of the designs more "
        "reliable, and the next ten answers reduce the expected loss by a further 12 %.",
    }
]
COMPARISONS_EXAMPLE = (
    "winner.temperature,winner.dose,winner.grind,winner.origin,loser.temperature,loser.dose,loser.grind,loser.origin\n"
    "92,16,5,Kenya,85.5,19,2,Brazil\n"
)
CATALOGUE_EXAMPLE = "name,price,colour\nBirch,12.5,white\nElm,9,brown\nOak,19,brown\nPine,7.5,white\n"


def export_example() -> dict[str, Any]:
    """Return the export of the example study without answers."""
    event = {"type": "created", "time": "2025-03-01T09:30:00+00:00", "participant": "owner"}
    study = StudyDefinition.from_request(STUDY_EXAMPLE).to_dict()
    return {"format": "anchorpbo-journal", "version": 1, "study": study, "events": [event]}


class StrictModel(BaseModel):
    """A model that rejects unknown keys, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class NewStudy(StrictModel):
    """Definition of a new study."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [STUDY_EXAMPLE]})

    name: str = Field(description="Name of the study.", min_length=1, max_length=MAX_NAME_LENGTH)
    question: str = Field(
        "",
        description="Heading of each duel; by default the question that begins the description, if there is one.",
        max_length=MAX_QUESTION_LENGTH,
    )
    description: str = Field("", description="What the study is for, for its participants.", max_length=MAX_TEXT_LENGTH)
    example: str | None = Field(None, description="Key of the example that it comes from.", max_length=MAX_NAME_LENGTH)
    space: dict[str, Any] = Field(
        description='Parameters and constraints, or a catalogue: {"kind": "space", ...} or {"kind": "catalogue", ...}.',
        examples=[SPACE_EXAMPLE],
    )
    anchors: list[dict[str, Any]] = Field(
        [], description="Designs that the owner knows well.", examples=[[DESIGN_EXAMPLE]]
    )
    display: dict[str, Any] = Field({}, description="How designs are shown.")
    options: dict[str, Any] = Field(
        {}, description="strategy, preset, seed, likelihood, inference, risk_weight, repeat_rate ..."
    )
    shared_pairs: float = _shared_pairs(SHARED_PAIRS)


class StudyEdit(StrictModel):
    """New values of a study's properties; properties that are left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "Pour-over, second batch"}, {"archived": True}]}
    )

    name: str | None = Field(None, min_length=1, max_length=MAX_NAME_LENGTH)
    question: str | None = Field(None, max_length=MAX_QUESTION_LENGTH)
    description: str | None = Field(None, max_length=MAX_TEXT_LENGTH)
    archived: StrictBool | None = Field(None, description="Whether the study is listed among the archived ones.")
    shared_pairs: float | None = _shared_pairs(None)


class Ask(StrictModel):
    """Participant who is asked."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"participant": "owner"}]})

    participant: str | None = Participant
    again: int | None = Field(
        None,
        ge=1,
        le=2**53,
        description="Number of an answer's event, to ask its duel once more with the sides swapped.",
    )
    check: bool = Field(
        False, description="Whether to ask about designs whose comparison shows if the anchors are right."
    )


class Answer(StrictModel):
    """Answer to a duel."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"duel_id": "0-0123456789ab", "outcome": "first", "response_ms": 2400}]},
    )

    duel_id: str = Field(description="Id of the open duel.", min_length=1, max_length=MAX_NAME_LENGTH)
    outcome: Literal["first", "second", "tie", "skip"]
    response_ms: int | None = Field(None, ge=0, le=MAX_RESPONSE_MS, description="Response time in milliseconds.")
    ask: bool = Field(False, description="Whether to return the next duel, as `next`.")
    participant: str | None = Participant


class Undo(StrictModel):
    """Event to undo."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"participant": "owner"}]})

    event: int | None = Field(
        None, ge=1, le=2**53,
        description="Number of the event, which must be the last one not undone; makes the request idempotent.",
    )  # fmt: skip
    participant: str | None = Participant


class Mark(StrictModel):
    """A design to mark or to remove the mark of."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"design": DESIGN_EXAMPLE}]})

    design: dict[str, Any] = Field(examples=[DESIGN_EXAMPLE])
    participant: str | None = Participant


class NewAnchor(Mark):
    """A design to mark as an anchor or, with another judgement, as one that is not, with an optional name."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"design": DESIGN_EXAMPLE, "name": "my usual"},
                {"design": DESIGN_EXAMPLE, "judgement": "no"},
            ]
        },
    )

    name: str | None = Field(None, description="What the participant calls it.", max_length=MAX_NAME_LENGTH)
    judgement: Judgement = Field("yes", description="Whether the participant could judge the design well.")


class AnchorName(Mark):
    """The new name of an anchor."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"design": DESIGN_EXAMPLE, "name": "the 2019 winner"}]}
    )

    name: str | None = Field(description="What the participant calls it; null for no name.", max_length=MAX_NAME_LENGTH)


class Designs(StrictModel):
    """Designs to show as cards."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"designs": [DESIGN_EXAMPLE]}]})

    designs: list[dict[str, Any]] = Field(max_length=MAX_CARDS, examples=[[DESIGN_EXAMPLE]])


class Remark(StrictModel):
    """A comment."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"text": "The second one was served cold."}]}
    )

    text: str = Field(min_length=1, max_length=MAX_TEXT_LENGTH)
    event: int | None = Field(None, ge=1, le=2**53, description="Number of the event that the comment is about.")
    participant: str | None = Participant


class Invitation(StrictModel):
    """A participant to add or to give a new link."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Ana"}]})

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH, examples=["Ana"])
