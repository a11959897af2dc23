"""The REST interface: routes parse, call a use case, and return what it returns."""

from __future__ import annotations

import json
from contextlib import suppress
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
from anchorpbo.app.service.catalogues import CatalogueView
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.maps import Map
from anchorpbo.app.service.views import (
    AnswerView,
    Design,
    DuelView,
    JSONObject,
    ParticipantView,
    RecommendationView,
    StudySummary,
    StudyView,
    UndoView,
)
from anchorpbo.app.web.access import WhoAsks
from anchorpbo.app.web.problems import RESPONSES
from anchorpbo.app.web.schemas import (
    CATALOGUE_EXAMPLE,
    COMPARISONS_EXAMPLE,
    DESIGN_EXAMPLE,
    DUEL_EXAMPLE,
    RECOMMENDATION_EXAMPLE,
    STUDY_EXAMPLE,
    Answer,
    Ask,
    Designs,
    Invitation,
    Mark,
    NewStudy,
    Remark,
    Undo,
)
from anchorpbo.app.web.stream import Page, events
from anchorpbo.errors import AnchorPBOError, InputError

router = APIRouter(prefix="/api", responses=RESPONSES)

Who = Annotated[
    str | None, Query(description="Whose; the owner's by default.", min_length=1, max_length=200, examples=["owner"])
]


async def _body(request: Request) -> bytes:
    return await request.body()


CSV = Annotated[bytes, Depends(_body)]
"""A body that is a CSV file, whatever type it says it is of."""


def _csv(example: str) -> dict[str, Any]:
    """The description of a body that is a CSV file."""
    content = {"text/csv": {"schema": {"type": "string"}, "example": example}}
    return {"requestBody": {"description": "A CSV file in UTF-8.", "content": content, "required": True}}


