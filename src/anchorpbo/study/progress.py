"""Progress of a study: the expected gain of another duel, and when to stop.

One duel seldom brings much by itself, so a single small gain says little. Only when as many duels in a row as it takes
to look around once, five and two more for each coordinate up to ten, promised next to nothing, is it time to stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

MAX_DIRECTIONS = 10
"""Coordinates that count: a fingerprint of 2,048 bits is not looked at from as many sides."""
NEGLIGIBLE_GAIN = 0.02
"""Expected gain, as a share of the range of utilities seen, below which a duel counts as idle."""


@dataclass(frozen=True)
class Progress:
    """How far a study is. Plain data, safe to share.

    Parameters
    ----------
    duels
        Informative answers so far.
    gain
        What the next duel is expected to bring, see `Duel`; ``None`` for the duels to start with.
    stop
        Whether this and the duels before it promised too little to go on.
    remaining
        About how many more duels are worth their while, if none of them brings anything new.
    sentence
        The same in words.
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
    """Assess the progress by the expected gains of all duels so far, that of the next one last.

    Parameters
    ----------
    duels
        Informative answers so far.
    gains
        See `Duel.gain`.
    initial
        Duels to start with.
    dimension
        Coordinates of a design.
    """
    now = gains[-1] if gains else None
    # The next duel counts as one that promises little, but is not behind us yet.
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
