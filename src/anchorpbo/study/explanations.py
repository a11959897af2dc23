"""Explanations of duels: sentences that are true of the posterior that selected them.

Each clause has a condition on the posterior that selected the duel; `describe_role` lists them all.
"""

from __future__ import annotations

import re

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.typing import Array

INITIAL_DUEL = "To start with, two quite different ones, to get a first idea."
KNOCKOUT_DUEL = "To start with, a design that you said you know against another one, to see how good it is."
BOTH_SIDES = "The first {first}; the second {second}."
_BOTH_SIDES = re.compile(
    re.escape(BOTH_SIDES).replace(r"\{first\}", "(?P<first>.+)").replace(r"\{second\}", "(?P<second>.+)")
)
GIVEN_DUEL = "These two were not chosen by the model; the answer counts as any other."
REPEATED_DUEL = "You compared these two before; the answer shows whether you would answer the same again."
CHECK_DUEL = "This question checks your anchors; answer it like any other."
RETEST_DUEL = "Your answer shows how reliable answers about designs like these are; answer it like any other."
EXPECTED = "is expected to be at least as good as your best so far"
VARIATION = "is a promising variation of your best so far"
PROMISING = "is promising"
UNEXPLORED = "is of a kind little is known about"
REFERENCE = "is a yardstick for the other"
BOTH_REFERENCES = "Neither is likely to be better than your best so far; the answer informs about other designs."
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
"""Smallest reliability at which a design counts as close to the anchors."""
MIN_WIN_PROBABILITY = 0.25
"""Smallest probability of beating the best so far at which a design counts as promising."""
MAX_VARIATION_DISTANCE = 0.15
"""Largest distance in every coordinate at which a design counts as a variation of another."""
MAX_RESIDUAL_SHARE = 0.5
"""A design counts as known if the standard deviation of its difference from the best is below this share of the
prior's."""


def explain_duel(model: PreferenceGP, pair: Array, last_winner: Array | None, duel_filter: DuelFilter) -> str:
    """Explain in one sentence why a duel is asked; its designs, (2, d), are in the order shown.

    Parameters
    ----------
    model
        Model that selected the duel.
    pair
        Designs of the duel.
    last_winner
        The winner of the previous duel, (d,), if it had one.
    duel_filter
        Filter that decides which designs look the same.
    """
    if not len(model.posterior.points):
        return INITIAL_DUEL
    first, second = (describe_design(model, x, last_winner, duel_filter) for x in pair)
    if first.startswith(REFERENCE) and second.startswith(REFERENCE):
        return BOTH_REFERENCES
    if first == second and first in BOTH_CLAUSES:
        return f"Both are {BOTH_CLAUSES[first]}."
    return BOTH_SIDES.format(first=first, second=second)


def name_sides(why: str, first: str, second: str) -> str:
    """Return an explanation with other names of the two designs, such as the letters on their cards."""
    clauses = _BOTH_SIDES.fullmatch(why)
    return f"{first} {clauses['first']}; {second} {clauses['second']}." if clauses else why


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
    """Return the first clause that is true of a design, (d,); `known` for a design close to the anchors."""
    best = posterior.points[int(np.argmax(posterior.means))]
    better = float(posterior.prob_prefer(x[None], best[None])[0])
    # Answers reveal only differences, so knowledge of a design means knowledge of its difference from the best.
    now, before = (p.at_pairs(x[None], best[None]).variance[0] for p in (posterior, posterior.without_duels()))
    compared = bool((posterior.points == x).all(axis=1).any())
    unknown = np.sqrt(now) >= MAX_RESIDUAL_SHARE * np.sqrt(before) and not compared and not known
    clauses = (
        ("is your best so far", np.array_equal(x, best)),
        ("won your last comparison", last_winner is not None and np.array_equal(x, last_winner)),
        (EXPECTED, better >= 0.5),
        (VARIATION, better >= MIN_WIN_PROBABILITY and bool(duel_filter.is_near(x, best, MAX_VARIATION_DISTANCE))),
        (PROMISING, better >= MIN_WIN_PROBABILITY),
        (UNEXPLORED, unknown),
        (REFERENCE, True),
    )
    return next(words for words, holds in clauses if holds)
