"""Server-sent events: an open page hears of what happened in its study, whichever process it happened in.

One watcher looks at the journals of all studies that pages are open on, with one query, and tells each page what it
is to hear; a page itself reads nothing but what it missed before it came.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import Entry
from anchorpbo.app.web.access import Access, has_access
from anchorpbo.errors import AnchorPBOError

_LOG = logging.getLogger(__name__)
PAUSE = 0.5
"""Seconds between two looks at the journals."""
HEARTBEAT = 15.0
"""Seconds of silence after which a comment shows that the connection is alive."""
_MOST_DIGITS = 15


@dataclass(eq=False)
class Page:
    """An open page."""

    study: str
    participant: str | None
    """Whose entries it hears of; ``None`` for everyone's."""
    access: Access
    """Of whoever looks at it."""
    seen: int = 0
    """Number of the last entry that it knows of."""
    inbox: asyncio.Queue[Sequence[Entry] | None] = field(default_factory=asyncio.Queue)
    """Entries as they come; ``None`` at the end."""

    def is_ended_by(self, entry: Entry) -> bool:
        """Whether its participant no longer takes part, or no longer by the link that opened the page."""
        ends = entry.type == "removed" or (entry.type == "relinked" and not self.access.is_owner)
        return ends and entry.data.get("name") == self.participant


class Watcher:
    """Looks at journals for all open pages. Lives in one event loop.

    Parameters
    ----------
    is_closing
        Whether the server is to stop: then pages are ended.
    """

    def __init__(self, storage: Storage, is_closing: Callable[[], bool]) -> None:
        self._storage, self._is_closing = storage, is_closing
        self._pages: dict[str, set[Page]] = {}
        self._told: dict[str, int] = {}
        """Number of the last entry that all pages of a study were told of."""
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def open(self, page: Page) -> Iterator[None]:
        """Tell a page what happens after the last entry it has seen."""
        self._pages.setdefault(page.study, set()).add(page)
        self._told[page.study] = min(page.seen, self._told.get(page.study, page.seen))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield
        finally:
            self._pages[page.study].discard(page)
            if not self._pages[page.study]:
                del self._pages[page.study], self._told[page.study]

    async def _watch(self) -> None:
        while self._pages:
            await asyncio.sleep(PAUSE)
            told = dict(self._told)
            try:
                found = {} if self._is_closing() else await run_in_threadpool(self._look, told)
                for study in found.keys() & self._pages.keys():  # pages came, or went, in the meantime
                    self._tell(study, told[study], found[study])
            except AnchorPBOError:  # the database is away: pages will ask again
                found = {}
            except Exception:
                _LOG.exception("the journals could not be watched; open pages are ended, and will ask again")
                found = {}
            for study in (told.keys() - found.keys()) & self._pages.keys():
                for page in self._pages[study]:
                    page.inbox.put_nowait(None)

    def _look(self, told: Mapping[str, int]) -> dict[str, list[Entry]]:
        """New entries of each study; a study that was deleted, or cannot be read, is left out."""
        found: dict[str, list[Entry]] = {}
        for study, number in self._storage.last_numbers(list(told)).items():
            with suppress(AnchorPBOError):
                found[study] = self._storage.entries(study, None, told[study]) if number > told[study] else []
        return found

    def _tell(self, study: str, told: int, entries: Sequence[Entry]) -> None:
        """Tell the pages of a study what comes after an entry; those that know less wait for the next look."""
        if not entries:
            return
        last = entries[-1].number
        by_participant: dict[str | None, list[Entry]] = {None: list(entries)}
        for entry in entries:
            by_participant.setdefault(entry.participant, []).append(entry)
        endings = [entry for entry in entries if entry.type in ("removed", "relinked")]
        for page in self._pages[study]:
            if not told <= page.seen < last:
                continue
            heard = [entry for entry in by_participant.get(page.participant, ()) if entry.number > page.seen]
            if heard:
                page.inbox.put_nowait(heard)
            if any(entry.number > page.seen and page.is_ended_by(entry) for entry in endings):
                page.inbox.put_nowait(None)
            page.seen = last
        self._told[study] = min(page.seen for page in self._pages[study])


async def events(watcher: Watcher, studies: StudyService, page: Page, left_off: str) -> AsyncIterator[str]:
    """New entries of a journal, from now on, or from where a page that comes back left off.

    They end with the connection, the server, the study, or the right of whoever listens to hear them.
    """
    missed = await run_in_threadpool(_begin, studies, page, left_off)
    if missed is None:
        return
    with watcher.open(page):
        yield f"event: ready\ndata: {json.dumps({'number': page.seen})}\n\n"
        for entry in missed:
            yield _event(entry)
        while True:
            try:
                heard = await asyncio.wait_for(page.inbox.get(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if heard is None:
                return
            for entry in heard:
                yield _event(entry)


def _begin(studies: StudyService, page: Page, left_off: str) -> list[Entry] | None:
    """Find out where a page begins, and what it missed; ``None`` where it must not hear of it any longer."""
    try:
        page.seen = studies.storage.last_numbers([page.study]).get(page.study, 0)
        # Whatever changes that from now on has a higher number, and the watcher will see it.
        studies.check_participant(page.study, page.participant)
        if not has_access(studies, page.access):
            return None
        if not (left_off.isdecimal() and len(left_off) <= _MOST_DIGITS):
            return []
        entries = studies.storage.entries(page.study, page.participant, int(left_off))
        return [entry for entry in entries if entry.number <= page.seen]
    except AnchorPBOError:
        return None


def _event(entry: Entry) -> str:
    data = {"number": entry.number, "type": entry.type, "participant": entry.participant}
    return f"id: {entry.number}\nevent: {entry.type}\ndata: {json.dumps(data)}\n\n"
