"""Contradictions: pairs that were compared more than once, with different answers. Ties and skips.

A repeat is an answer to a pair that was answered before, whichever side its designs were on; it is compared with the
last answer before it. The model expects it to differ with the probability, given all other answers, of any other
outcome than the last one.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.formatting import format_count
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.finding import Finding, FindingLevel
from anchorpbo.study.audit.posteriors import share_density
from anchorpbo.study.audit.words import ask_for_more, explain_missing, format_percent, format_range
from anchorpbo.typing import Array, BoolArray

MIN_REPEATS = 3
"""Smallest number of repeats for a statement about them."""
MIN_COIN_REPEATS = 10
"""Smallest number of repeats that are called no better than coins."""
CONTRADICTION_EXCESS, COIN_SHARE = 0.2, 0.5
"""Share of contradictions above the expected one that is a fault, and the share of coin flips, which is one too."""
TIE_SHARE = 0.5
"""Share of ties that is a fault."""


def find_contradictions(answers: AnswerTable) -> Finding:
    """Return the share of repeats that were answered differently."""
    differs, expected = compare_repeats(answers)
    n, k = len(differs), int(np.count_nonzero(differs))
    interval = jeffreys_interval(k, n) if n else (0.0, 1.0)
    data = share_density(k, n, float(expected.mean()), "repeats answered differently") if n else None
    if n < MIN_REPEATS:
        sentence = explain_missing(MIN_REPEATS, "answers to a pair that was compared before", n)
        return Finding("contradictions", k / n if n else None, interval, sentence, "unknown", data)
    mean, coins = float(expected.mean()), n >= MIN_COIN_REPEATS and k >= COIN_SHARE * n
    sentence = (
        f"You answered {k} of {format_count(n, 'repeated pair')} differently ({format_percent(k / n)}, "
        f"{format_range(interval)}); the model expects {format_percent(mean)}, coins would give 50 %."
    )
    level: FindingLevel = "good"
    if interval[0] > mean:
        level = "warning"
        sentence += " You contradict yourself more than your other answers explain."
    elif coins:
        level = "note"
        sentence += " Your repeats are no better than coins."
    elif interval[1] >= (fault := min(mean + CONTRADICTION_EXCESS, COIN_SHARE)):
        level = "unknown"
        sentence += ask_for_more(f"a share of {format_percent(fault)}")
    return Finding("contradictions", k / n, interval, sentence, level, data)


def find_ties(answers: AnswerTable) -> Finding:
    """Return the share of answers that are ties, beside the number of skips."""
    n, k = len(answers), int(np.count_nonzero(answers.tied))
    if not n:
        return Finding("ties", None, (0.0, 1.0), "There is no answer yet.", "unknown")
    interval = jeffreys_interval(k, n)
    sentence = (
        f"You found {k} of {format_count(n, 'pair')} equally good ({format_percent(k / n)}, {format_range(interval)}), "
        f"and skipped {format_count(answers.skips, 'pair')}."
    )
    level: FindingLevel = "good"
    if interval[0] > TIE_SHARE:
        level = "note"
        sentence += " More than half are ties: the designs may differ too little to be told apart."
    elif interval[1] >= TIE_SHARE:
        level = "unknown"
        sentence += ask_for_more(f"a share of {format_percent(TIE_SHARE)}")
    return Finding("ties", k / n, interval, sentence, level)


def compare_repeats(answers: AnswerTable) -> tuple[BoolArray, Array]:
    """Return whether each repeat differs from the last answer to its pair, and how probable that was, (r,) each."""
    last: dict[tuple[int, int], int] = {}
    differs, expected = [], []
    for k, (a, b) in enumerate(answers.designs.tolist()):
        pair = (min(a, b), max(a, b))
        # Winner of this answer: the smaller index of the pair, the larger one, or neither.
        now = 0 if answers.tied[k] else (1 if a == pair[0] else -1)
        if pair in last:
            before = last[pair]
            # Column of the outcome before, in the orientation of this row.
            column = 1 if before == 0 else (0 if (before == 1) == (a == pair[0]) else 2)
            differs.append(now != before)
            expected.append(1.0 - answers.outcomes[k, column])
        last[pair] = now
    return np.array(differs, dtype=np.bool_), np.array(expected, dtype=np.float64)
