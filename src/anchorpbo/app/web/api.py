"""The REST interface: routes parse, call a use case, and return its result."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from http import HTTPStatus
from io import BytesIO
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Query, Request, Response
from starlette.responses import HTMLResponse, PlainTextResponse, StreamingResponse

from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.report.page import CONTENT_SECURITY_POLICY as REPORT_POLICY
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.agreement import Agreement
from anchorpbo.app.service.archives import write_archive
from anchorpbo.app.service.catalogues import CatalogueView
from anchorpbo.app.service.exports import history_to_csv, make_file_name
from anchorpbo.app.service.figures import FigureName, FigureOptions
from anchorpbo.app.service.layouts import CommentObject, Design, EventObject, JSONObject
from anchorpbo.app.service.maps import Map
from anchorpbo.app.service.anchors import MAX_PROPOSALS
from anchorpbo.app.service.views import (
    AnchorsView,
    AnswerView,
    AssessmentView,
    DuelView,
    FigureView,
    ImportView,
    ParticipantView,
    RecommendationView,
    StudySummary,
    StudyView,
    UndoView,
)
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.limits import Limits
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.schemas import (
    ANCHORS_EXAMPLE,
    CATALOGUE_EXAMPLE,
    COMPARISONS_EXAMPLE,
    DESIGN_EXAMPLE,
    DUEL_EXAMPLE,
    RECOMMENDATION_EXAMPLE,
    STUDY_EXAMPLE,
    AnchorName,
    Answer,
    Ask,
    Designs,
    Invitation,
    Mark,
    NewAnchor,
    NewStudy,
    Remark,
    StudyEdit,
    Undo,
)
from anchorpbo.app.web.stream import Subscriber, stream_events
from anchorpbo.errors import InputError

router = APIRouter(prefix="/api", responses=RESPONSES)

ParticipantQuery = Annotated[
    str | None,
    Query(description="Participant; by default the owner.", min_length=1, max_length=200, examples=["owner"]),
]


async def _body(request: Request) -> bytes:
    return await request.body()


CSVBody = Annotated[bytes, Depends(_body)]
"""A CSV file as the request body, with any content type."""


def _csv_body(example: str) -> dict[str, Any]:
    """Describe a body that is a CSV file, for OpenAPI."""
    content = {"text/csv": {"schema": {"type": "string"}, "example": example}}
    described = "A CSV file in UTF-8, UTF-16 or Windows-1252."
    return {"requestBody": {"description": described, "content": content, "required": True}}


def _response_example(example: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Describe a response by an example, for OpenAPI."""
    return {status: {"content": {"application/json": {"example": example}}}}


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
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Events, without an end.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


def _studies(request: Request) -> StudyService:
    studies: StudyService = request.app.state.studies
    return studies


# -- studies ----------------------------------------------------------------------------------------------------------


@router.post("/studies", status_code=HTTPStatus.CREATED, tags=["studies"])
def create_study(
    request: Request, access: CurrentAccess, response: Response,
    new: Annotated[NewStudy, Body(openapi_examples={"coffee": {"summary": "Coffee", "value": STUDY_EXAMPLE}})],
) -> StudyView:  # fmt: skip
    """Create a study."""
    access.require_owner()
    view = _studies(request).create(new.model_dump())
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.get("/studies", tags=["studies"])
def list_studies(request: Request, access: CurrentAccess) -> list[StudySummary]:
    """List all studies, the newest first."""
    access.require_owner()
    return _studies(request).list_studies()


@router.post("/studies/import", status_code=HTTPStatus.CREATED, tags=["studies"])
def import_study(
    request: Request, access: CurrentAccess, export: Annotated[JSONObject, Body(description="An export of a study.")]
) -> StudyView:
    """Create a study from an export, under a new id."""
    access.require_owner()
    return _studies(request).import_study(export)


@router.get("/studies/{id}", tags=["studies"])
def show_study(request: Request, access: CurrentAccess, id: str) -> StudyView:
    """Return a study: its definition and progress."""
    access.require_study(id)
    view = _studies(request).show(id)
    # A participant must not see the names of the others.
    return view if access.participant is None else replace(view, participants=[access.participant])


@router.post("/studies/{id}/cards", tags=["studies"])
def cards(request: Request, access: CurrentAccess, id: str, wanted: Designs) -> list[Card]:
    """Return designs as cards: title, picture, rows."""
    access.require_study(id)
    return _studies(request).cards.show(id, wanted.designs)


