"""Layouts of the JSON objects in views that are plain dicts in Python: spaces, displays, options and events.

Views hold these objects as stored. `Described` states their layout for OpenAPI, from which the types of the pages'
scripts are generated, without checking or copying the objects: a catalogue may have millions of cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from anchorpbo.analysis.axes import Cell

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

JSONObject = dict[str, Any]
_MARK = "x-layout"
_REFERENCE = "#/components/schemas/{model}"


@dataclass(frozen=True)
class Described:
    """Annotation of a plain JSON value with the name of its layout in OpenAPI. The value is passed on as it is."""

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Return a schema that accepts any value."""
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        """Return a mark, which `add_layouts` replaces by a reference: pydantic rejects references to other schemas."""
        return {_MARK: self.name}


def add_layouts(openapi: dict[str, Any]) -> dict[str, Any]:
    """Add the layouts that `Described` names, and refer to them."""
    from pydantic import TypeAdapter

    _refer(openapi)
    schemas = openapi.setdefault("components", {}).setdefault("schemas", {})
    for name, layout in LAYOUTS.items():
        schema = TypeAdapter(layout).json_schema(ref_template=_REFERENCE)
        _refer(schema)
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema | {"title": name}
    return openapi


def _refer(schema: Any) -> None:
    """Replace the marks in a schema by references, in place."""
    if isinstance(schema, dict):
        name = schema.pop(_MARK, None)
        if name is not None:
            schema["$ref"] = _REFERENCE.format(model=name)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _refer(part)


Design = Annotated[dict[str, Any], Described("Design")]
"""Values of a design by name."""


# -- design spaces -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RealLayout:
    """Parameter that is a real number."""

    name: str
    kind: Literal["real"]
    low: float
    high: float
    log: bool = False
    step: float | None = None


@dataclass(frozen=True)
class IntegerLayout:
    """Parameter that is an integer."""

    name: str
    kind: Literal["integer"]
    low: int
    high: int
    log: bool = False


@dataclass(frozen=True)
class ChoiceLayout:
    """Parameter with a list of values."""

    name: str
    kind: Literal["categorical", "ordinal"]
    values: list[Cell]


@dataclass(frozen=True)
class BooleanLayout:
    """Parameter that is true or false."""

    name: str
    kind: Literal["boolean"]


@dataclass(frozen=True)
class ConstantLayout:
    """Parameter with one value."""

    name: str
    kind: Literal["constant"]
    value: Cell


@dataclass(frozen=True)
class ConstraintLayout:
    """Linear constraint: a sum of parameters times coefficients between two bounds, of which one may be null."""

    coefficients: dict[str, float]
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class ParameterSpaceLayout:
    """Design space of parameters."""

    kind: Literal["space"]
    parameters: list[RealLayout | IntegerLayout | ChoiceLayout | BooleanLayout | ConstantLayout]
    constraints: list[ConstraintLayout]


@dataclass(frozen=True)
class ColumnLayout:
    """Column of a catalogue."""

    name: str
    values: list[Cell]


@dataclass(frozen=True)
class CatalogueLayout:
    """Design space that is a list of designs, with the roles of its columns."""

    kind: Literal["catalogue"]
    columns: list[ColumnLayout]
    features: list[str]
    categories: list[str]
    fingerprint: list[str]
    key: str


SpaceObject = Annotated[JSONObject, Described("Space")]
CatalogueObject = Annotated[JSONObject, Described("CatalogueLayout")]
ConstraintObject = Annotated[JSONObject, Described("ConstraintLayout")]


# -- displays and options ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DisplayLayout:
    """How designs are shown, see `anchorpbo.app.rendering.display`; keys without a value are left out."""

    template: str | None = None
    svg: str | None = None
    image: str | None = None
    smiles: str | None = None
    clip: str | None = None
    link: str | None = None
    title: str | None = None
    labels: dict[str, str] | None = None
    units: dict[str, str] | None = None
    hidden: list[str] | None = None
    hide_values: bool | None = None


@dataclass(frozen=True)
class OptionsLayout:
    """Options of the study's `Optimizer`; null if the preset decides, an object once resolved."""

    strategy: str | JSONObject | None
    preset: str | JSONObject | None
    seed: int | None
    likelihood: str | JSONObject | None
    inference: str | JSONObject | None
    initial: int | None
    refit_every: int | None
    risk_weight: float | None
    repeat_rate: float | None


DisplayObject = Annotated[JSONObject, Described("DisplayLayout")]
OptionsObject = Annotated[JSONObject, Described("OptionsLayout")]


# -- events ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EventLayout:
    """Properties that all events have."""

    number: int
    time: str
    participant: str
    response_ms: int | None
    stands: bool | None = None
    """Whether the event was not undone; in a history only."""


@dataclass(frozen=True, kw_only=True)
class AnsweredLayout(EventLayout):
    """Answer to a duel."""

    type: Literal["answered"]
    duel_id: str
    first: Design
    second: Design
    outcome: Literal["first", "second", "tie", "skip"]
    imported: bool | None = None


@dataclass(frozen=True, kw_only=True)
class AnchorLayout(EventLayout):
    """Change of a participant's anchors."""

    type: Literal["anchor_added", "anchor_removed"]
    design: Design
    name: str | None = None
    """Name given when the anchor was added."""


@dataclass(frozen=True, kw_only=True)
class AnchorNamedLayout(EventLayout):
    """New name of an anchor; null removes the name."""

    type: Literal["anchor_named"]
    design: Design
    name: str | None


@dataclass(frozen=True, kw_only=True)
class CommentedLayout(EventLayout):
    """Comment on an event, or on the study if `event` is null."""

    type: Literal["commented"]
    text: str
    event: int | None


@dataclass(frozen=True, kw_only=True)
class OtherEventLayout(EventLayout):
    """Event of another type, whose further properties depend on it."""

    type: Literal["created", "edited", "asked", "undone", "removed", "invited", "relinked"]


@dataclass(frozen=True)
class AnsweredDuelLayout:
    """Answered duel of a map."""

    first: Design
    second: Design
    outcome: Literal["first", "second", "tie", "skip"]


AnsweredDuel = Annotated[JSONObject, Described("AnsweredDuelLayout")]
UndoneObject = Annotated[JSONObject, Described("UndoneEvent")]
CommentObject = Annotated[JSONObject, Described("CommentedLayout")]
EventObject = Annotated[JSONObject, Described("Event")]

LAYOUTS: dict[str, Any] = {
    "Design": dict[str, Cell],
    "Space": ParameterSpaceLayout | CatalogueLayout,
    "CatalogueLayout": CatalogueLayout,
    "ConstraintLayout": ConstraintLayout,
    "DisplayLayout": DisplayLayout,
    "OptionsLayout": OptionsLayout,
    "UndoneEvent": AnsweredLayout | AnchorLayout,
    "CommentedLayout": CommentedLayout,
    "AnsweredDuelLayout": AnsweredDuelLayout,
    "Event": AnsweredLayout | AnchorLayout | AnchorNamedLayout | CommentedLayout | OtherEventLayout,
}
"""Layouts by their names in OpenAPI."""
