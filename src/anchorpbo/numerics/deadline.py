"""Time limits of computations whose length nobody can tell beforehand.

A limit holds for whatever runs inside it in the same thread, and an inner one never extends an outer one.
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
    """When a computation must have ended."""

    end: float
    """On the clock of `time.monotonic`."""
    seconds: float
    """How long it may take in all."""

    @property
    def seconds_left(self) -> float:
        """Seconds until then, 0 when it has passed."""
        return max(self.end - time.monotonic(), 0.0)


_NEVER = Deadline(math.inf, math.inf)
_current: ContextVar[Deadline] = ContextVar("deadline", default=_NEVER)


def current_deadline() -> Deadline:
    """Return the deadline in force; infinitely far away where there is none."""
    return _current.get()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of what runs inside."""
    new = Deadline(time.monotonic() + seconds, seconds)
    token = _current.set(min(new, _current.get(), key=lambda one: one.end))
    try:
        yield
    finally:
        _current.reset(token)
