"""Time limits for computations of unpredictable length.

A limit applies to all code that runs inside it in the same thread. An inner limit never extends an outer one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    """Time by which a computation must end."""

    end: float
    """End time on the clock of `time.monotonic`."""
    seconds: float
    """Total time allowed."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; 0 after it."""
        return max(self.end - time.monotonic(), 0.0)


_NEVER = Deadline(math.inf, math.inf)
_current: ContextVar[Deadline] = ContextVar("deadline", default=_NEVER)


def current_deadline() -> Deadline:
    """Return the current deadline; it is infinite if no limit is set."""
    return _current.get()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of the code inside the block."""
    new = Deadline(time.monotonic() + seconds, seconds)
    token = _current.set(min(new, _current.get(), key=lambda one: one.end))
    try:
        yield
    finally:
        _current.reset(token)
