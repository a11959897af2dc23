"""Load of the workers, which limits how many duels are prefetched.

With asks at a rate r, duels of d seconds and n workers,

    load = r d / n

is the share of the workers' time that is needed without prefetching. Prefetching both likely next duels, one of them in
vain, raises the load to 2 r d / n. Prefetching one, in vain half of the time, raises it to 1.5 r d / n.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

DECAY_SECONDS = 10.0
"""Seconds after which the weight of an ask has decayed to 1 / e."""
_DURATION_WEIGHT = 0.05
"""Weight of the latest duel in the moving average of seconds per duel."""
MAX_LOAD_BOTH, MAX_LOAD_ONE = 0.5, 0.65
"""Loads below which both likely next duels, or one of them, are prefetched."""


class LoadMonitor:
    """Monitor of the rate of asks and of the seconds per duel. Not thread-safe."""

    def __init__(self, workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._workers, self._clock = workers, clock
        self._asks, self._at = 0.0, clock()
        self._seconds = 0.0

    def record_ask(self) -> None:
        """Record that a duel is needed."""
        self._decay()
        self._asks += 1.0

    def record_duration(self, seconds: float) -> None:
        """Record how long a duel took."""
        self._seconds += _DURATION_WEIGHT * (seconds - self._seconds)

    @property
    def load(self) -> float:
        """Share of the workers' time that asks need."""
        self._decay()
        return self._asks / DECAY_SECONDS * self._seconds / self._workers

    @property
    def prefetch_count(self) -> int:
        """Number of likely next duels to prefetch."""
        load = self.load
        return (load < MAX_LOAD_BOTH) + (load < MAX_LOAD_ONE)

    def _decay(self) -> None:
        now = self._clock()
        self._asks *= math.exp((self._at - now) / DECAY_SECONDS)
        self._at = now
