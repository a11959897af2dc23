"""What to ask next: acquisitions score a design, or a duel, by the posterior and the noise there.

::

    improvement      EI, ANPEI          designs
    confidence       UCB, RAHBO         designs
    best_option      EUBO, RAEUBO       duels
    base             DesignAcquisition, PairAcquisition: a new acquisition is one method, `partials`
    bound            an acquisition with its posterior and noise map: values and gradients in x
"""

from anchorpbo.acquisition.base import DesignAcquisition, PairAcquisition, PairPartials, Partials, best_mean
from anchorpbo.acquisition.best_option import EUBO, RAEUBO, lambert_constant
from anchorpbo.acquisition.bound import Bound, BoundChallengers, BoundDesigns, BoundPairs
from anchorpbo.acquisition.confidence import RAHBO, UCB
from anchorpbo.acquisition.improvement import ANPEI, EI
from anchorpbo.acquisition.names import Acquisition, resolve

__all__ = [
    "ANPEI", "EI", "EUBO", "RAEUBO", "RAHBO", "UCB",
    "Acquisition", "Bound", "BoundChallengers", "BoundDesigns", "BoundPairs", "DesignAcquisition", "PairAcquisition",
    "PairPartials", "Partials", "best_mean", "lambert_constant", "resolve",
]  # fmt: skip
