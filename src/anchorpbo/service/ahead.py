"""The next duel, computed while the participant is still thinking about this one, for each answer.

The next duel is a function of the log, so that it may be computed at any time: an optimizer remembers it. What is
computed here is only ever sooner there, never different.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Semaphore

from anchorpbo.errors import AnchorPBOError
from anchorpbo.service.rater import Rater
from anchorpbo.study import Outcome

_LIKELY: tuple[Outcome, ...] = ("first", "second", "tie")
"""The likely ones first."""
_MOST_WAITING = 64
"""Beyond this the machine is busy enough with duels that are asked for now."""


class Ahead:
    """Threads that look ahead."""

    def __init__(self, workers: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="ahead")
        self._room = Semaphore(_MOST_WAITING)

    def prepare(self, rater: Rater, duel_id: str) -> None:
        """Compute, at leisure, what would be asked after each answer to this duel."""
        if not self._room.acquire(blocking=False):
            return
        try:
            self._threads.submit(self._look, rater, duel_id)
        except RuntimeError:  # closed in the meantime
            self._room.release()

    def close(self) -> None:
        """Stop: whatever waits is given up."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _look(self, rater: Rater, duel_id: str) -> None:
        self._room.release()
        for outcome in _LIKELY:
            pending = rater.pending
            if pending is None or pending.id != duel_id:
                return  # answered meanwhile
            with suppress(AnchorPBOError):  # whoever asks for it will hear of it
                rater.optimizer.peek(outcome)
