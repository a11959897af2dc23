"""Load of the workers, which decides how many duels are computed speculatively.

With asks at a rate r, duels of d seconds and n desks,

    load = r d / n

is the share of the desks' time that is needed even if nothing is computed ahead. Computing both likely next duels, of
which one is needed, makes it 2 r d / n; computing one, needed every other time, 1.5 r d / n.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

MEMORY = 10.0
"""Seconds after which an ask counts 1 / e."""
_WEIGHT = 0.05
"""Weight of the latest duel in the moving average of seconds per duel."""
BOTH_BELOW, ONE_BELOW = 0.5, 0.65
"""Loads up to which both likely next duels, and one of them, are computed ahead."""


class Demand:
    """Counts asks and the time that duels take. Not thread-safe."""

    def __init__(self, desks: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._desks, self._clock = desks, clock
        self._asks, self._at = 0.0, clock()
        self._seconds = 0.0

    def record_ask(self) -> None:
        """Record that a duel is needed."""
        self._forget()
        self._asks += 1.0

    def record_duration(self, seconds: float) -> None:
        """Record how long a duel took."""
        self._seconds += _WEIGHT * (seconds - self._seconds)

    @property
    def load(self) -> float:
        """Share of the desks' time that asks need."""
        self._forget()
        return self._asks / MEMORY * self._seconds / self._desks

    @property
    def ahead(self) -> int:
        """How many of the likely next duels there is time for."""
        load = self.load
        return (load < BOTH_BELOW) + (load < ONE_BELOW)

    def _forget(self) -> None:
        now = self._clock()
        self._asks *= math.exp((self._at - now) / MEMORY)
        self._at = now
