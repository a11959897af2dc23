"""Participants' sessions in memory, and the loop that reads the journal, decides and appends to it.

Nothing is remembered that storage does not hold: sessions are replays that catch up with the journal before each
decision, so that several processes can serve the same studies.
"""

from __future__ import annotations

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import AnchorPBOError, ConflictError, RunError
from anchorpbo.numerics.deadline import time_limit

T = TypeVar("T")

MAX_SESSIONS = 256
"""Sessions and definitions in memory; others are replayed when they are needed."""
MAX_PICTURE_STUDIES = 4
"""Studies whose pictures are kept in memory, up to 8 MB each."""
RETRY_SECONDS = 10.0
"""Seconds for which a write is tried again while other processes write for the same participant."""
_MAX_BACKOFF_SECONDS = 0.05

Decision = tuple[Sequence[Entry], T]
"""Entries to append, and the result to return once they are written."""


class SessionCache:
    """Definitions, pictures and sessions of the studies of one storage. Safe to use from several threads."""

    def __init__(self, storage: Storage, memberships: Memberships) -> None:
        self._storage, self._memberships = storage, memberships
        self._definitions: OrderedDict[str, StudyDefinition] = OrderedDict()
        self._pictures: OrderedDict[str, Mapping[str, str]] = OrderedDict()
        self._sessions: OrderedDict[tuple[str, str], ParticipantSession] = OrderedDict()
        self._lock = Lock()

    def definition(self, id: str) -> StudyDefinition:
        """Definition of a study, without its pictures."""

        def load() -> StudyDefinition:
            return StudyDefinition.from_dict(self._storage.definition(id), trusted=True).without_pictures()

        return self._get(self._definitions, id, load, MAX_SESSIONS)

    def pictures(self, id: str) -> Mapping[str, str]:
        """Data URLs of the pictures of a study, by their names."""

        def load() -> Mapping[str, str]:
            pictures: Mapping[str, str] = self._storage.definition(id)["display"].get("pictures", {})
            return pictures

        return self._get(self._pictures, id, load, MAX_PICTURE_STUDIES)

    def session(self, id: str, participant: str) -> ParticipantSession:
        """Session of a participant, as far as it was replayed."""

        def load() -> ParticipantSession:
            self._memberships.check(id, participant)
            return ParticipantSession(self.definition(id), participant)

        return self._get(self._sessions, (id, participant), load, MAX_SESSIONS)

    def forget(self, id: str, participant: str | None = None) -> None:
        """Remove a study, or one participant's session, from memory."""
        with self._lock:
            if participant is not None:
                self._sessions.pop((id, participant), None)
                return
            self._definitions.pop(id, None)
            self._pictures.pop(id, None)
            for key in [key for key in self._sessions if key[0] == id]:
                del self._sessions[key]

    def read(self, id: str, participant: str, compute: Callable[[ParticipantSession], T]) -> T:
        """Return what a function computes from a session that is up to date."""
        return self.transact(id, participant, lambda session: ([], compute(session)))[1]

    def transact(
        self, id: str, participant: str, decide: Callable[[ParticipantSession], Decision[T]], *, read_first: bool = True
    ) -> tuple[list[Entry], T]:
        """Catch up with the journal, decide, append; start again if another process appended in between.

        Requests that mostly lead to an entry need not read first: storage refuses an entry that is based on a stale
        session. Returns the entries as they were written, and the result.
        """
        session = self.session(id, participant)
        with session.take_turn(), time_limit(MAX_ASK_SECONDS):
            if not read_first and session.seen:
                try:
                    entries, result = decide(session)
                    if entries:
                        written = self._storage.append(id, entries, session.seen)
                        session.replay(written)
                        return written, result
                except RunError:
                    raise
                except AnchorPBOError:  # the session may be stale: read, and decide again
                    pass
            end, backoff = time.monotonic() + RETRY_SECONDS, 0.001
            while True:
                session.replay(self._storage.entries(id, participant, session.seen))
                entries, result = decide(session)
                if not entries:
                    return [], result
                try:
                    written = self._storage.append(id, entries, session.seen)
                except ConflictError as error:
                    # Another process was faster. Random pauses keep two of them from overtaking each other in step.
                    if time.monotonic() >= end:
                        rule = "too many others act for this participant"
                        raise ConflictError(rule, participant, "try again") from error
                    time.sleep(random.uniform(0.0, backoff))
                    backoff = min(2.0 * backoff, _MAX_BACKOFF_SECONDS)
                    continue
                session.replay(written)
                return written, result

    def _get(self, cache: OrderedDict[Any, T], key: Any, load: Callable[[], T], limit: int) -> T:
        """Return a cached value; load it if it is missing, and evict the values that were not used for longest."""
        with self._lock:
            if key in cache:
                cache.move_to_end(key)
                return cache[key]
        value = load()
        with self._lock:
            value = cache.setdefault(key, value)  # another thread may have been faster
            cache.move_to_end(key)
            while len(cache) > limit:
                cache.popitem(last=False)
        return value
