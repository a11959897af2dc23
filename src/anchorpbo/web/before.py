"""Routes for the time before there is a study: examples to start from, and a check of what is being written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import numpy as np
from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from anchorpbo.errors import UnknownNameError
from anchorpbo.examples import EXAMPLES, example
from anchorpbo.service import Studies
from anchorpbo.service.cards import Card, card
from anchorpbo.service.definition import Definition
from anchorpbo.service.views import JSONObject, StudyView
from anchorpbo.space import DesignSpace
from anchorpbo.space.constraints import as_constraints
from anchorpbo.web.access import WhoAsks
from anchorpbo.web.api import router as api
from anchorpbo.web.schemas import NewStudy

router = APIRouter(prefix="/api", responses=api.responses, tags=["studies"])


@dataclass(frozen=True)
class ExampleLine:
    """An example in the list of them."""

    key: str
    title: str
    description: str


@dataclass(frozen=True)
class CheckedStudy:
    """A study that could be made."""

    ok: bool
    """Always true: what is wrong comes as a problem."""
    dimension: int
    """Parameters that vary, or columns that tell items apart."""
    designs: int | None
    """How many different ones there are; ``None`` where they are endless, or more than can be counted."""
    constraints: list[JSONObject]
    """Those of the space, as a study takes them."""
    card: Card
    """The design in the middle, as people will see it."""


@router.get("/examples")
def list_examples(request: Request, access: WhoAsks) -> list[ExampleLine]:
    """Examples, in the order to offer them."""
    access.as_owner()
    return [ExampleLine(one.key, one.title, one.description) for one in EXAMPLES.values()]


@router.post("/examples/{key}", status_code=HTTPStatus.CREATED)
def create_from_example(request: Request, access: WhoAsks, key: str, response: Response) -> StudyView:
    """Make a study from an example."""
    access.as_owner()
    try:
        chosen = example(key)
    except UnknownNameError as problem:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(problem)) from problem
    studies: Studies = request.app.state.studies
    view = studies.create(chosen.definition)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.post("/studies/check")
def check_study(request: Request, access: WhoAsks, new: NewStudy) -> CheckedStudy:
    """Check what a study would be made with; nothing is kept. Constraints may be text, such as ``"a + b <= 10"``."""
    access.as_owner()
    fields = new.model_dump()
    fields["space"] = _with_constraints_read(fields["space"])
    definition = Definition.from_request(fields)
    space = definition.space
    middle = space.decode(space.nearest(np.full(space.dimension, 0.5)))
    constraints = space.to_dict()["constraints"] if definition.catalogue is None else []
    return CheckedStudy(True, space.dimension, _number_of(space), constraints, card(definition, middle, "middle-"))


def _with_constraints_read(space: Mapping[str, Any]) -> dict[str, Any]:
    """The same space, where constraints that are text have become what `Linear.to_dict` gives."""
    given, parameters = space.get("constraints"), space.get("parameters")
    if not isinstance(given, list) or not isinstance(parameters, list):
        return dict(space)
    names = [one["name"] for one in parameters if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
    read = [as_constraints(one, names)[0].to_dict() if isinstance(one, str) else one for one in given]
    return {**space, "constraints": read}


def _number_of(space: DesignSpace) -> int | None:
    """Different designs; ``None`` where they are endless, or constraints leave more than can be listed."""
    if space.candidates is not None:
        return len(space.candidates)
    assert space.region is not None  # a list has candidates
    sizes = [0 if grid is None else len(grid) for grid in space.region.grids]
    endless, constrained = 0 in sizes, len(space.region.polytope.involved) > 0
    return None if endless or constrained else math.prod(sizes)
