"""Why a duel is asked, in a sentence that is true of the numbers behind it.

Each saying has a condition on the posterior that chose the duel; `role` has the whole list.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.study.distinct import Distinct
from anchorpbo.typing import Array

FOR_A_START = "To start with, two designs from different parts of the space."
EXPECTED = "is expected to be at least as good as your best so far"
VARIED = "is a promising variation of your best so far"
HOPEFUL = "is promising"
STRANGE = "is of a kind little is known about"
CLOSE = " and is close to designs you said you know"
BOTH = {
    EXPECTED: "expected to be at least as good as your best so far",
    VARIED: "promising variations of your best so far",
    HOPEFUL: "promising",
    STRANGE: "of a kind little is known about",
}
"""What is said of two designs of which the same holds."""
BOTH |= {words + CLOSE: f"{both} and close to designs you said you know" for words, both in BOTH.items()}
KNOWN = 0.5
"""Reliability from which a design counts as close to the anchors."""
PROMISING = 0.25
"""Probability of beating the best so far from which a design counts as promising."""
VARIATION = 0.15
"""Distance in every coordinate up to which a design counts as a variation of another."""
UNCERTAIN = 0.5
"""Share of its prior standard deviation that the difference from the best may keep before a design counts as known."""


def why(model: PreferenceGP, pair: Array, last_winner: Array | None, distinct: Distinct) -> str:
    """One sentence about the two designs of a duel, (2, d), in the order they are shown.

    Parameters
    ----------
    model
        What chose the duel.
    pair
        Its designs.
    last_winner
        The winner of the duel before, (d,), if it had one.
    distinct
        Tells designs of the space apart.
    """
    if not len(model.posterior.points):
        return FOR_A_START
    first, second = (clause(model, x, last_winner, distinct) for x in pair)
    if first == second and first in BOTH:
        return f"Both are {BOTH[first]}."
    return f"The first {first}; the second {second}."


def clause(model: PreferenceGP, x: Array, last_winner: Array | None, distinct: Distinct) -> str:
    """What can be said of a design, (d,)."""
    anchors = model.noise.anchors
    if anchors is None:
        return role(model.posterior, x, last_winner, distinct)
    if (anchors == x).all(axis=1).any():
        return role(model.posterior, x, last_winner, distinct, known=True) + " and is one you said you know"
    close = float(model.noise.reliability(x[None])[0]) >= KNOWN
    return role(model.posterior, x, last_winner, distinct, known=close) + (CLOSE if close else "")


def role(posterior: Posterior, x: Array, last_winner: Array | None, distinct: Distinct, *, known: bool = False) -> str:
    """The first of these that holds of a design, (d,), once there are answers; `known` of one close to the anchors."""
    best = posterior.points[int(np.argmax(posterior.means))]
    better = float(posterior.prob_prefer(x[None], best[None])[0])
    # Answers tell differences, so what is known of a design is how it compares with the best.
    prior = Posterior.prior(posterior.kernel, posterior.dimension)
    now, before = (p.at_pairs(x[None], best[None]).variance[0] for p in (posterior, prior))
    compared = bool((posterior.points == x).all(axis=1).any())
    unknown = np.sqrt(now) >= UNCERTAIN * np.sqrt(before) and not compared and not known
    sayings = (
        ("is your best so far", np.array_equal(x, best)),
        ("won your last comparison", last_winner is not None and np.array_equal(x, last_winner)),
        (EXPECTED, better >= 0.5),
        (VARIED, better >= PROMISING and bool(distinct.near(x, best, VARIATION))),
        (HOPEFUL, better >= PROMISING),
        (STRANGE, unknown),
        ("is there to compare with", True),
    )
    return next(words for words, holds in sayings if holds)
