"""Explanations of duels: sentences that are true of the posterior that selected them.

Each saying has a condition on the posterior that chose the duel; `describe_role` has the whole list.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.typing import Array

INITIAL_DUEL = "To start with, two designs from different parts of the space."
EXPECTED = "is expected to be at least as good as your best so far"
VARIATION = "is a promising variation of your best so far"
PROMISING = "is promising"
UNEXPLORED = "is of a kind little is known about"
NEAR_ANCHORS = " and is close to designs you said you know"
BOTH_CLAUSES = {
    EXPECTED: "expected to be at least as good as your best so far",
    VARIATION: "promising variations of your best so far",
    PROMISING: "promising",
    UNEXPLORED: "of a kind little is known about",
}
"""Clause used when both designs get the same reason."""
BOTH_CLAUSES |= {
    words + NEAR_ANCHORS: f"{both} and close to designs you said you know" for words, both in BOTH_CLAUSES.items()
}
MIN_RELIABILITY = 0.5
"""Reliability from which a design counts as close to the anchors."""
MIN_WIN_PROBABILITY = 0.25
"""Probability of beating the best so far from which a design counts as promising."""
MAX_VARIATION_DISTANCE = 0.15
"""Distance in every coordinate up to which a design counts as a variation of another."""
MAX_RESIDUAL_SHARE = 0.5
"""Share of its prior standard deviation that the difference from the best may keep before a design counts as known."""


def explain_duel(model: PreferenceGP, pair: Array, last_winner: Array | None, duel_filter: DuelFilter) -> str:
    """Explain why a duel is asked, in one sentence about its designs, (2, d), in the order they are shown.

    Parameters
    ----------
    model
        Model that selected the duel.
    pair
        Its designs.
    last_winner
        The winner of the duel before, (d,), if it had one.
    duel_filter
        Tells designs of the space apart.
    """
    if not len(model.posterior.points):
        return INITIAL_DUEL
    first, second = (describe_design(model, x, last_winner, duel_filter) for x in pair)
    if first == second and first in BOTH_CLAUSES:
        return f"Both are {BOTH_CLAUSES[first]}."
    return f"The first {first}; the second {second}."


def describe_design(model: PreferenceGP, x: Array, last_winner: Array | None, duel_filter: DuelFilter) -> str:
    """Return the clause about a design, (d,)."""
    anchors = model.noise.anchors
    if anchors is None:
        return describe_role(model.posterior, x, last_winner, duel_filter)
    if (anchors == x).all(axis=1).any():
        return describe_role(model.posterior, x, last_winner, duel_filter, known=True) + " and is one you said you know"
    close = float(model.noise.reliability(x[None])[0]) >= MIN_RELIABILITY
    return describe_role(model.posterior, x, last_winner, duel_filter, known=close) + (NEAR_ANCHORS if close else "")


def describe_role(
    posterior: Posterior, x: Array, last_winner: Array | None, duel_filter: DuelFilter, *, known: bool = False
) -> str:
    """Return the first clause that holds of a design, (d,); `known` of one close to the anchors."""
    best = posterior.points[int(np.argmax(posterior.means))]
    better = float(posterior.prob_prefer(x[None], best[None])[0])
    # Answers tell differences, so what is known of a design is how it compares with the best.
    prior = Posterior.prior(posterior.kernel, posterior.dimension)
    now, before = (p.at_pairs(x[None], best[None]).variance[0] for p in (posterior, prior))
    compared = bool((posterior.points == x).all(axis=1).any())
    unknown = np.sqrt(now) >= MAX_RESIDUAL_SHARE * np.sqrt(before) and not compared and not known
    sayings = (
        ("is your best so far", np.array_equal(x, best)),
        ("won your last comparison", last_winner is not None and np.array_equal(x, last_winner)),
        (EXPECTED, better >= 0.5),
        (VARIATION, better >= MIN_WIN_PROBABILITY and bool(duel_filter.is_near(x, best, MAX_VARIATION_DISTANCE))),
        (PROMISING, better >= MIN_WIN_PROBABILITY),
        (UNEXPLORED, unknown),
        ("is there to compare with", True),
    )
    return next(words for words, holds in sayings if holds)