@router.patch("/studies/{id}", tags=["studies"])
def edit_study(request: Request, access: CurrentAccess, id: str, changes: StudyEdit) -> StudyView:
    """Change the texts of a study or its share of shared pairs, or archive it."""
    access.require_owner()
    return _studies(request).edit(id, changes.model_dump(exclude_unset=True))


@router.post("/studies/{id}/duplicate", status_code=HTTPStatus.CREATED, tags=["studies"])
def duplicate_study(request: Request, access: CurrentAccess, id: str, response: Response) -> StudyView:
    """Create a study with the same definition and the owner's anchors, without answers and participants."""
    access.require_owner()
    view = _studies(request).duplicate(id)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.delete("/studies/{id}", status_code=HTTPStatus.NO_CONTENT, tags=["studies"])
def delete_study(request: Request, access: CurrentAccess, id: str) -> None:
    """Delete a study permanently."""
    access.require_owner()
    _studies(request).delete(id)


RiskWeight = Annotated[
    float | None,
    Query(ge=0, le=1e6, allow_inf_nan=False, description="Utility that a unit of noise costs; 0 ignores the noise."),
]


@router.get("/studies/{id}/export", tags=["studies"], response_class=Response, responses=_FILES)
def export_study(
    request: Request, access: CurrentAccess, id: str,
    format: Annotated[Literal["csv", "json", "zip", "auto"], Query()] = "json",
    participant: ParticipantQuery = None, risk_weight: RiskWeight = None,
) -> Response:  # fmt: skip
    """Export the study as JSON, which `import` reads, or with its clips as ZIP, or its history as CSV.

    The format `auto` is ZIP for a study whose designs are clips, and JSON for all others. With a risk weight, JSON also
    holds the recommendation for a participant, which an import ignores.
    """
    access.require_owner()
    studies = _studies(request)
    if format == "auto":
        format = "zip" if "clip" in studies.definition(id).display else "json"
    saved = _make_attachment(studies, id, format)
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


# -- the loop ---------------------------------------------------------------------------------------------------------


@router.post("/studies/{id}/ask", tags=["duels"], responses=_response_example(DUEL_EXAMPLE))
def ask(
    request: Request, access: CurrentAccess, id: str, who: Ask | None = None, participant: ParticipantQuery = None
) -> DuelView:
    """Return the open duel, or the next one; or the duel of an earlier answer once more."""
    name = access.resolve_participant(id, participant, _participant_of(who))
    return _studies(request).duels.ask(id, name, None if who is None else who.again)


@router.post("/studies/{id}/answers", tags=["duels"])
def answer(
    request: Request, access: CurrentAccess, id: str, given: Answer, participant: ParticipantQuery = None
) -> AnswerView:
    """Record an answer; idempotent."""
    name = access.resolve_participant(id, participant, given.participant)
    return _studies(request).duels.answer(id, given.duel_id, given.outcome, given.response_ms, name, ask=given.ask)


@router.post("/studies/{id}/undo", tags=["duels"])
def undo(
    request: Request, access: CurrentAccess, id: str, who: Undo | None = None, participant: ParticipantQuery = None
) -> UndoView:
    """Undo the last answer or change of anchors; idempotent if its number is given."""
    name = access.resolve_participant(id, participant, _participant_of(who))
    return _studies(request).duels.undo(id, name, None if who is None else who.event)


