"""Routes of duels: ask, answer, undo, history, comments, comparisons, and the stream of events."""

from __future__ import annotations

from http import HTTPStatus
from io import BytesIO
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from anchorpbo.app.service.layouts import CommentObject, EventObject
from anchorpbo.app.service.views.duels import AnswerView, DuelView, ImportView, UndoView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import (
    CSVBody,
    CurrentStudies,
    ParticipantQuery,
    describe_csv_body,
    describe_response,
    get_participant,
)
from anchorpbo.app.web.schemas import COMPARISONS_EXAMPLE, DUEL_EXAMPLE, Answer, Ask, Remark, Undo
from anchorpbo.app.web.stream import Subscriber, stream_events

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["duels"])
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Events, without an end.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


@router.post("/studies/{id}/ask", responses=describe_response(DUEL_EXAMPLE))
def ask(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    who: Ask | None = None,
    participant: ParticipantQuery = None,
) -> DuelView:
    """Return the open duel, or the next one; or the duel of an earlier answer once more, or a check of the anchors."""
    name = access.resolve_participant(id, participant, get_participant(who))
    return studies.duels.ask(id, name) if who is None else studies.duels.ask(id, name, who.again, check=who.check)


@router.post("/studies/{id}/answers")
def answer(
    studies: CurrentStudies, access: CurrentAccess, id: str, given: Answer, participant: ParticipantQuery = None
) -> AnswerView:
    """Record an answer; idempotent."""
    name = access.resolve_participant(id, participant, given.participant)
    return studies.duels.answer(id, given.duel_id, given.outcome, given.response_ms, name, ask=given.ask)


@router.post("/studies/{id}/undo")
def undo(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    who: Undo | None = None,
    participant: ParticipantQuery = None,
) -> UndoView:
    """Undo the last answer or change of anchors; idempotent if its number is given."""
    name = access.resolve_participant(id, participant, get_participant(who))
    return studies.duels.undo(id, name, None if who is None else who.event)


@router.get("/studies/{id}/history")
def history(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> list[EventObject]:
    """List the events of a study, oldest first."""
    return studies.history(id, access.resolve_participant(id, participant))


@router.post("/studies/{id}/comments", status_code=HTTPStatus.CREATED)
def comment(
    studies: CurrentStudies, access: CurrentAccess, id: str, remark: Remark, participant: ParticipantQuery = None
) -> CommentObject:
    """Add a comment."""
    name = access.resolve_participant(id, participant, remark.participant)
    return studies.comment(id, remark.text, remark.event, name)


@router.post(
    "/studies/{id}/comparisons",
    status_code=HTTPStatus.CREATED,
    openapi_extra=describe_csv_body(COMPARISONS_EXAMPLE),
)
def import_comparisons(
    studies: CurrentStudies, access: CurrentAccess, id: str, table: CSVBody, participant: ParticipantQuery = None
) -> ImportView:
    """Import past comparisons from a CSV file, all of them or none."""
    name = access.resolve_participant(id, participant)
    return ImportView(studies.duels.import_comparisons(id, BytesIO(table), name))


@router.get("/studies/{id}/stream", response_class=StreamingResponse, responses=_EVENTS)
def stream(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> StreamingResponse:
    """Stream new events of a study (server-sent events); for the owner, by default those of all participants."""
    whose = participant if participant is None and access.is_owner else access.resolve_participant(id, participant)
    studies.memberships.check(id, whose)
    at_once = {"X-Accel-Buffering": "no"}  # a proxy must not buffer the events
    page, left_off = Subscriber(id, whose, access), request.headers.get("last-event-id", "")
    found = stream_events(request.app.state.watcher, studies, page, left_off)
    return StreamingResponse(found, media_type="text/event-stream", headers=at_once)
