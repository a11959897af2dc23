"""Errors as RFC 9457 problem details.

::

    {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "the whole message", "code": "unknown_study",
     "field": "name", "value": "x", "rule": "what must hold", "received": "the value received", "remedy": "what to do"}
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.templating import Jinja2Templates
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from anchorpbo.app.web.access import ACCESS, Access
from anchorpbo.errors import (
    AnchorPBOError,
    ConflictError,
    DataError,
    NotFittedError,
    RunError,
    TimeLimitError,
    UnknownStudyError,
    to_json_value,
)

_TEMPLATES = Jinja2Templates(Path(__file__).parent / "templates")
_LOG = logging.getLogger("anchorpbo.app.web")
MEDIA_TYPE = "application/problem+json"
# The first match counts.
_STATUS: tuple[tuple[type[AnchorPBOError], HTTPStatus], ...] = (
    (UnknownStudyError, HTTPStatus.NOT_FOUND),
    (ConflictError, HTTPStatus.CONFLICT),
    (NotFittedError, HTTPStatus.CONFLICT),
    (TimeLimitError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (DataError, HTTPStatus.SERVICE_UNAVAILABLE),
    (RunError, HTTPStatus.SERVICE_UNAVAILABLE),
    (AnchorPBOError, HTTPStatus.UNPROCESSABLE_ENTITY),
)
_DETAILS = {
    HTTPStatus.NOT_FOUND: "there is nothing at this address; check the link",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address does not take requests of this method",
}
"""Details for errors whose detail from the framework is only the status phrase."""
_HEADINGS = {"access_denied": "Access denied", "not_found": "No such page", "unknown_study": "No such study"}
"""Headings of error pages, by code."""
STATUS_CODES = {
    400: "bad_request", 401: "not_signed_in", 403: "access_denied", 404: "not_found", 405: "method_not_allowed",
    413: "too_large", 421: "unknown_host", 422: "request", 429: "too_many_attempts", 500: "unexpected",
}  # fmt: skip
"""Codes of errors that are not exceptions of the library, by status."""
_UNKNOWN_STUDY = "this study does not exist or was deleted"
"""Detail of a page; a program gets the error's own, which names the id."""
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_MAX_PATH_LENGTH = 2000
_MAX_FIELD_LENGTH = 200
MAX_PART_LENGTH = 500
"""Maximum length of each part of an error in a response."""


