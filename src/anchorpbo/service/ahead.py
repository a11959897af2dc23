"""The next duel, computed while the participant is still thinking about this one, for each answer.

The next duel is a function of the log, so that it may be computed at any time: an optimizer remembers it. What is
computed here is only ever sooner there, never different.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from itertools import count
from queue import Empty, PriorityQueue
from threading import Thread

from anchorpbo.errors import AnchorPBOError
from anchorpbo.service.rater import Rater
from anchorpbo.space import Real, Space
from anchorpbo.study import Optimizer, Outcome

_LIKELY: tuple[Outcome, ...] = ("first", "second")
"""What most answers are. Ties are rare, and to look at them too would take half as much time again from everyone."""
_MOST_WAITING = 64
"""Beyond this the machine is busy enough with duels that are asked for now."""

_LOG = logging.getLogger("anchorpbo.service")

_PATIENCE = 1.0
"""Seconds to wait for a participant who is being served."""

_WARM = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))

Task = tuple[int, int, Rater | None, str]
"""How unlikely, when it came in, for whom, and the duel that is out; nobody is the sign to stop."""


class Ahead:
    """Threads that look ahead."""

    def __init__(self, workers: int | None = None) -> None:
        self._tasks: PriorityQueue[Task] = PriorityQueue()
        self._numbers = count()
        self._closed = False
        # One processor is left to those who are waiting.
        workers = workers or max((os.cpu_count() or 1) - 1, 1)
        self._threads = [Thread(target=self._work, name=f"ahead-{n}", daemon=True) for n in range(workers)]
        for thread in self._threads:
            thread.start()

    def prepare(self, rater: Rater, duel_id: str) -> None:
        """Compute, at leisure, what would be asked after each answer to this duel."""
        if not self._closed and self._tasks.qsize() < _MOST_WAITING:
            self._tasks.put((0, next(self._numbers), rater, duel_id))

    def warm_up(self) -> None:
        """Load, or compile, what a duel needs before anyone asks for one."""
        Thread(target=_ask_once, name="warm-up", daemon=True).start()

    def close(self) -> None:
        """Stop: whatever waits is given up."""
        self._closed = True
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()
        for _ in self._threads:
            self._tasks.put((-1, next(self._numbers), None, ""))
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while True:
            rank, _, rater, duel_id = self._tasks.get()
            if rater is None:
                return
            try:
                go_on = self._look(rater, duel_id, _LIKELY[rank])
            except Exception:  # a mistake of ours: whoever asks for the duel meets it again, but the others go on
                _LOG.exception("looking ahead failed")
                go_on = False
            # One task a participant at a time: two would wait for each other.
            if go_on and rank + 1 < len(_LIKELY) and not self._closed:
                self._tasks.put((rank + 1, next(self._numbers), rater, duel_id))

    def _look(self, rater: Rater, duel_id: str, outcome: Outcome) -> bool:
        """Look at one answer; whether it is worth looking at others."""
        if not rater.lock.acquire(timeout=_PATIENCE):
            return False
        try:
            pending = rater.pending
            if pending is None or pending.id != duel_id:
                return False  # answered meanwhile
            with suppress(AnchorPBOError):  # whoever asks for it will hear of it
                rater.optimizer.peek(outcome, pending)
            return True
        finally:
            rater.lock.release()


def _ask_once() -> None:
    study = Optimizer(_WARM, [{"x": 0.5, "y": 0.5}])
    for n in range(8):
        study.tell_preference({"x": n / 8, "y": 0.2}, {"x": 0.7, "y": n / 9})
    study.ask()
