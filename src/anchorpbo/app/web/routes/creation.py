"""Routes for creating a study: limits, catalogues, examples to start from, and a dry run of a definition."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from anchorpbo.app.examples import EXAMPLES, get_example
from anchorpbo.app.service.catalogues import CatalogueView
from anchorpbo.app.service.validator import StudyPreview
from anchorpbo.app.service.views.studies import StudyView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.limits import Limits
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import CSVBody, CurrentStudies, describe_csv_body
from anchorpbo.app.web.schemas import CATALOGUE_EXAMPLE, NewStudy
from anchorpbo.errors import UnknownNameError

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["studies"])


@dataclass(frozen=True)
class ExampleLine:
    """An entry of the list of examples."""

    key: str
    title: str
    description: str


@router.get("/limits")
def limits(request: Request, access: CurrentAccess) -> Limits:
    """Return the largest sizes that the server accepts."""
    return Limits.from_settings(request.app.state.settings)


@router.post("/catalogue", openapi_extra=describe_csv_body(CATALOGUE_EXAMPLE))
def catalogue(studies: CurrentStudies, access: CurrentAccess, table: CSVBody) -> CatalogueView:
    """Read a CSV catalogue and guess the roles of its columns; nothing is stored."""
    access.require_owner()
    return studies.validator.read_catalogue(table)


@router.get("/examples")
def list_examples(access: CurrentAccess) -> list[ExampleLine]:
    """List the examples."""
    access.require_owner()
    return [ExampleLine(one.key, one.title, one.description) for one in EXAMPLES.values()]


@router.post("/examples/{key}", status_code=HTTPStatus.CREATED)
def create_from_example(studies: CurrentStudies, access: CurrentAccess, key: str, response: Response) -> StudyView:
    """Create a study from an example."""
    access.require_owner()
    try:
        chosen = get_example(key)
    except UnknownNameError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(error)) from error
    view = studies.create(chosen.definition, trusted=True)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.post("/studies/check")
def check_study(studies: CurrentStudies, access: CurrentAccess, new: NewStudy) -> StudyPreview:
    """Validate a study without creating it. Constraints may be text, such as ``"a + b <= 10"``."""
    access.require_owner()
    return studies.validator.preview(new.model_dump())
