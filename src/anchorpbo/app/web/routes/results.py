"""Routes of results: recommendation, assessment, audit, map, figures, expected gains and report."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from anchorpbo.app.report.page import CONTENT_SECURITY_POLICY as REPORT_POLICY
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service.figures import FigureName, FigureOptions
from anchorpbo.app.service.maps import Map
from anchorpbo.app.service.views.results import AssessmentView, FigureView, RecommendationView
from anchorpbo.app.service.views.trust import AuditView
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import (
    CurrentStudies,
    ParticipantQuery,
    RiskWeight,
    describe_response,
    make_attachment,
    parse_design,
)
from anchorpbo.app.web.schemas import DESIGN_EXAMPLE, RECOMMENDATION_EXAMPLE

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["results"])


@router.get("/studies/{id}/recommendation", responses=describe_response(RECOMMENDATION_EXAMPLE))
def recommendation(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    participant: ParticipantQuery = None,
    risk_weight: RiskWeight = None,
) -> RecommendationView:
    """Recommend a design, with its probabilities."""
    return studies.results.recommend(id, access.resolve_participant(id, participant), risk_weight)


@router.get("/studies/{id}/assessment")
def assessment(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> AssessmentView:
    """Return whether the participant can stop, the evidence for it, and the answers that contradict the others."""
    return studies.results.assess(id, access.resolve_participant(id, participant))


@router.get("/studies/{id}/audit")
def audit(studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None) -> AuditView:
    """Return whether the participant's answers can be trusted: findings with a number, its interval and a sentence."""
    return studies.results.audit(id, access.resolve_participant(id, participant))


@router.get("/studies/{id}/map")
def get_map(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None,
    x: Annotated[str | None, Query(max_length=200, description="A parameter, across.")] = None,
    y: Annotated[str | None, Query(max_length=200, description="A parameter, up.")] = None,
    at: Annotated[str | None, Query(
        max_length=20_000, description="A design, as JSON, that the map goes through.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
) -> Map:  # fmt: skip
    """Return grids for plots: utility, its interval, noise and reliability."""
    here = None if at is None else parse_design("at", at)
    return studies.results.make_map(id, access.resolve_participant(id, participant), here, x, y)


@router.get("/studies/{id}/figures/{name}")
def figure(
    studies: CurrentStudies, access: CurrentAccess, id: str, name: FigureName, participant: ParticipantQuery = None,
    x: Annotated[str | None, Query(max_length=200, description="A parameter, across.")] = None,
    y: Annotated[str | None, Query(max_length=200, description="A parameter, up.")] = None,
    at: Annotated[str | None, Query(
        max_length=20_000, description="A design, as JSON, that slices and maps go through.",
        examples=[json.dumps(DESIGN_EXAMPLE)],
    )] = None,
    columns: Annotated[int, Query(ge=1, le=12, description="Largest number of slices side by side.")] = 3,
    risk_weight: RiskWeight = None,
    finding: Annotated[str | None, Query(
        max_length=200, description="A finding of the audit, for the figure `audit`; by default all.",
    )] = None,
) -> FigureView:  # fmt: skip
    """Return a figure as plotly's data and layout."""
    here = None if at is None else parse_design("at", at)
    options = FigureOptions(here, x, y, columns, risk_weight, finding)
    who = access.resolve_participant(id, participant)
    return FigureView.from_plot(studies.results.make_figure(id, name, who, options))


@router.get("/studies/{id}/convergence")
def expected_gains(
    studies: CurrentStudies, access: CurrentAccess, id: str, participant: ParticipantQuery = None
) -> list[float | None]:
    """Return the expected gain of each duel."""
    return studies.results.list_gains(id, access.resolve_participant(id, participant))


@router.get("/studies/{id}/report", response_class=HTMLResponse)
def report(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    participant: ParticipantQuery = None,
    risk_weight: RiskWeight = None,
) -> HTMLResponse:
    """Return the report, one self-contained HTML file."""
    saved = {
        **make_attachment(studies, id, "html"),
        "Content-Security-Policy": f"{REPORT_POLICY}; frame-ancestors 'none'; sandbox",
    }
    page = render_report(studies, id, access.resolve_participant(id, participant), risk_weight)
    return HTMLResponse(page, headers=saved)
