"""Whether to go on: what another duel is expected to bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ENOUGH = 0.02
"""Expected gains below this share of the range of utilities seen are not worth a duel."""
PATIENCE = 3
"""So many duels in a row must promise less than that before it is time to stop."""
LOOK_BACK = 15
"""Gains by which the number of duels still worth their while is extrapolated."""


@dataclass(frozen=True)
class Progress:
    """How far a study is. Plain data, safe to share."""

    duels: int
    """Informative answers so far."""
    gain: float | None
    """What the next duel is expected to bring, as a share of the range of utilities seen; ``None`` at the start."""
    stop: bool
    """Whether this and the duels before it promised too little to go on."""
    remaining: int | None
    """About how many more duels are worth their while; ``None`` where the gains show no trend yet."""
    sentence: str
    """The same in words."""


def progress(duels: int, gains: Sequence[float | None], initial: int) -> Progress:
    """Judge by the expected gains of all duels so far, that of the next one last.

    Parameters
    ----------
    duels
        Informative answers so far.
    gains
        See `Duel.gain`.
    initial
        Duels to start with.
    """
    known = [gain for gain in gains if gain is not None]
    now = gains[-1] if gains else None
    if now is None:
        left = max(initial - duels, 1)
        return Progress(duels, None, False, None, f"{left} more to get a first idea of what you like.")
    stop = len(known) >= PATIENCE and max(known[-PATIENCE:]) < ENOUGH
    remaining = 0 if stop else _remaining(known)
    if stop:
        words = "More comparisons are unlikely to find anything better: you can stop."
    elif remaining is None:
        words = f"The next comparison may improve on your best by {now:.0%} of the range seen so far."
    else:
        words = f"About {remaining} more {'comparison' if remaining == 1 else 'comparisons'} will help."
    return Progress(duels, now, stop, remaining, words)


def _remaining(gains: Sequence[float]) -> int | None:
    """Where the straight line through the logarithms of the last gains falls to `ENOUGH`."""
    last = np.log(np.maximum(gains[-LOOK_BACK:], 1e-6))
    if len(last) < 5:
        return None
    slope, level = np.polyfit(np.arange(len(last)) - len(last) + 1.0, last, 1)
    if slope >= -0.01:
        return None
    return int(np.clip(np.ceil((np.log(ENOUGH) - level) / slope), 1, 99))
