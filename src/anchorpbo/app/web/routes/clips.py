"""Routes of clips: upload, list and playback, and the import of an archive, which contains clips.

Each clip is uploaded in a request of its own. Its body is counted while it is read, so that a clip that is too large is
refused by name without being read to its end. Browsers seek in a clip by range requests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from anchorpbo.app.rendering.clips import check_clip_size
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.archives import import_archive
from anchorpbo.app.service.clips import ClipsView, ClipView
from anchorpbo.app.service.views.studies import StudyView
from anchorpbo.app.storage.base import ClipInfo
from anchorpbo.app.web.access import CurrentAccess
from anchorpbo.app.web.byte_ranges import UnsatisfiableRangeError, parse_range
from anchorpbo.app.web.problem_details import RESPONSES
from anchorpbo.app.web.routes.dependencies import CurrentStudies

router = APIRouter(prefix="/api", responses=RESPONSES, tags=["studies"])
playback = APIRouter(include_in_schema=False)
_PART_BYTES = 262_144
"""Number of bytes of a clip that are read from storage and sent at a time."""
_MEMORY_BYTES = 1_000_000
"""Size above which an archive is kept on the disk while it is read."""


async def _read_clip_body(request: Request, name: str) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal():
        check_clip_size(name, int(declared))
    content = bytearray()
    async for part in request.stream():
        content += part
        check_clip_size(name, len(content))
    return bytes(content)


async def _receive_file(request: Request) -> AsyncIterator[IO[bytes]]:
    with SpooledTemporaryFile(_MEMORY_BYTES) as file:
        async for part in request.stream():
            await run_in_threadpool(file.write, part)
        file.seek(0)
        yield file


def _binary_body(words: str) -> dict[str, Any]:
    """Describe a body of bytes, with any content type, for OpenAPI."""
    schema = {"type": "string", "format": "binary"}
    content = {"application/octet-stream": {"schema": schema, "example": f"the bytes of {words}"}}
    return {"requestBody": {"description": f"The bytes of {words}.", "content": content, "required": True}}


@router.get("/studies/{id}/clips")
def list_clips(studies: CurrentStudies, access: CurrentAccess, id: str) -> ClipsView:
    """List the clips of a study, and those that are missing."""
    access.require_study(id)
    return studies.clips.show(id)


@router.put("/studies/{id}/clips/{name}", openapi_extra=_binary_body("a WAV, MP3, Ogg, MP4 or WebM file"))
def put_clip(
    studies: CurrentStudies,
    access: CurrentAccess,
    id: str,
    name: str,
    content: Annotated[bytes, Depends(_read_clip_body)],
) -> ClipView:
    """Upload an audio or video clip that the catalogue names; idempotent."""
    access.require_owner()
    return studies.clips.put(id, name, content)


@router.post(
    "/studies/import/archive",
    status_code=HTTPStatus.CREATED,
    openapi_extra=_binary_body("an export as ZIP"),
)
def import_study_archive(
    studies: CurrentStudies,
    access: CurrentAccess,
    file: Annotated[IO[bytes], Depends(_receive_file)],
    response: Response,
) -> StudyView:
    """Create a study with its clips from an export as ZIP, under a new id."""
    access.require_owner()
    view = import_archive(studies, file)
    response.headers["Location"] = f"/api/studies/{view.id}"
    return view


@playback.get("/studies/{id}/clips/{name}")
def play_clip(request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, name: str) -> Response:
    """Send a clip, or the part of it that a range request asks for."""
    access.require_study(id)
    clip = studies.clips.infos(id).get(name)
    if clip is None:
        raise HTTPException(404, f"this study has no clip {name!r}; check its name, or upload it")
    tag = f'"{clip.checksum:08x}-{clip.size:x}"'
    # Browsers keep clips, and ask each time whether they are still valid.
    headers = {"Accept-Ranges": "bytes", "ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    asked = request.headers.get("range") if request.headers.get("if-range", tag) == tag else None
    try:
        part = parse_range(asked, clip.size)
    except UnsatisfiableRangeError:
        detail = f"the range must begin within the {clip.size} bytes of the clip; ask for another part"
        raise HTTPException(416, detail, headers | {"Content-Range": f"bytes */{clip.size}"}) from None
    status = HTTPStatus.OK
    if part is None:
        part = range(clip.size)
    else:
        status = HTTPStatus.PARTIAL_CONTENT
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{clip.size}"
    headers["Content-Length"] = str(len(part))
    # The first bytes are read before the response begins, so that an error still has its status.
    start = min(part.start + _PART_BYTES, part.stop)
    first = studies.clips.read(id, clip, part.start, start)
    body = _send_parts(first, studies, id, clip, range(start, part.stop))
    return StreamingResponse(body, status, headers, media_type=clip.type)


def _send_parts(first: bytes, studies: StudyService, id: str, clip: ClipInfo, rest: range) -> Iterator[bytes]:
    yield first
    for start in rest[::_PART_BYTES]:
        yield studies.clips.read(id, clip, start, min(start + _PART_BYTES, rest.stop))
