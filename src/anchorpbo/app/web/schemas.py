"""What requests carry. Values are checked by the use cases; these say what there is, with examples that work."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anchorpbo.app.definition.definition import StudyDefinition

MOST_CARDS = 50
"""Designs in one request for cards; pages send more in several."""
Participant = Field(
    None, description="Who acts; the owner by default. May be in the address instead.", min_length=1, max_length=200
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


OTHER_DESIGN: dict[str, Any] = {"temperature": 85.5, "dose": 19.0, "grind": 2, "origin": "Brazil"}
DUEL_EXAMPLE: dict[str, Any] = {
    "id": "1-eb0a8fca3b5a",
    "first": DESIGN_EXAMPLE,
    "second": OTHER_DESIGN,
    "why": "A first look at designs that are far apart.",
    "answers": 0,
    "progress": {
        "duels": 0,
        "gain": None,
        "stop": False,
        "remaining": 18,
        "sentence": "5 more to get a first idea of what you like.",
    },
    "cards": [],
    "last": None,
}
RECOMMENDATION_EXAMPLE: dict[str, Any] = {
    "design": DESIGN_EXAMPLE,
    "utility": 1.4,
    "interval": [0.3, 2.5],
    "reference": "the average of the 16 designs compared so far: utility has no origin of its own",
    "noise": 0.6,
    "p_best": 0.41,
    "credible_set": [DESIGN_EXAMPLE, OTHER_DESIGN],
    "credible_probabilities": [0.41, 0.3],
    "risk_weight": 1.0,
    "answers": 8,
}
COMPARISONS_EXAMPLE = (
    "winner.temperature,winner.dose,winner.grind,winner.origin,loser.temperature,loser.dose,loser.grind,loser.origin\n"
    "92,16,5,Kenya,85.5,19,2,Brazil\n"
)
CATALOGUE_EXAMPLE = "name,price,colour\nBirch,12.5,white\nElm,9,brown\nOak,19,brown\nPine,7.5,white\n"


def export_example() -> dict[str, Any]:
    """An export of the example study, as it is when it was just made."""
    event = {"type": "created", "time": "2025-03-01T09:30:00+00:00", "participant": "owner"}
    study = StudyDefinition.from_request(STUDY_EXAMPLE).to_dict()
    return {"format": "anchorpbo-journal", "version": 1, "study": study, "events": [event]}


class Strict(BaseModel):
    """Unknown keys are errors: a misspelt one would silently say nothing."""

    model_config = ConfigDict(extra="forbid")


class NewStudy(Strict):
    """What a study is made with."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [STUDY_EXAMPLE]})

    name: str = Field(description="For people.", min_length=1, max_length=200)
    description: str = Field("", max_length=5_000)
    example: str | None = Field(None, description="Key of the example it is made from.", max_length=200)
    space: dict[str, Any] = Field(
        description='Parameters and constraints, or a catalogue: {"kind": "space", ...} or {"kind": "catalogue", ...}.',
        examples=[SPACE_EXAMPLE],
    )
    anchors: list[dict[str, Any]] = Field([], description="Designs the owner knows well.", examples=[[DESIGN_EXAMPLE]])
    display: dict[str, Any] = Field({}, description="How designs are shown.")
    options: dict[str, Any] = Field({}, description="strategy, preset, seed, likelihood, inference, risk_weight ...")


class Ask(Strict):
    """Whose duel."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"participant": "owner"}]})

    participant: str | None = Participant


class Answer(Strict):
    """Which design is preferred."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"duel_id": "0-0123456789ab", "outcome": "first", "response_ms": 2400}]},
    )

    duel_id: str = Field(description="Of the duel that is out.", min_length=1, max_length=200)
    outcome: Literal["first", "second", "tie", "skip"]
    response_ms: int | None = Field(None, ge=0, le=604_800_000, description="How long it took, in milliseconds.")
    ask: bool = Field(False, description="Whether the next duel is to come with the reply, as `next`.")
    participant: str | None = Participant


class Undo(Strict):
    """Whose last event, or which."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"participant": "owner"}]})

    event: int | None = Field(
        None, ge=1, le=2**53,
        description="Number of the event, which must be the last that stands; to be safe against sending it twice.",
    )  # fmt: skip
    participant: str | None = Participant


class Mark(Strict):
    """A design that is known well, or no longer."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"design": DESIGN_EXAMPLE}]})

    design: dict[str, Any] = Field(examples=[DESIGN_EXAMPLE])
    participant: str | None = Participant


class Designs(Strict):
    """Designs to look at."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"designs": [DESIGN_EXAMPLE]}]})

    designs: list[dict[str, Any]] = Field(max_length=MOST_CARDS, examples=[[DESIGN_EXAMPLE]])


class Remark(Strict):
    """A comment."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"text": "The second one was served cold."}]}
    )

    text: str = Field(min_length=1, max_length=5_000)
    event: int | None = Field(None, ge=1, le=2**53, description="Number of the event it is about.")
    participant: str | None = Participant


class Invitation(Strict):
    """Someone who is to take part."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Ana"}]})

    name: str = Field(min_length=1, max_length=200, examples=["Ana"])
