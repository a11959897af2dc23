"""Routes of participants, their links and their agreement."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.agreement import Agreement
from anchorpbo.app.service.views.participants import ParticipantView
from anchorpbo.app.web.access import Authenticator, CurrentAccess
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import CurrentAuthenticator, CurrentStudies
from anchorpbo.app.web.schemas import Invitation

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["people"])


@router.get("/studies/{id}/participants")
def participants(
    studies: CurrentStudies, authenticator: CurrentAuthenticator, access: CurrentAccess, id: str
) -> list[ParticipantView]:
    """List the participants and their links."""
    access.require_owner()
    return [_add_link(studies, authenticator, id, one) for one in studies.participants.show(id)]


@router.post("/studies/{id}/participants", status_code=HTTPStatus.CREATED)
def invite(
    studies: CurrentStudies, authenticator: CurrentAuthenticator, access: CurrentAccess, id: str, invitation: Invitation
) -> ParticipantView:
    """Add a participant, who has their own anchors and duels."""
    access.require_owner()
    return _add_link(studies, authenticator, id, studies.participants.invite(id, invitation.name))


@router.delete("/studies/{id}/participants", status_code=HTTPStatus.NO_CONTENT)
def remove_participant(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    name: Annotated[str, Query(min_length=1, max_length=200, examples=["Ana"])],
) -> None:
    """Remove a participant and revoke their link; their answers stay in the journal."""
    access.require_owner()
    studies.participants.remove(id, name)


@router.post("/studies/{id}/participants/link")
def relink(
    studies: CurrentStudies, authenticator: CurrentAuthenticator, access: CurrentAccess, id: str, invitation: Invitation
) -> ParticipantView:
    """Give a participant a new link; the old one is revoked."""
    access.require_owner()
    return _add_link(studies, authenticator, id, studies.participants.relink(id, invitation.name))


@router.get("/studies/{id}/agreement")
def agreement(studies: CurrentStudies, access: CurrentAccess, id: str) -> Agreement:
    """Return the recommendation of each participant and their agreement."""
    access.require_owner()
    return studies.results.compute_agreement(id)


def _add_link(studies: StudyService, authenticator: Authenticator, id: str, one: ParticipantView) -> ParticipantView:
    number = studies.memberships.get(id, one.name).link
    return replace(one, link=authenticator.link(id, one.name, number))
