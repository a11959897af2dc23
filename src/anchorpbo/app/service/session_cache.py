"""Participants' sessions in memory, and the loop that reads the journal, decides and appends to it.

All state is in storage. Sessions are replays that catch up with the journal before each decision, so several processes
can serve the same studies.
"""

from __future__ import annotations

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.events import StudyEvent, make_entry
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.definition.validation import check_json, raise_input_errors
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.shared_pairs import AnsweredPairs
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import AnchorPBOError, ConflictError, RunError
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.study.events import Answered

T = TypeVar("T")

MAX_SESSIONS = 256
"""Maximum number of sessions and of definitions kept in memory; others are loaded on demand."""
MAX_PICTURE_STUDIES = 4
"""Maximum number of studies whose pictures are kept in memory, up to 8 MB per study."""
RETRY_SECONDS = 10.0
"""Seconds for which a write is retried while other processes write for the same participant."""
_MAX_BACKOFF_SECONDS = 0.05


@dataclass(frozen=True)
class Decision(Generic[T]):
    """Decision of a use case: events of the participant, and the result once they are written."""

    events: Sequence[StudyEvent]
    result: Callable[[Sequence[Entry]], T]
    """Computes the result from the entries of the events, when the session has applied them."""
    response_ms: int | None = None
    """Response time of the answer among the events."""


class SessionCache:
    """Definitions, pictures and sessions of the studies of one storage. Safe to use from several threads."""

    def __init__(self, storage: Storage, memberships: Memberships) -> None:
        self._storage, self._memberships = storage, memberships
        self._definitions: OrderedDict[str, StudyDefinition] = OrderedDict()
        self._pictures: OrderedDict[str, Mapping[str, str]] = OrderedDict()
        self._sessions: OrderedDict[tuple[str, str], ParticipantSession] = OrderedDict()
        self._answered_pairs: OrderedDict[str, AnsweredPairs] = OrderedDict()
        self._lock = Lock()

    def definition(self, id: str) -> StudyDefinition:
        """Return the definition of a study, without its pictures."""

        def load() -> StudyDefinition:
            return StudyDefinition.from_dict(self._storage.definition(id), trusted=True).without_pictures()

        return self._get(self._definitions, id, load, MAX_SESSIONS)

    def check_design(self, id: str, design: Mapping[str, Any]) -> Design:
        """Return an untrusted design, validated by the space of a study."""
        check_json("a design", design)
        with raise_input_errors("a design"):
            return self.definition(id).space.check(design)

    def pictures(self, id: str) -> Mapping[str, str]:
        """Return the data URLs of a study's pictures by name."""

        def load() -> Mapping[str, str]:
            pictures: Mapping[str, str] = self._storage.definition(id)["display"].get("pictures", {})
            return pictures

        return self._get(self._pictures, id, load, MAX_PICTURE_STUDIES)

    def answered_pairs(self, id: str) -> AnsweredPairs:
        """Return the pairs that the participants of a study have answered; only new entries are read."""
        known = self._get(self._answered_pairs, id, AnsweredPairs, MAX_SESSIONS)
        pairs = known.replay(self._storage.entries(id, None, known.seen), self.definition(id).space)
        with self._lock:
            if id in self._answered_pairs:  # unless the study was forgotten meanwhile
                self._answered_pairs[id] = max(pairs, self._answered_pairs[id], key=lambda pairs: pairs.seen)
        return pairs

    def session(self, id: str, participant: str) -> ParticipantSession:
        """Return the session of a participant, which may lag behind the journal."""

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
            self._answered_pairs.pop(id, None)
            for key in [key for key in self._sessions if key[0] == id]:
                del self._sessions[key]

    def read(self, id: str, participant: str, compute: Callable[[ParticipantSession], T]) -> T:
        """Return the result of a function of an up-to-date session."""
        session = self.session(id, participant)
        with session.take_turn(), time_limit(MAX_ASK_SECONDS):
            session.replay(self._storage.entries(id, participant, session.seen))
            return compute(session)

    def transact(
        self, id: str, participant: str, decide: Callable[[ParticipantSession], Decision[T]], *, read_first: bool = True
    ) -> T:
        """Catch up with the journal, decide, append and return the result; retry if another process appended meanwhile.

        Requests that usually append an event may skip the first read: storage rejects a stale write.
        """
        session = self.session(id, participant)
        with session.take_turn(), time_limit(MAX_ASK_SECONDS):
            written: list[Entry] | None = None
            if not read_first and session.seen:
                try:
                    decision = decide(session)
                    written = self._append(id, session, decision) if decision.events else None
                except RunError:
                    raise
                except AnchorPBOError:  # the session may be stale: read and decide again
                    pass
            end, backoff = time.monotonic() + RETRY_SECONDS, 0.001
            while written is None:
                session.replay(self._storage.entries(id, participant, session.seen))
                decision = decide(session)
                try:
                    written = self._append(id, session, decision)
                except ConflictError as error:
                    # Another process was faster. Random pauses prevent two processes from colliding again and again.
                    if time.monotonic() >= end:
                        rule = "too many processes write for this participant"
                        raise RunError(rule, participant, "try again") from error
                    time.sleep(random.uniform(0.0, backoff))
                    backoff = min(2.0 * backoff, _MAX_BACKOFF_SECONDS)
            return decision.result(written)

    def _append(self, id: str, session: ParticipantSession, decision: Decision[Any]) -> list[Entry]:
        """Append the events of a decision to the journal, apply them, and return their entries."""
        if not decision.events:
            return []
        entries = [
            make_entry(event, session.name, decision.response_ms if isinstance(event, Answered) else None)
            for event in decision.events
        ]
        written = self._storage.append(id, entries, session.seen)
        for event, entry in zip(decision.events, written, strict=True):
            session.apply(event, entry.number, entry.response_ms)
        return written

    def _get(self, cache: OrderedDict[Any, T], key: Any, load: Callable[[], T], limit: int) -> T:
        """Return a cached value; load it if it is missing, and evict the least recently used values."""
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
