"""Progress of a study: the expected gain of another duel, and when to stop.

The gain of a single duel is seldom large, so one small gain says little. The user can stop when enough duels in a row
promised a negligible gain: five, and two more per coordinate, up to ten coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

MAX_DIRECTIONS = 10
"""Largest number of coordinates that count, because a fingerprint has thousands of bits."""
NEGLIGIBLE_GAIN = 0.02
"""Expected gain, as a share of the range of utilities seen, below which a duel counts as negligible."""


@dataclass(frozen=True)
class Progress:
    """Progress of a study. Plain data, safe to share.

    Parameters
    ----------
    duels
        Number of informative answers so far.
    gain
        Expected gain of the next duel, see `Duel`; ``None`` for initial duels.
    stop
        Whether the user can stop: enough duels in a row had a negligible expected gain.
    remaining
        Approximate number of further duels until it is time to stop, if none of them brings anything new.
    sentence
        The same in a sentence.
    """

    duels: int
    gain: float | None
    stop: bool
    remaining: int
    sentence: str

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import progress_html

        return progress_html(self)


def assess_progress(duels: int, gains: Sequence[float | None], initial: int, dimension: int) -> Progress:
    """Assess the progress from the expected gains of all duels so far, followed by that of the next one.

    Parameters
    ----------
    duels
        Number of informative answers so far.
    gains
        Expected gains, see `Duel.gain`.
    initial
        Number of initial duels.
    dimension
        Number of coordinates of a design.
    """
    now = gains[-1] if gains else None
    # The next duel counts among those with a negligible gain, although it has not been answered yet.
    idle = sum(1 for _ in takewhile(lambda gain: gain is not None and gain < NEGLIGIBLE_GAIN, reversed(gains)))
    start = max(initial - duels, 0) if now is None else 0
    remaining = max(start + compute_patience(dimension) - idle, 0)
    if start:
        words = f"{start} more to get a first idea of what you like."
    elif remaining and not idle:
        words = f"Answers still teach a lot: {remaining} more or so."
    elif remaining:
        more = "comparison" if remaining == 1 else "comparisons"
        words = f"About {remaining} more {more}, unless something better turns up."
    else:
        words = "More comparisons are unlikely to find anything better: you can stop."
    return Progress(duels, now, not remaining, remaining, words)


def compute_patience(dimension: int) -> int:
    """Return how many duels in a row must have a negligible expected gain before it is time to stop."""
    return 5 + 2 * min(dimension, MAX_DIRECTIONS)
