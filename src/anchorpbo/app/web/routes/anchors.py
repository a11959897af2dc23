"""Routes of anchors: list, add, rename, remove, propose and validate."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from anchorpbo.app.service.anchors import MAX_PROPOSALS
from anchorpbo.app.service.views.anchors import AnchorsView, ProposalView
from anchorpbo.app.service.views.trust import AnchorValidationView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import (
    CurrentStudies,
    ParticipantQuery,
    describe_response,
    get_participant,
    parse_design,
)
from anchorpbo.app.web.schemas import (
    ANCHORS_EXAMPLE,
    DESIGN_EXAMPLE,
    PROPOSALS_EXAMPLE,
    AnchorName,
    Mark,
    NewAnchor,
)
from anchorpbo.errors import InputError

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["anchors"])


@router.get("/studies/{id}/anchors", responses=describe_response(ANCHORS_EXAMPLE))
def anchors(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> AnchorsView:
    """List the marked designs of a participant, with judgements and names."""
    return studies.anchors.show(id, access.resolve_participant(id, participant))


@router.post("/studies/{id}/anchors", status_code=HTTPStatus.CREATED)
def add_anchor(
    studies: CurrentStudies, access: CurrentAccess, id: str, mark: NewAnchor, participant: ParticipantQuery = None
) -> AnchorsView:
    """Mark a design as an anchor, or by another judgement, which replaces an earlier one; with an optional name."""
    name = access.resolve_participant(id, participant, mark.participant)
    return studies.anchors.add(id, mark.design, name, mark.name, mark.judgement)


@router.patch("/studies/{id}/anchors")
def rename_anchor(
    studies: CurrentStudies, access: CurrentAccess, id: str, mark: AnchorName, participant: ParticipantQuery = None
) -> AnchorsView:
    """Change the name of an anchor, or remove the name."""
    name = access.resolve_participant(id, participant, mark.participant)
    return studies.anchors.rename(id, mark.design, mark.name, name)


@router.delete("/studies/{id}/anchors")
def remove_anchor(
    studies: CurrentStudies, access: CurrentAccess, id: str, mark: Mark | None = None,
    participant: ParticipantQuery = None,
    design: Annotated[str | None, Query(
        max_length=20_000, description="The design as JSON, for clients that cannot send a body.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> AnchorsView:  # fmt: skip
    """Remove an anchor; the design is in the body or a query parameter."""
    name = access.resolve_participant(id, participant, get_participant(mark))
    if (mark is None) == (design is None):
        rule = "the design must be given once, in the body or in the address"
        raise InputError(rule, "none" if mark is None else "both", 'send {"design": {...}}, or add ?design={...}')
    wanted = mark.design if mark is not None else parse_design("design", design or "")
    return studies.anchors.remove(id, wanted, name)


@router.get("/studies/{id}/anchors/proposals", responses=describe_response(PROPOSALS_EXAMPLE))
def propose_anchors(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    n: Annotated[int, Query(ge=1, le=MAX_PROPOSALS)] = 6,
    participant: ParticipantQuery = None,
) -> list[ProposalView]:
    """Propose designs as anchors, each with the reason and what an anchor there would change."""
    return studies.anchors.propose(id, n, access.resolve_participant(id, participant))


@router.get("/studies/{id}/anchors/validation")
def validate_anchors(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> AnchorValidationView:
    """Return whether the answers support the anchors: a Bayes factor, the verdict, and the agreement of repeats."""
    return studies.results.validate_anchors(id, access.resolve_participant(id, participant))
