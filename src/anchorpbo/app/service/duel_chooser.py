"""The choice of a participant's next duel.

::

    pending       the duel that was asked and is not answered yet
    repeated      the duel of an earlier pair of the participant, if it is time for one (`Optimizer.repeat_rate`)
    shared        the duel of a pair that another participant has answered, if it is time for one
    prefetched    the duel that the scheduler has computed ahead, or computes now
    computed      otherwise, the duel that the session's optimizer computes in this thread
"""

from __future__ import annotations

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import SessionCache
from anchorpbo.app.service.shared_pairs import SHARED_DUEL, is_shared
from anchorpbo.app.storage.base import Storage
from anchorpbo.study import Duel, Outcome
from anchorpbo.study.replication import NextDuel, is_repeat_due, snapshot


class DuelChooser:
    """Choice of the next duels in all studies of one storage. Safe to use from several threads.

    Parameters
    ----------
    storage
        The storage.
    sessions
        The participants' sessions.
    memberships
        The participants of each study.
    scheduler
        Scheduler that computes duels ahead; without one, they are computed when they are asked.
    """

    def __init__(
        self, storage: Storage, sessions: SessionCache, memberships: Memberships, scheduler: Scheduler | None
    ) -> None:
        self._storage, self._sessions, self._memberships = storage, sessions, memberships
        self._scheduler = scheduler

    def choose(self, id: str, session: ParticipantSession) -> Duel:
        """Return the pending duel, or else the next one."""
        if session.pending is not None:
            return session.pending
        if self._scheduler is not None:
            # For a shared pair as well: its progress needs the hyper-parameters and p_within, which a worker computes.
            self._scheduler.fetch((id, session.name), self._sessions.definition(id), session)
        return self._find_shared(id, session) or session.optimizer.ask()

    def find_prefetched(self, id: str, session: ParticipantSession, duel: Duel, outcome: Outcome) -> NextDuel | None:
        """Return the next duel after an answer, if it is already computed and not a shared pair instead."""
        if self._scheduler is None or self._is_next_shared(id, session, 1):
            return None
        return self._scheduler.find(snapshot(session.optimizer, duel, outcome))

    def prefetch(self, id: str, participant: str) -> None:
        """Schedule the duels that may be asked next."""
        if self._scheduler is not None:
            session = self._sessions.session(id, participant)
            with session.lock:
                self._scheduler.prefetch((id, participant), self._sessions.definition(id), session)

    def _find_shared(self, id: str, session: ParticipantSession) -> Duel | None:
        """Return the duel of a pair that another participant has answered, if it is time for one and there is one."""
        if not self._is_next_shared(id, session):
            return None
        others = [name for name in self._memberships.active(id) if name != session.name]
        if not others:
            return None
        pair = self._sessions.answered_pairs(id).choose(session.name, others)
        return None if pair is None else session.optimizer.ask_pair(*pair, why=SHARED_DUEL)

    def _is_next_shared(self, id: str, session: ParticipantSession, answers: int = 0) -> bool:
        """Return whether the next question is about a shared pair, after this number of further answers.

        A repeat has priority: there are fewer of them, and each participant has only their own.
        """
        share = self._storage.study(id).edits.get("shared_pairs", self._sessions.definition(id).shared_pairs)
        return is_shared(len(session.answers) + answers, share) and not is_repeat_due(session.optimizer, answers)