@router.get("/studies/{id}/history", tags=["duels"])
def history(
    request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> list[EventObject]:
    """List the events of a study, oldest first."""
    return _studies(request).history(id, access.resolve_participant(id, participant))


@router.post("/studies/{id}/comments", status_code=HTTPStatus.CREATED, tags=["duels"])
def comment(
    request: Request, access: CurrentAccess, id: str, remark: Remark, participant: ParticipantQuery = None
) -> CommentObject:
    """Add a comment."""
    name = access.resolve_participant(id, participant, remark.participant)
    return _studies(request).comment(id, remark.text, remark.event, name)


@router.post(
    "/studies/{id}/comparisons",
    status_code=HTTPStatus.CREATED,
    tags=["duels"],
    openapi_extra=_csv_body(COMPARISONS_EXAMPLE),
)
def import_comparisons(
    request: Request, access: CurrentAccess, id: str, table: CSVBody, participant: ParticipantQuery = None
) -> ImportView:
    """Import past comparisons from a CSV file, all of them or none."""
    name = access.resolve_participant(id, participant)
    return ImportView(_studies(request).duels.import_comparisons(id, BytesIO(table), name))


@router.get("/studies/{id}/stream", tags=["duels"], response_class=StreamingResponse, responses=_EVENTS)
def stream(request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None) -> StreamingResponse:
    """Stream new events of a study (server-sent events); for the owner, by default those of all participants."""
    whose = participant if participant is None and access.is_owner else access.resolve_participant(id, participant)
    studies = _studies(request)
    studies.memberships.check(id, whose)
    at_once = {"X-Accel-Buffering": "no"}  # a proxy must not buffer the events
    page, left_off = Subscriber(id, whose, access), request.headers.get("last-event-id", "")
    found = stream_events(request.app.state.watcher, studies, page, left_off)
    return StreamingResponse(found, media_type="text/event-stream", headers=at_once)


# -- anchors ----------------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/anchors", tags=["anchors"], responses=_response_example(ANCHORS_EXAMPLE))
def anchors(request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None) -> AnchorsView:
    """List the anchors of a participant, with their names."""
    return _studies(request).anchors.show(id, access.resolve_participant(id, participant))


@router.post("/studies/{id}/anchors", status_code=HTTPStatus.CREATED, tags=["anchors"])
def add_anchor(
    request: Request, access: CurrentAccess, id: str, mark: NewAnchor, participant: ParticipantQuery = None
) -> AnchorsView:
    """Add an anchor, with an optional name."""
    name = access.resolve_participant(id, participant, mark.participant)
    return _studies(request).anchors.add(id, mark.design, name, mark.name)


@router.patch("/studies/{id}/anchors", tags=["anchors"])
def rename_anchor(
    request: Request, access: CurrentAccess, id: str, mark: AnchorName, participant: ParticipantQuery = None
) -> AnchorsView:
    """Change the name of an anchor, or remove the name."""
    name = access.resolve_participant(id, participant, mark.participant)
    return _studies(request).anchors.rename(id, mark.design, mark.name, name)


@router.delete("/studies/{id}/anchors", tags=["anchors"])
def remove_anchor(
    request: Request, access: CurrentAccess, id: str, mark: Mark | None = None, participant: ParticipantQuery = None,
    design: Annotated[str | None, Query(
        max_length=20_000, description="The design as JSON, for clients that cannot send a body.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> AnchorsView:  # fmt: skip
    """Remove an anchor; the design is in the body or a query parameter."""
    name = access.resolve_participant(id, participant, _participant_of(mark))
    if (mark is None) == (design is None):
        rule = "the design must be given once, in the body or in the address"
        raise InputError(rule, "none" if mark is None else "both", 'send {"design": {...}}, or add ?design={...}')
    wanted = mark.design if mark is not None else _parse_design("design", design or "")
    return _studies(request).anchors.remove(id, wanted, name)


@router.get("/studies/{id}/anchors/proposals", tags=["anchors"])
def propose_anchors(
    request: Request,
    access: CurrentAccess,
    id: str,
    n: Annotated[int, Query(ge=1, le=MAX_PROPOSALS)] = 6,
    participant: ParticipantQuery = None,
) -> list[Design]:
    """Propose designs as anchors."""
    return _studies(request).anchors.propose(id, n, access.resolve_participant(id, participant))


# -- results ----------------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/recommendation", tags=["results"], responses=_response_example(RECOMMENDATION_EXAMPLE))
def recommendation(
    request: Request,
    access: CurrentAccess,
    id: str,
    participant: ParticipantQuery = None,
    risk_weight: RiskWeight = None,
) -> RecommendationView:
    """Recommend a design, with its probabilities."""
    return _studies(request).results.recommend(id, access.resolve_participant(id, participant), risk_weight)


@router.get("/studies/{id}/assessment", tags=["results"])
def assessment(
    request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> AssessmentView:
    """Return whether the participant can stop, the evidence for it, and the answers that contradict the others."""
    return _studies(request).results.assess(id, access.resolve_participant(id, participant))


@router.get("/studies/{id}/map", tags=["results"])
def draw(
    request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None,
    x: Annotated[str | None, Query(max_length=200, description="A parameter, across.")] = None,
    y: Annotated[str | None, Query(max_length=200, description="A parameter, up.")] = None,
    at: Annotated[str | None, Query(
        max_length=20_000, description="A design, as JSON, that the map goes through.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> Map:  # fmt: skip
    """Return grids for plots: utility, its interval, noise and reliability."""
    here = None if at is None else _parse_design("at", at)
    return _studies(request).results.make_map(id, access.resolve_participant(id, participant), here, x, y)


@router.get("/studies/{id}/figures/{name}", tags=["results"])
def figure(
    request: Request, access: CurrentAccess, id: str, name: FigureName, participant: ParticipantQuery = None,
    x: Annotated[str | None, Query(max_length=200, description="A parameter, across.")] = None,
    y: Annotated[str | None, Query(max_length=200, description="A parameter, up.")] = None,
    at: Annotated[str | None, Query(
        max_length=20_000, description="A design, as JSON, that slices and maps go through.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
    columns: Annotated[int, Query(ge=1, le=12, description="Largest number of slices side by side.")] = 3,
    risk_weight: RiskWeight = None,
) -> FigureView:  # fmt: skip
    """Return a figure as plotly's data and layout."""
    here = None if at is None else _parse_design("at", at)
    options = FigureOptions(here, x, y, columns, risk_weight)
    who = access.resolve_participant(id, participant)
    return FigureView.from_plot(_studies(request).results.make_figure(id, name, who, options))


@router.get("/studies/{id}/convergence", tags=["results"])
def expected_gains(
    request: Request, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> list[float | None]:
    """Return the expected gain of each duel."""
    return _studies(request).results.list_gains(id, access.resolve_participant(id, participant))


@router.get("/studies/{id}/report", tags=["results"], response_class=HTMLResponse)
def report(
    request: Request,
    access: CurrentAccess,
    id: str,
    participant: ParticipantQuery = None,
    risk_weight: RiskWeight = None,
) -> HTMLResponse:
    """Return the report, one self-contained HTML file."""
    saved = {
        **_make_attachment(_studies(request), id, "html"),
        "Content-Security-Policy": f"{REPORT_POLICY}; frame-ancestors 'none'; sandbox",
    }
    page = render_report(_studies(request), id, access.resolve_participant(id, participant), risk_weight)
    return HTMLResponse(page, headers=saved)


# -- participants -----------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/participants", tags=["people"])
def participants(request: Request, access: CurrentAccess, id: str) -> list[ParticipantView]:
    """List the participants and their links."""
    access.require_owner()
    return [_add_link(request, id, one) for one in _studies(request).participants.show(id)]


@router.post("/studies/{id}/participants", status_code=HTTPStatus.CREATED, tags=["people"])
def invite(request: Request, access: CurrentAccess, id: str, invitation: Invitation) -> ParticipantView:
    """Add a participant, who has their own anchors and duels."""
    access.require_owner()
    return _add_link(request, id, _studies(request).participants.invite(id, invitation.name))


@router.delete("/studies/{id}/participants", status_code=HTTPStatus.NO_CONTENT, tags=["people"])
def remove_participant(
    request: Request,
    access: CurrentAccess,
    id: str,
    name: Annotated[str, Query(min_length=1, max_length=200, examples=["Ana"])],
) -> None:
    """Remove a participant and revoke their link; their answers stay in the journal."""
    access.require_owner()
    _studies(request).participants.remove(id, name)


@router.post("/studies/{id}/participants/link", tags=["people"])
def relink(request: Request, access: CurrentAccess, id: str, invitation: Invitation) -> ParticipantView:
    """Give a participant a new link; the old one is revoked."""
    access.require_owner()
    return _add_link(request, id, _studies(request).participants.relink(id, invitation.name))


@router.get("/studies/{id}/agreement", tags=["people"])
def agreement(request: Request, access: CurrentAccess, id: str) -> Agreement:
    """Return the recommendation of each participant and their agreement."""
    access.require_owner()
    return _studies(request).results.compute_agreement(id)


# -- limits -----------------------------------------------------------------------------------------------------------


@router.get("/limits", tags=["studies"])
def limits(request: Request, access: CurrentAccess) -> Limits:
    """Return the largest sizes that the server accepts."""
    return Limits.from_settings(request.app.state.settings)


# -- catalogues ---------------------------------------------------------------------------------------------------


@router.post("/catalogue", tags=["studies"], openapi_extra=_csv_body(CATALOGUE_EXAMPLE))
def catalogue(request: Request, access: CurrentAccess, table: CSVBody) -> CatalogueView:
    """Read a CSV catalogue and guess the roles of its columns; nothing is stored."""
    access.require_owner()
    return _studies(request).validator.read_catalogue(table)


def _make_attachment(studies: StudyService, id: str, suffix: str) -> dict[str, str]:
    """Return the header that names a downloaded file after its study."""
    name = make_file_name(studies.storage.study(id).name, id, suffix)
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _participant_of(body: Ask | Undo | Mark | None) -> str | None:
    return None if body is None else body.participant


def _parse_design(name: str, text: str) -> Design:
    try:
        design = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object") from error
    if not isinstance(design, dict):
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object")
    return design


def _add_link(request: Request, id: str, one: ParticipantView) -> ParticipantView:
    number = _studies(request).memberships.get(id, one.name).link
    return replace(one, link=request.app.state.authenticator.link(id, one.name, number))
