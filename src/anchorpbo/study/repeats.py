"""Repeated questions: earlier pairs that are asked once more, with the sides swapped, to test the user's consistency.

Symbols: r the rate (`Optimizer.repeat_rate`), j the number of a question, 0 for the first that may be a repeat.

::

    block b     the questions j with floor(j r) = b: there are 1/r, rounded up or down
    repeat      one question of each block, at a position drawn from the seed and b

The first n questions therefore have floor(n r) repeats or one more, without clumps and without a period that the
user could learn. Whether a question is a repeat depends on the seed and on its number alone.

The pair is drawn at random among the answered pairs that were repeated least often and that are in the band of
reliability with the fewest repeats so far (`reliability_bands`), so that every band is tested. Pairs among the last
answers, which the user may remember, are the last resort. Ties are repeated like other answers, skips and imported
comparisons are not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from anchorpbo.reliability import NoiseMap
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.events import Answered, LogEntry
from anchorpbo.study.reliability_bands import assign_bands, list_bands
from anchorpbo.typing import Array

REMEMBERED_ANSWERS = 5
"""Number of latest answers that are not repeated if there are others."""
_ROUNDING = 1e-9
_LONGEST_BLOCK = 1e15

PairKey = frozenset[bytes]
"""Coordinates of two designs in either order."""


def is_repeat(number: int, rate: float, seed: int) -> bool:
    """Return whether the question of this number, counted from the first that may be a repeat, is one."""
    if number < 0 or rate <= 0.0:
        return False
    block = math.floor(number * rate + _ROUNDING)
    start, stop = _find_start(block, rate), _find_start(block + 1, rate)
    share = float(np.random.default_rng([seed, 8, block]).random())
    return number == start + math.floor(share * (stop - start))


def _find_start(block: int, rate: float) -> int:
    """Return the first question of a block."""
    return math.ceil(max(min((block - _ROUNDING) / rate, _LONGEST_BLOCK), 0.0))


def is_repeat_due(data: StudyData, initial: int, rate: float, seed: int, pending: int = 0) -> bool:
    """Return whether the next question is to be a repeat.

    Parameters
    ----------
    data
        The log so far.
    initial
        Number of initial duels: neither they nor the `REMEMBERED_ANSWERS` questions after them are repeats.
    rate
        Share of questions that are repeats.
    seed
        Seed of the study.
    pending
        Number of questions asked before the next one that have no answer yet.
    """
    return is_repeat(data.questions + pending - initial - REMEMBERED_ANSWERS, rate, seed)


def select_repeat(
    data: StudyData, pending: Sequence[Array], noise_map: NoiseMap, rng: np.random.Generator
) -> LogEntry | None:
    """Return the entry of the answer whose pair is to be asked once more; ``None`` if there is none.

    Parameters
    ----------
    data
        The log so far.
    pending
        Pairs that have no answer yet, (2, d) each: none of them is repeated.
    noise_map
        Noise map that decides on the band of each pair.
    rng
        Source of the choice among equals.
    """
    latest: dict[PairKey, LogEntry] = {}
    count: Counter[PairKey] = Counter()
    for entry in data.entries:
        if isinstance(entry.event, Answered):
            key = make_pair_key(entry.points)
            latest[key] = entry
            count[key] += 1
    waiting = {make_pair_key(pair) for pair in pending}
    count.update(waiting & latest.keys())
    blocked = waiting | {make_pair_key(pair) for pair in data.recently_skipped}
    recent = {make_pair_key(pair) for pair in data.pairs[-REMEMBERED_ANSWERS:]}
    allowed = [key for key in latest if key not in blocked]
    allowed = [key for key in allowed if key not in recent] or allowed
    if not allowed:
        return None
    fewest = min(count[key] for key in allowed)
    candidates = [key for key in allowed if count[key] == fewest]
    keys = list(latest)
    band = dict(zip(keys, assign_bands(noise_map, np.array([latest[key].points for key in keys])), strict=True))
    repeats = np.zeros(len(list_bands(noise_map)), dtype=np.intp)
    for key in keys:
        repeats[band[key]] += count[key] - 1
    least = min(repeats[band[key]] for key in candidates)
    candidates = [key for key in candidates if repeats[band[key]] == least]
    return latest[candidates[int(rng.integers(len(candidates)))]]


def find_champion(data: StudyData) -> Array | None:
    """Return the winner, (d,), of the last duel that the strategy selected, or that was not asked for.

    Repeats, checks of anchors and given pairs have no expected gain, and may be about poor designs. They count only as
    long as there is no other duel, as initial duels do.
    """
    for number in reversed(np.flatnonzero(~data.tied).tolist()):
        event = data.entries[number].event
        if not isinstance(event, Answered) or event.gain is not None:
            return np.asarray(data.pairs[number, 0])
    return data.champion


def make_pair_key(pair: Array) -> PairKey:
    """Return the key of a pair of designs, (2, d), which is the same for both orders."""
    return frozenset(point.tobytes() for point in pair)
