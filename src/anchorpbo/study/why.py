"""Why a duel is asked, in a sentence that is true of the numbers behind it.

Each clause has a condition on the posterior that chose the duel; `clauses` is the whole list.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.typing import Array

FOR_A_START = "To start with, two designs from different parts of the space."
KNOWN = 0.5
"""Reliability from which a design counts as close to the anchors."""
PROMISING = 0.25
"""Probability of beating the best so far from which a design counts as promising."""
UNCERTAIN = 0.5
"""Share of the prior's standard deviation from which little is known about a design."""


def why(model: PreferenceGP, pair: Array, champion: Array | None) -> str:
    """One sentence about the two designs of a duel, (2, d), in the order they are shown."""
    first, second = (clause(model, x, champion) for x in pair)
    return f"The first {first}; the second {second}."


def clause(model: PreferenceGP, x: Array, champion: Array | None) -> str:
    """What can be said of a design, (d,)."""
    close = model.noise.anchors is not None and float(model.noise.reliability(x[None])[0]) >= KNOWN
    return role(model.posterior, x, champion) + (" and is close to designs you said you know" if close else "")


def role(posterior: Posterior, x: Array, champion: Array | None) -> str:
    """The first of these that holds of a design, (d,)."""
    seen = posterior.points
    best = seen[int(np.argmax(posterior.mean(seen)))] if len(seen) else None
    if best is not None and (x == best).all():
        return "is your best so far"
    if champion is not None and (x == champion).all():
        return "won your last comparison"
    better = 0.5 if best is None else float(posterior.prob_prefer(x[None], best[None])[0])
    if better >= 0.5:
        return "is expected to be at least as good as your best so far"
    if better >= PROMISING:
        return "is promising"
    spread = np.sqrt(posterior.variance(x[None])[0] / posterior.kernel.diagonal(x[None])[0])
    if spread >= UNCERTAIN:
        return "is of a kind little is known about"
    return "is there to compare with"
