"""Routes for the time before there is a study: examples to start from, and a check of what is being written."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from anchorpbo.app.examples import EXAMPLES, get_example
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.validator import StudyPreview
from anchorpbo.app.service.views import StudyView
from anchorpbo.app.web.access import WhoAsks
from anchorpbo.app.web.api import router as api
from anchorpbo.app.web.schemas import NewStudy
from anchorpbo.errors import UnknownNameError

router = APIRouter(prefix="/api", responses=api.responses, tags=["studies"])


@dataclass(frozen=True)
class ExampleLine:
    """An example in the list of them."""

    key: str
    title: str
    description: str


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
        chosen = get_example(key)
    except UnknownNameError as problem:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(problem)) from problem
    studies: StudyService = request.app.state.studies
    view = studies.create(chosen.definition, trusted=True)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.post("/studies/check")
def check_study(request: Request, access: WhoAsks, new: NewStudy) -> StudyPreview:
    """Check what a study would be made with; nothing is kept. Constraints may be text, such as ``"a + b <= 10"``."""
    access.as_owner()
    studies: StudyService = request.app.state.studies
    return studies.validator.preview(new.model_dump())
