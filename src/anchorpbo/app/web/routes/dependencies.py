"""Dependencies of routes, and descriptions for OpenAPI that several routes share."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.exports import make_file_name
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.web.access import Authenticator
from anchorpbo.app.web.schemas import Ask, Mark, Undo
from anchorpbo.errors import InputError


# These are coroutines, because FastAPI would run functions in a thread.
async def _find_studies(request: Request) -> StudyService:
    studies: StudyService = request.app.state.studies
    return studies


async def _find_authenticator(request: Request) -> Authenticator:
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


async def _read_body(request: Request) -> bytes:
    return await request.body()


CurrentStudies = Annotated[StudyService, Depends(_find_studies)]
"""Dependency of a route: the use cases of the app."""
CurrentAuthenticator = Annotated[Authenticator, Depends(_find_authenticator)]
"""Dependency of a route: the authenticator of the app."""
CSVBody = Annotated[bytes, Depends(_read_body)]
"""A CSV file as the request body, with any content type."""
ParticipantQuery = Annotated[
    str | None,
    Query(description="Participant; by default the owner.", min_length=1, max_length=200, examples=["owner"]),
]
RiskWeight = Annotated[
    float | None,
    Query(ge=0, le=1e6, allow_inf_nan=False, description="Utility that a unit of noise costs; 0 ignores the noise."),
]


def get_participant(body: Ask | Undo | Mark | None) -> str | None:
    """Return the participant that an optional body names, if any."""
    return None if body is None else body.participant


def parse_design(name: str, text: str) -> Design:
    """Return the design in a query parameter of this name."""
    try:
        design = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object") from error
    if not isinstance(design, dict):
        raise InputError(f"{name} must be a design as JSON", repr(text), "write an object")
    return design


def make_attachment(studies: StudyService, id: str, suffix: str) -> dict[str, str]:
    """Return the header that names a downloaded file after its study."""
    name = make_file_name(studies.storage.study(id).name, id, suffix)
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def describe_csv_body(example: str) -> dict[str, Any]:
    """Describe a body that is a CSV file, for OpenAPI."""
    content = {"text/csv": {"schema": {"type": "string"}, "example": example}}
    described = "A CSV file in UTF-8, UTF-16 or Windows-1252."
    return {"requestBody": {"description": described, "content": content, "required": True}}


def describe_response(example: Any) -> dict[int | str, dict[str, Any]]:
    """Describe a response by an example, for OpenAPI."""
    return {200: {"content": {"application/json": {"example": example}}}}