def _gives(example: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The description of a response with an example."""
    return {status: {"content": {"application/json": {"example": example}}}}


_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file.",
        "content": {
            "application/json": {"schema": {"type": "object", "required": ["study", "events"]}},
            "text/csv": {"schema": {"type": "string"}},
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
    request: Request, access: WhoAsks, response: Response,
    new: Annotated[NewStudy, Body(openapi_examples={"coffee": {"summary": "Coffee", "value": STUDY_EXAMPLE}})],
) -> StudyView:  # fmt: skip
    """Make a study."""
    access.as_owner()
    view = _studies(request).create(new.model_dump())
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@router.get("/studies", tags=["studies"])
def list_studies(request: Request, access: WhoAsks) -> list[StudySummary]:
    """All studies, the newest first."""
    access.as_owner()
    return _studies(request).studies()


@router.post("/studies/import", status_code=HTTPStatus.CREATED, tags=["studies"])
def import_study(
    request: Request, access: WhoAsks, export: Annotated[JSONObject, Body(description="What an export gave.")]
) -> StudyView:
    """Make a study from an export, under a new id."""
    access.as_owner()
    return _studies(request).import_study(export)


@router.get("/studies/{id}", tags=["studies"])
def show_study(request: Request, access: WhoAsks, id: str) -> StudyView:
    """One study: what it was made with and how far it is."""
    access.to(id)
    view = _studies(request).show(id)
    # Someone with a link need not know who else has one.
    return view if access.participant is None else replace(view, participants=[access.participant])


@router.post("/studies/{id}/cards", tags=["studies"])
def cards(request: Request, access: WhoAsks, id: str, wanted: Designs) -> list[Card]:
    """Designs as people see them: heading, picture, rows."""
    access.to(id)
    return _studies(request).cards(id, wanted.designs)


@router.delete("/studies/{id}", status_code=HTTPStatus.NO_CONTENT, tags=["studies"])
def delete_study(request: Request, access: WhoAsks, id: str) -> None:
    """Forget a study for good."""
    access.as_owner()
    _studies(request).delete(id)


RiskWeight = Annotated[
    float | None,
    Query(ge=0, le=1e6, allow_inf_nan=False, description="What a unit of noise costs, in utility; 0: the plain best."),
]


@router.get("/studies/{id}/export", tags=["studies"], response_class=Response, responses=_FILES)
def export_study(
    request: Request, access: WhoAsks, id: str, format: Annotated[Literal["csv", "json"], Query()] = "json",
    participant: Who = None, risk_weight: RiskWeight = None,
) -> Response:  # fmt: skip
    """The whole study as JSON, from which `import` makes it again, or its history as a table.

    With a risk weight, JSON also holds what it recommends to a participant; an import passes over that.
    """
    access.as_owner()
    studies = _studies(request)
    saved = {"Content-Disposition": f'attachment; filename="study-{id}.{format}"'}
    if format == "csv":
        table = history_to_csv(studies.history(id), studies.definition(id).space.names)
        return PlainTextResponse(table, media_type="text/csv", headers=saved)
    layout = studies.export(id)
    if risk_weight is not None:
        found = studies.recommendation(id, access.acting(id, participant), risk_weight)
        layout["recommendation"] = {"participant": access.acting(id, participant), **asdict(found)}
    text = json.dumps(layout, allow_nan=False)
    return Response(text, media_type="application/json", headers=saved)


# -- the loop ---------------------------------------------------------------------------------------------------------


@router.post("/studies/{id}/ask", tags=["duels"], responses=_gives(DUEL_EXAMPLE))
def ask(request: Request, access: WhoAsks, id: str, who: Ask | None = None, participant: Who = None) -> DuelView:
    """The duel that is out; where there is none, the next one."""
    return _studies(request).ask(id, access.acting(id, participant, _named(who)))


@router.post("/studies/{id}/answers", tags=["duels"])
def answer(request: Request, access: WhoAsks, id: str, given: Answer, participant: Who = None) -> AnswerView:
    """Record an answer; sending it twice does no harm."""
    name = access.acting(id, participant, given.participant)
    studies = _studies(request)
    view = studies.answer(id, given.duel_id, given.outcome, given.response_ms, name)
    if given.ask:
        with suppress(AnchorPBOError):  # the answer is kept all the same, and whoever asks will hear why
            view = replace(view, next=studies.ask(id, name))
    return view


@router.post("/studies/{id}/undo", tags=["duels"])
def undo(request: Request, access: WhoAsks, id: str, who: Undo | None = None, participant: Who = None) -> UndoView:
    """Take back the last answer or change of anchors; with its number, sending it twice does no harm."""
    name = access.acting(id, participant, _named(who))
    return _studies(request).undo(id, name, None if who is None else who.event)


@router.get("/studies/{id}/history", tags=["duels"])
def history(request: Request, access: WhoAsks, id: str, participant: Who = None) -> list[JSONObject]:
    """What happened, oldest first."""
    return _studies(request).history(id, access.acting(id, participant))


@router.post("/studies/{id}/comments", status_code=HTTPStatus.CREATED, tags=["duels"])
def comment(request: Request, access: WhoAsks, id: str, remark: Remark, participant: Who = None) -> JSONObject:
    """Keep a remark."""
    name = access.acting(id, participant, remark.participant)
    return _studies(request).comment(id, remark.text, remark.event, name)


@router.post(
    "/studies/{id}/comparisons",
    status_code=HTTPStatus.CREATED,
    tags=["duels"],
    openapi_extra=_csv(COMPARISONS_EXAMPLE),
)
def import_comparisons(
    request: Request, access: WhoAsks, id: str, table: CSV, participant: Who = None
) -> dict[str, int]:
    """Take in past comparisons from a CSV file: all of them, or none."""
    name = access.acting(id, participant)
    return {"imported": _studies(request).import_comparisons(id, BytesIO(table), name)}


@router.get("/studies/{id}/stream", tags=["duels"], response_class=StreamingResponse, responses=_EVENTS)
def stream(request: Request, access: WhoAsks, id: str, participant: Who = None) -> StreamingResponse:
    """Server-sent events: what happens in the study from now on; to the owner, by default, of all participants."""
    whose = participant if participant is None and access.is_owner else access.acting(id, participant)
    studies = _studies(request)
    studies.check_participant(id, whose)
    at_once = {"X-Accel-Buffering": "no"}  # a proxy must not collect them
    page, left_off = Page(id, whose, access), request.headers.get("last-event-id", "")
    found = events(request.app.state.watcher, studies, page, left_off)
    return StreamingResponse(found, media_type="text/event-stream", headers=at_once)


# -- anchors ----------------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/anchors", tags=["anchors"])
def anchors(request: Request, access: WhoAsks, id: str, participant: Who = None) -> list[Design]:
    """Designs a participant knows well."""
    return _studies(request).anchors(id, access.acting(id, participant))


@router.post("/studies/{id}/anchors", status_code=HTTPStatus.CREATED, tags=["anchors"])
def add_anchor(request: Request, access: WhoAsks, id: str, mark: Mark, participant: Who = None) -> list[Design]:
    """Mark a design as well known."""
    return _studies(request).add_anchor(id, mark.design, access.acting(id, participant, mark.participant))


@router.delete("/studies/{id}/anchors", tags=["anchors"])
def remove_anchor(
    request: Request, access: WhoAsks, id: str, mark: Mark | None = None, participant: Who = None,
    design: Annotated[str | None, Query(
        max_length=20_000, description="The design, as JSON, for those who cannot send a body.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> list[Design]:  # fmt: skip
    """Take a mark back; the design is in the body or in the address."""
    name = access.acting(id, participant, _named(mark))
    if (mark is None) == (design is None):
        rule = "the design must be given once, in the body or in the address"
        raise InputError(rule, "none" if mark is None else "both", 'send {"design": {...}}, or add ?design={...}')
    wanted = mark.design if mark is not None else _design("design", design or "")
    return _studies(request).remove_anchor(id, wanted, name)


@router.get("/studies/{id}/anchors/proposals", tags=["anchors"])
def propose_anchors(
    request: Request, access: WhoAsks, id: str, n: Annotated[int, Query(ge=1, le=50)] = 6, participant: Who = None
) -> list[Design]:
    """Designs to ask about: could you judge this one well."""
    return _studies(request).propose_anchors(id, n, access.acting(id, participant))


# -- results ----------------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/recommendation", tags=["results"], responses=_gives(RECOMMENDATION_EXAMPLE))
def recommendation(
    request: Request, access: WhoAsks, id: str, participant: Who = None, risk_weight: RiskWeight = None
) -> RecommendationView:
    """The design to take, and how sure that is."""
    return _studies(request).recommendation(id, access.acting(id, participant), risk_weight)


@router.get("/studies/{id}/map", tags=["results"])
def draw(
    request: Request, access: WhoAsks, id: str, participant: Who = None,
    x: Annotated[str | None, Query(max_length=200, description="A parameter, across.")] = None,
    y: Annotated[str | None, Query(max_length=200, description="A parameter, up.")] = None,
    at: Annotated[str | None, Query(
        max_length=20_000, description="A design, as JSON, that the map goes through.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> Map:  # fmt: skip
    """Grids for plots: utility, its interval, noise and reliability."""
    here = None if at is None else _design("at", at)
    return _studies(request).map(id, access.acting(id, participant), here, x, y)


@router.get("/studies/{id}/convergence", tags=["results"])
def convergence(request: Request, access: WhoAsks, id: str, participant: Who = None) -> list[float | None]:
    """What each duel was expected to bring."""
    return _studies(request).convergence(id, access.acting(id, participant))


@router.get("/studies/{id}/report", tags=["results"], response_class=HTMLResponse)
def report(
    request: Request, access: WhoAsks, id: str, participant: Who = None, risk_weight: RiskWeight = None
) -> HTMLResponse:
    """The results as one HTML file that opens anywhere."""
    saved = {
        "Content-Disposition": f'attachment; filename="study-{id}.html"',
        "Content-Security-Policy": f"{REPORT_POLICY}; frame-ancestors 'none'; sandbox",
    }
    page = render_report(_studies(request), id, access.acting(id, participant), risk_weight)
    return HTMLResponse(page, headers=saved)


# -- people -----------------------------------------------------------------------------------------------------------


@router.get("/studies/{id}/participants", tags=["people"])
def participants(request: Request, access: WhoAsks, id: str) -> list[ParticipantView]:
    """Who takes part, with their links."""
    access.as_owner()
    return [_linked(request, id, one) for one in _studies(request).participants(id)]


@router.post("/studies/{id}/participants", status_code=HTTPStatus.CREATED, tags=["people"])
def invite(request: Request, access: WhoAsks, id: str, invitation: Invitation) -> ParticipantView:
    """Let someone take part, with anchors and duels of their own."""
    access.as_owner()
    return _linked(request, id, _studies(request).invite(id, invitation.name))


@router.delete("/studies/{id}/participants", status_code=HTTPStatus.NO_CONTENT, tags=["people"])
def remove_participant(
    request: Request,
    access: WhoAsks,
    id: str,
    name: Annotated[str, Query(min_length=1, max_length=200, examples=["Ana"])],
) -> None:
    """Let someone take part no longer: their link is void; what they said stays in the journal."""
    access.as_owner()
    _studies(request).remove(id, name)


@router.post("/studies/{id}/participants/link", tags=["people"])
def relink(request: Request, access: WhoAsks, id: str, invitation: Invitation) -> ParticipantView:
    """Give someone another link; the one they had is void."""
    access.as_owner()
    return _linked(request, id, _studies(request).relink(id, invitation.name))


@router.get("/studies/{id}/agreement", tags=["people"])
def agreement(request: Request, access: WhoAsks, id: str) -> Agreement:
    """Each participant's recommendation, and how far they agree."""
    access.as_owner()
    return _studies(request).agreement(id)


# -- before a study ---------------------------------------------------------------------------------------------------


@router.post("/catalogue", tags=["studies"], openapi_extra=_csv(CATALOGUE_EXAMPLE))
def catalogue(request: Request, access: WhoAsks, table: CSV) -> CatalogueView:
    """Read a CSV catalogue: its columns and what each could be; nothing is kept."""
    access.as_owner()
    return _studies(request).validator.read_catalogue(table)


def _named(body: Ask | Undo | Mark | None) -> str | None:
    return None if body is None else body.participant


def _design(name: str, text: str) -> Design:
    try:
        design = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object") from problem
    if not isinstance(design, dict):
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object")
    return design


def _linked(request: Request, id: str, one: ParticipantView) -> ParticipantView:
    number = _studies(request).memberships.get(id, one.name).link
    return replace(one, link=request.app.state.gate.link(id, one.name, number))
