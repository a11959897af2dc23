"""Errors as RFC 9457 problem details, one shape for all of them.

::

    {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "all of it, as a sentence",
     "rule": "what must hold", "received": "what came instead", "remedy": "what to do about it"}
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
from anchorpbo.app.web.wording import LONGEST, reworded
from anchorpbo.errors import (
    AnchorPBOError,
    ConflictError,
    DataError,
    NotFittedError,
    RunError,
    TimeLimitError,
    UnknownStudyError,
)

_TEMPLATES = Jinja2Templates(Path(__file__).parent / "templates")
_LOG = logging.getLogger("anchorpbo.app.web")
MEDIA_TYPE = "application/problem+json"
# The first that fits.
_STATUS: tuple[tuple[type[AnchorPBOError], HTTPStatus], ...] = (
    (UnknownStudyError, HTTPStatus.NOT_FOUND),
    (ConflictError, HTTPStatus.CONFLICT),
    (NotFittedError, HTTPStatus.CONFLICT),
    (TimeLimitError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (DataError, HTTPStatus.SERVICE_UNAVAILABLE),
    (RunError, HTTPStatus.SERVICE_UNAVAILABLE),
    (AnchorPBOError, HTTPStatus.UNPROCESSABLE_ENTITY),
)
_PLAIN = {
    HTTPStatus.NOT_FOUND: "there is nothing at this address; check it",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address does not take requests of this method; see /openapi.json",
}
"""Details of errors for which the framework gives the name of the status alone."""
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_LONGEST_PATH = 2000


class Problem(BaseModel):
    """What went wrong and what to do about it (RFC 9457)."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404], ge=400, le=599)
    detail: str = Field(examples=["there is no study of this id; received 'x'; check the link."])
    rule: str | None = Field(None, description="What must hold.")
    received: str | None = Field(None, description="What came instead.")
    remedy: str | None = Field(None, description="What to do about it.")


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, words in {
        400: "The body cannot be read.",
        401: "Nobody is signed in.",
        403: "Signed in as someone who may not, or sent by a page of another site.",
        404: "No such study, participant, duel or event.",
        409: "Someone was faster, or it is too early.",
        413: "Too large.",
        421: "Not a name of this server.",
        422: "A value breaks a rule, or takes longer to check than it may.",
        429: "Too many wrong tokens came; Retry-After says how many seconds to wait.",
        503: "The database is not available, the next duel takes too long, or too many requests wait.",
    }.items()
}
"""How any route may fail, for its description."""


def describe_problem(openapi: dict[str, Any]) -> dict[str, Any]:
    """A description of an interface whose `RESPONSES` lead somewhere."""
    schemas = openapi.setdefault("components", {}).setdefault("schemas", {})
    schemas.setdefault("Problem", Problem.model_json_schema())
    return openapi


def problem(
    status: int, detail: str, rule: str | None = None, received: str | None = None, remedy: str | None = None
) -> Response:
    """A response that says what went wrong."""
    body = Problem(
        title=HTTPStatus(status).phrase, status=status, detail=_sentence(detail),
        rule=rule, received=received, remedy=remedy,
    )  # fmt: skip
    return JSONResponse(body.model_dump(exclude_none=True), status, media_type=MEDIA_TYPE)


def respond(request: Request, status: int, detail: str, **parts: str | None) -> Response:
    """Say what went wrong: to a program as JSON, to a person as a page."""
    if request.url.path.startswith("/api") or "text/html" not in request.headers.get("accept", ""):
        return problem(status, detail, **parts)
    if status == HTTPStatus.UNAUTHORIZED:
        query = request.url.query
        path = quote(request.scope["path"]) + (f"?{query}" if query else "")
        asked = local_path(path) if request.method == "GET" else "/"
        return _TEMPLATES.TemplateResponse(request, "login.html", {"page": "login", "next": asked}, status_code=status)
    heading = {403: "Not for you", 404: "Not found"}.get(status, "That did not work")
    detail = _sentence(detail[:1].upper() + detail[1:])
    access: Access | None = request.scope.get(ACCESS)
    context = {"heading": heading, "detail": detail, "page": "error", "owner": access is not None and access.is_owner}
    context["participates"] = access is not None and not access.is_owner and status != HTTPStatus.FORBIDDEN
    return _TEMPLATES.TemplateResponse(request, "error.html", context, status_code=status)


def local_path(path: str) -> str:
    """Return a path of this site as it is, and ``/`` for anything else, such as the address of another site."""
    return path if len(path) <= _LONGEST_PATH and _LOCAL.fullmatch(path) else "/"


def add_handlers(app: FastAPI) -> None:
    """Answer every error of an app with a problem."""
    app.add_exception_handler(AnchorPBOError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnchorPBOError)
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    error = reworded(error)
    received = None if error.received is None else _printable(str(error.received))
    rule, remedy = _printable(error.rule), _printable(error.remedy) or None
    return respond(request, status, _printable(str(error)[: 2 * LONGEST]), rule=rule, received=received, remedy=remedy)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = [_misfit(one) for one in error.errors()[:5]]
    received = _printable(", ".join(parts))[:LONGEST] or "another"
    rule, remedy = "a request must be as /openapi.json describes it", "correct it, as in the examples there"
    detail = f"{rule}; received {received}; {remedy}."
    return respond(request, HTTPStatus.UNPROCESSABLE_ENTITY, detail, rule=rule, received=received, remedy=remedy)


def _misfit(found: Mapping[str, Any]) -> str:
    if found["type"] == "json_invalid":
        return f"a body that is not JSON at character {found['loc'][-1]}"
    return f"{'.'.join(str(part) for part in found['loc'])}: {found['msg']}"


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    detail = _PLAIN.get(HTTPStatus(error.status_code), error.detail) if is_bare else error.detail
    response = respond(request, error.status_code, str(detail))
    response.headers.update(error.headers or {})
    return response


async def _unexpected(request: Request, error: Exception) -> Response:
    # The route and not the address, which may hold a signature.
    route = getattr(request.scope.get("route"), "path", "an unknown route")
    _LOG.error("unexpected error on %s %s", request.method, route, exc_info=error)
    detail = "something went wrong that should not have; nothing was lost, and the server's log says more"
    return respond(request, HTTPStatus.INTERNAL_SERVER_ERROR, detail)


def _sentence(text: str) -> str:
    """Text that ends as a sentence does."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _printable(text: str) -> str:
    """Text that UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