class ProblemDetails(BaseModel):
    """Problem details of an error (RFC 9457)."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404], ge=400, le=599)
    detail: str = Field(examples=["no study has this id; received 'x'; list the studies to see their ids."])
    code: str = Field(examples=["unknown_study"], description="Kind of error, for programs to branch on.")
    field: str | None = Field(
        None, description="Part of the request that the error is about, such as space.constraints.1."
    )
    value: Any = Field(None, description="Value that breaks the rule, if it is short.")
    rule: str | None = Field(None, description="What must hold.")
    received: str | None = Field(None, description="Value received.")
    remedy: str | None = Field(None, description="What to do.")


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, words in {
        400: "Malformed body.",
        401: "Not signed in.",
        403: "Access denied, or a request from another site's page.",
        404: "No such study, participant, duel or event.",
        409: "Conflict with a newer change, or not enough answers yet.",
        413: "Body too large.",
        421: "Unknown host name.",
        422: "Invalid value, or a check that exceeds its time limit.",
        429: "Too many wrong tokens; Retry-After gives the seconds to wait.",
        503: "Database unavailable, next duel not computed in time, or too many waiting requests.",
    }.items()
}
"""Error responses of every route, for OpenAPI."""


def add_problem_schema(openapi: dict[str, Any]) -> dict[str, Any]:
    """Add the schema that `RESPONSES` refer to."""
    schemas = openapi.setdefault("components", {}).setdefault("schemas", {})
    schemas.setdefault("Problem", ProblemDetails.model_json_schema() | {"title": "Problem"})
    return openapi


def make_problem(
    status: int,
    detail: str,
    code: str | None = None,
    field: str | None = None,
    value: Any = None,
    rule: str | None = None,
    received: str | None = None,
    remedy: str | None = None,
) -> Response:
    """Return a problem-details response; without a code, it has that of its status."""
    body = ProblemDetails(
        title=HTTPStatus(status).phrase, status=status, detail=_end_sentence(detail),
        code=STATUS_CODES.get(status, f"http_{status}") if code is None else code, field=field,
        value=value, rule=rule, received=received, remedy=remedy,
    )  # fmt: skip
    return JSONResponse(body.model_dump(exclude_none=True), status, media_type=MEDIA_TYPE)


def is_for_page(request: Request) -> bool:
    """Return whether a browser asks for a page, not a program for data."""
    return not request.url.path.startswith("/api") and "text/html" in request.headers.get("accept", "")


def make_error_response(request: Request, status: int, detail: str, **parts: Any) -> Response:
    """Return an error response: JSON for a program, a page for a browser."""
    if not is_for_page(request):
        return make_problem(status, detail, **parts)
    if status == HTTPStatus.UNAUTHORIZED:
        query = request.url.query
        path = quote(request.scope["path"]) + (f"?{query}" if query else "")
        asked = local_path(path) if request.method == "GET" else "/"
        return _TEMPLATES.TemplateResponse(request, "login.html", {"page": "login", "next": asked}, status_code=status)
    heading = _HEADINGS.get(parts.get("code") or STATUS_CODES.get(status, ""), "That did not work")
    detail = _end_sentence(detail[:1].upper() + detail[1:])
    access: Access | None = request.scope.get(ACCESS)
    context = {"heading": heading, "detail": detail, "page": "error", "owner": access is not None and access.is_owner}
    context["participates"] = access is not None and not access.is_owner and status != HTTPStatus.FORBIDDEN
    return _TEMPLATES.TemplateResponse(request, "error.html", context, status_code=status)


def local_path(path: str) -> str:
    """Return a local path unchanged and ``/`` for anything else, such as a URL of another site."""
    return path if len(path) <= _MAX_PATH_LENGTH and _LOCAL.fullmatch(path) else "/"


def add_handlers(app: FastAPI) -> None:
    """Register handlers that turn every error into problem details."""
    app.add_exception_handler(AnchorPBOError, _handle_library_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


async def _handle_library_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnchorPBOError)
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    if isinstance(error, UnknownStudyError) and is_for_page(request):
        return make_error_response(request, status, _UNKNOWN_STUDY, code=error.code)
    rule, remedy = _shorten(error.rule), _shorten(error.remedy)
    received = None if error.received is None else _shorten(str(error.received))
    short = AnchorPBOError(rule, received, remedy)
    return make_error_response(
        request, status, str(short), code=error.code, field=None if error.field is None else _shorten(error.field),
        value=error.value, rule=rule, received=received, remedy=remedy or None,
    )  # fmt: skip


async def _handle_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = [_format_validation_error(one) for one in error.errors()[:5]]
    first = next(iter(error.errors()), {"loc": ()})
    # Without the first part of the place: body, query or path.
    field = _shorten(".".join(str(part) for part in first["loc"][1:]))[:_MAX_FIELD_LENGTH]
    received = _shorten(", ".join(parts)) or "another"
    rule, remedy = "every part of a request must be valid", "correct it"
    detail = f"{rule}; received {received}; {remedy}."
    return make_error_response(
        request, HTTPStatus.UNPROCESSABLE_ENTITY, detail, field=field or None,
        value=to_json_value(first.get("input")), rule=rule, received=received, remedy=remedy,
    )  # fmt: skip


def _format_validation_error(found: Mapping[str, Any]) -> str:
    if found["type"] == "json_invalid":
        return f"a body that is not JSON at character {found['loc'][-1]}"
    return f"{'.'.join(str(part) for part in found['loc'])}: {found['msg']}"


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    detail = _DETAILS.get(HTTPStatus(error.status_code), error.detail) if is_bare else error.detail
    response = make_error_response(request, error.status_code, str(detail))
    response.headers.update(error.headers or {})
    return response


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    # Log the route and not the URL, which may contain a signature.
    route = getattr(request.scope.get("route"), "path", "an unknown route")
    _LOG.error("unexpected error on %s %s", request.method, route, exc_info=error)
    detail = "an unexpected error occurred; nothing was lost, and the server's log has the details"
    return make_error_response(request, HTTPStatus.INTERNAL_SERVER_ERROR, detail)


def _end_sentence(text: str) -> str:
    """End a text with a full stop."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _shorten(text: str) -> str:
    """Truncate a text, and replace characters that UTF-8 cannot encode."""
    return text[:MAX_PART_LENGTH].encode("utf-8", "replace").decode("utf-8")
