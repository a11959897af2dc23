"""Routes of studies themselves: create, list, show, edit, duplicate, delete, export and import."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query, Response
from starlette.responses import PlainTextResponse, StreamingResponse

from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.service.archives import write_archive
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.layouts import JSONObject
from anchorpbo.app.service.views.studies import StudySummary, StudyView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import CurrentStudies, ParticipantQuery, RiskWeight, make_attachment
from anchorpbo.app.web.schemas import STUDY_EXAMPLE, Designs, NewStudy, StudyEdit

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["studies"])
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file.",
        "content": {
            "application/json": {"schema": {"type": "object", "required": ["study", "events"]}},
            "text/csv": {"schema": {"type": "string"}},
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@router.post("/studies", status_code=HTTPStatus.CREATED)
def create_study(
    studies: CurrentStudies, access: CurrentAccess, response: Response,
    new: Annotated[NewStudy, Body(openapi_examples={"coffee": {"summary": "Coffee", "value": STUDY_EXAMPLE}})],
) -> StudyView:  # fmt: skip
    """Create a study."""
    access.require_owner()
    view = studies.create(new.model_dump())
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.get("/studies")
def list_studies(studies: CurrentStudies, access: CurrentAccess) -> list[StudySummary]:
    """List all studies, the newest first."""
    access.require_owner()
    return studies.list_studies()


@router.post("/studies/import", status_code=HTTPStatus.CREATED)
def import_study(
    studies: CurrentStudies,
    access: CurrentAccess,
    export: Annotated[JSONObject, Body(description="An export of a study.")],
) -> StudyView:
    """Create a study from an export, under a new id."""
    access.require_owner()
    return studies.import_study(export)


@router.get("/studies/{id}")
def show_study(studies: CurrentStudies, access: CurrentAccess, id: str) -> StudyView:
    """Return a study: its definition and progress."""
    access.require_study(id)
    view = studies.show(id)
    # A participant must not see the names of the others.
    return view if access.participant is None else replace(view, participants=[access.participant])


@router.post("/studies/{id}/cards")
def cards(studies: CurrentStudies, access: CurrentAccess, id: str, wanted: Designs) -> list[Card]:
    """Return designs as cards: title, picture, rows."""
    access.require_study(id)
    return studies.cards.show(id, wanted.designs)


@router.patch("/studies/{id}")
def edit_study(studies: CurrentStudies, access: CurrentAccess, id: str, changes: StudyEdit) -> StudyView:
    """Change the texts of a study or its share of shared pairs, or archive it."""
    access.require_owner()
    return studies.edit(id, changes.model_dump(exclude_unset=True))


@router.post("/studies/{id}/duplicate", status_code=HTTPStatus.CREATED)
def duplicate_study(studies: CurrentStudies, access: CurrentAccess, id: str, response: Response) -> StudyView:
    """Create a study with the same definition and the owner's anchors, without answers and participants."""
    access.require_owner()
    view = studies.duplicate(id)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.delete("/studies/{id}", status_code=HTTPStatus.NO_CONTENT)
def delete_study(studies: CurrentStudies, access: CurrentAccess, id: str) -> None:
    """Delete a study permanently."""
    access.require_owner()
    studies.delete(id)


@router.get("/studies/{id}/export", response_class=Response, responses=_FILES)
def export_study(
    studies: CurrentStudies, access: CurrentAccess, id: str,
    format: Annotated[Literal["csv", "json", "zip", "auto"], Query()] = "json",
    participant: ParticipantQuery = None, risk_weight: RiskWeight = None,
) -> Response:  # fmt: skip
    """Export the study as JSON, which `import` reads, or with its clips as ZIP, or its history as CSV.

    The format `auto` is ZIP for a study whose designs are clips, and JSON for all others. With a risk weight, JSON also
    holds the recommendation for a participant, which an import ignores.
    """
    access.require_owner()
    if format == "auto":
        format = "zip" if "clip" in studies.definition(id).display else "json"
    saved = make_attachment(studies, id, format)
    if format == "csv":
        table = history_to_csv(studies.history(id), studies.definition(id).space.names)
        return PlainTextResponse(table, media_type="text/csv", headers=saved)
    if format == "zip":
        return StreamingResponse(write_archive(studies, id), media_type="application/zip", headers=saved)
    layout = studies.export(id)
    if risk_weight is not None:
        found = studies.results.recommend(id, access.resolve_participant(id, participant), risk_weight)
        layout["recommendation"] = {"participant": access.resolve_participant(id, participant), **asdict(found)}
    text = json.dumps(layout, allow_nan=False)
    return Response(text, media_type="application/json", headers=saved)
