"""Server-sent events: an open page hears of what happened in its study, whichever process it happened in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from anchorpbo.errors import AnchorPBOError
from anchorpbo.study.storage import Storage

PAUSE = 0.5
"""Seconds between two looks at the journal."""
HEARTBEAT = 15.0
"""Seconds of silence after which a comment shows that the connection is alive."""
_MOST_DIGITS = 15


async def events(request: Request, storage: Storage, id: str, participant: str | None) -> AsyncIterator[str]:
    """New entries of a journal, from now on, or from where a page that comes back left off.

    It ends with the connection, the server or the study.
    """
    left_off = request.headers.get("last-event-id", "")
    if left_off.isdecimal() and len(left_off) <= _MOST_DIGITS:
        seen = int(left_off)
    else:
        known = await run_in_threadpool(storage.entries, id, participant)
        seen = known[-1].number if known else 0
    silent = 0.0
    yield f"event: ready\ndata: {json.dumps({'number': seen})}\n\n"
    while not await request.is_disconnected() and not request.app.state.closing:
        try:
            entries = await run_in_threadpool(storage.entries, id, participant, seen)
        except AnchorPBOError:  # deleted, or the database is away: the page will ask again
            return
        for entry in entries:
            seen = entry.number
            data = {"number": seen, "type": entry.type, "participant": entry.participant}
            yield f"id: {seen}\nevent: {entry.type}\ndata: {json.dumps(data)}\n\n"
        silent = 0.0 if entries else silent + PAUSE
        if silent >= HEARTBEAT:
            silent = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(PAUSE)
