"""Server-sent events: open pages are notified of new journal entries, whichever process wrote them.

One watcher per server process waits until the storage reports a change (`Storage.watch`), asks in one query for the
last numbers of all studies with open pages, reads the new entries and puts them into each page's queue. Without changes
it reads nothing. A page reads the journal itself only once, for the entries it missed before it connected.
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
MIN_READ_INTERVAL = 0.25
"""Seconds between two reads of the journals at least; changes within them are read together."""
HEARTBEAT_SECONDS = 15.0
"""Seconds of silence after which a comment shows that the connection is alive."""
_MAX_DIGITS = 15


@dataclass(eq=False)
class Subscriber:
    """An open page that receives events."""

    study: str
    participant: str | None
    """Participant whose entries it receives; ``None`` for all."""
    access: Access
    """Access of the caller."""
    seen: int = 0
    """Number of the last entry it has received."""
    inbox: asyncio.Queue[Sequence[Entry] | None] = field(default_factory=asyncio.Queue)
    """Entries as they come; ``None`` at the end."""

    def is_ended_by(self, entry: Entry) -> bool:
        """Return whether an entry removes the participant or revokes the link that opened the page."""
        ends = entry.type == "removed" or (entry.type == "relinked" and not self.access.is_owner)
        return ends and entry.data.get("name") == self.participant


class JournalWatcher:
    """Watcher that reads the journals of all open pages after each change, in one event loop."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._pages: dict[str, set[Subscriber]] = {}
        self._delivered: dict[str, int] = {}
        """Number of the last entry that all pages of a study have received."""
        self._task: asyncio.Task[None] | None = None
        self._wake: Callable[[], None] | None = None
        """Function that makes the task read, from any thread; ``None`` without a task."""
        self._closing = False

    @contextmanager
    def open(self, page: Subscriber) -> Iterator[None]:
        """Deliver entries to a page after the last one it has seen."""
        self._pages.setdefault(page.study, set()).add(page)
        self._delivered[page.study] = min(page.seen, self._delivered.get(page.study, page.seen))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        self._read_soon()  # there may have been changes since the page's position was read
        try:
            yield
        finally:
            self._pages[page.study].discard(page)
            if not self._pages[page.study]:
                del self._pages[page.study], self._delivered[page.study]
                self._read_soon()  # the task ends without pages

    def close(self) -> None:
        """End all streams, because the server stops. Thread-safe."""
        self._closing = True
        self._read_soon()

    def _read_soon(self) -> None:
        if (wake := self._wake) is not None:
            wake()

    async def _watch(self) -> None:
        """Read after each change as long as there are pages."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(changed.set)

        self._wake = wake
        wake()
        with self._storage.watch(wake):
            while self._pages:
                await changed.wait()
                changed.clear()
                if self._pages:
                    await self._read()
                    await asyncio.sleep(MIN_READ_INTERVAL)

    async def _read(self) -> None:
        """Read what is new and deliver it; end the pages of studies that cannot be read."""
        delivered = dict(self._delivered)
        try:
            found = {} if self._closing else await run_in_threadpool(self._look, delivered)
            for study in found.keys() & self._pages.keys():  # pages may have come or gone meanwhile
                self._deliver(study, delivered[study], found[study])
        except AnchorPBOError:  # the database is unavailable: pages reconnect
            found = {}
        except Exception:
            _LOG.exception("the journals could not be read; open streams end, and pages reconnect")
            found = {}
        for study in (delivered.keys() - found.keys()) & self._pages.keys():
            for page in self._pages[study]:
                page.inbox.put_nowait(None)

    def _look(self, delivered: Mapping[str, int]) -> dict[str, list[Entry]]:
        """Read the new entries of each study; deleted or unreadable studies are left out."""
        found: dict[str, list[Entry]] = {}
        for study, number in self._storage.last_numbers(list(delivered)).items():
            with suppress(AnchorPBOError):
                found[study] = self._storage.entries(study, None, delivered[study]) if number > delivered[study] else []
        return found

    def _deliver(self, study: str, delivered: int, entries: Sequence[Entry]) -> None:
        """Deliver new entries to the pages of a study; pages at another position are served by the next read."""
        if not entries:
            return
        last = entries[-1].number
        by_participant: dict[str | None, list[Entry]] = {None: list(entries)}
        for entry in entries:
            by_participant.setdefault(entry.participant, []).append(entry)
        endings = [entry for entry in entries if entry.type in ("removed", "relinked")]
        for page in self._pages[study]:
            if not delivered <= page.seen < last:
                continue
            heard = [entry for entry in by_participant.get(page.participant, ()) if entry.number > page.seen]
            if heard:
                page.inbox.put_nowait(heard)
            if any(entry.number > page.seen and page.is_ended_by(entry) for entry in endings):
                page.inbox.put_nowait(None)
            page.seen = last
        self._delivered[study] = min(page.seen for page in self._pages[study])


async def stream_events(
    watcher: JournalWatcher, studies: StudyService, page: Subscriber, left_off: str
) -> AsyncIterator[str]:
    """Stream new journal entries, starting now or after the last event that a reconnecting page received.

    The stream ends with the connection, the server, the study or the caller's access.
    """
    missed = await run_in_threadpool(_begin, studies, page, left_off)
    if missed is None:
        return
    with watcher.open(page):
        yield f"event: ready\ndata: {json.dumps({'number': page.seen})}\n\n"
        for entry in missed:
            yield _format_event(entry)
        while True:
            try:
                heard = await asyncio.wait_for(page.inbox.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if heard is None:
                return
            for entry in heard:
                yield _format_event(entry)


def _begin(studies: StudyService, page: Subscriber, left_off: str) -> list[Entry] | None:
    """Set the page's position and return the entries it missed; ``None`` if its access was revoked."""
    try:
        page.seen = studies.storage.last_numbers([page.study]).get(page.study, 0)
        # Later changes have a higher number, and the watcher delivers them.
        studies.memberships.check(page.study, page.participant)
        if not has_access(studies, page.access):
            return None
        if not (left_off.isdecimal() and len(left_off) <= _MAX_DIGITS):
            return []
        entries = studies.storage.entries(page.study, page.participant, int(left_off))
        return [entry for entry in entries if entry.number <= page.seen]
    except AnchorPBOError:
        return None


def _format_event(entry: Entry) -> str:
    data = {"number": entry.number, "type": entry.type, "participant": entry.participant}
    return f"id: {entry.number}\nevent: {entry.type}\ndata: {json.dumps(data)}\n\n"
