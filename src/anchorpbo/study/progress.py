"""Progress of a study: how probably the recommended design is close to the best, and when to stop.

The user can stop when the recommended design is within a margin of the best design of the space with 90 % probability,
see `anchorpbo.study.optimality`. The margin is 10 % of the gap between a median design and the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from anchorpbo.formatting import format_probability

ENOUGH = 0.9
"""Probability of being within the margin of the best from which the user can stop."""
DUELS_PER_DEVIATION = 30.0
"""Number of duels in which the normal quantile of that probability grows by 1 (decision 39)."""
MAX_REMAINING = 50
"""Largest estimate of the number of further duels."""
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
        Expected gain of the next duel, see `Duel`; ``None`` if the model does not select it.
    stop
        Whether the user can stop: `p_within` is at least 0.9.
    remaining
        Rough estimate of the number of further duels until the user can stop, from `p_within` alone; 0 if they can.
    sentence
        The same in a sentence.
    p_within
        Probability that the recommended design is within 10 % of the gap between a median design and the best, see
        `Recommendation`; ``None`` before the end of the initial duels.
    """

    duels: int
    gain: float | None
    stop: bool
    remaining: int
    sentence: str
    p_within: float | None = None

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import progress_html

        return progress_html(self)


def assess_progress(duels: int, gain: float | None, p_within: float | None, initial: int = 0) -> Progress:
    """Assess the progress of a study.

    Parameters
    ----------
    duels
        Number of informative answers so far.
    gain
        Expected gain of the next duel.
    p_within
        Probability that the recommended design is within the margin; ``None`` for initial duels.
    initial
        Number of initial duels that are left.
    """
    if p_within is None:
        remaining = initial + estimate_remaining(0.5)
        words = f"{initial} more to get a first idea of what you like."
        return Progress(duels, gain, False, remaining, words)
    remaining = estimate_remaining(p_within)
    sure = f"recommended design is close to the best with {format_probability(p_within)} probability"
    if not remaining:
        return Progress(duels, gain, True, 0, f"You can stop: the {sure}.", p_within)
    more = "comparison" if remaining == 1 else "comparisons"
    count = f"{remaining} or more {more}" if remaining == MAX_REMAINING else f"about {remaining} more {more}"
    words = f"The {sure}; reaching {format_probability(ENOUGH)} takes {count}."
    return Progress(duels, gain, False, remaining, words, p_within)


def estimate_remaining(p_within: float) -> int:
    """Estimate the number of further duels until the user can stop; 0 if and only if `p_within` is enough."""
    if p_within >= ENOUGH:
        return 0
    missing = float(special.ndtri(ENOUGH) - special.ndtri(p_within))
    return int(np.clip(np.ceil(DUELS_PER_DEVIATION * missing), 1, MAX_REMAINING))
