"""Routes for creating a study: examples to start from, and a dry run of a definition."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from anchorpbo.app.examples import EXAMPLES, get_example
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.validator import StudyPreview
from anchorpbo.app.service.views import StudyView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.api import router as api
from anchorpbo.app.web.schemas import NewStudy
from anchorpbo.errors import UnknownNameError

router = APIRouter(prefix="/api", responses=api.responses, tags=["studies"])


@dataclass(frozen=True)
class ExampleLine:
    """An entry of the list of examples."""

    key: str
    title: str
    description: str


@router.get("/examples")
def list_examples(request: Request, access: CurrentAccess) -> list[ExampleLine]:
    """List the examples."""
    access.require_owner()
    return [ExampleLine(one.key, one.title, one.description) for one in EXAMPLES.values()]


@router.post("/examples/{key}", status_code=HTTPStatus.CREATED)
def create_from_example(request: Request, access: CurrentAccess, key: str, response: Response) -> StudyView:
    """Create a study from an example."""
    access.require_owner()
    try:
        chosen = get_example(key)
    except UnknownNameError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(error)) from error
    studies: StudyService = request.app.state.studies
    view = studies.create(chosen.definition, trusted=True)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.post("/studies/check")
def check_study(request: Request, access: CurrentAccess, new: NewStudy) -> StudyPreview:
    """Validate a study without creating it. Constraints may be text, such as ``"a + b <= 10"``."""
    access.require_owner()
    studies: StudyService = request.app.state.studies
    return studies.validator.preview(new.model_dump())
