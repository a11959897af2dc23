"""Acquisition functions, which score a design or a duel by the posterior and the noise there.

::

    improvement          EI, ANPEI: designs
    confidence           UCB, RAHBO: designs
    best_option          EUBO, RAEUBO: duels
    chosen_option        EUCO: duels
    knowledge_gradient   KnowledgeGradient: duels
    base                 DesignAcquisition, PairAcquisition: a new one implements one method, `partials`
    bound_acquisition    an acquisition function bound to a posterior and a noise map: values and gradients in x
    averages             averages over the components of a posterior
"""

from inspect import signature
from typing import Any

from anchorpbo.acquisition.base import Acquisition, DesignAcquisition, PairAcquisition, PairPartials, Partials
from anchorpbo.acquisition.best_option import EUBO, RAEUBO, lambert_constant
from anchorpbo.acquisition.bound_acquisition import (
    BoundAcquisition,
    BoundChallengers,
    BoundDesigns,
    BoundDuels,
    BoundPairs,
    ScreenedDuels,
    best_mean,
)
from anchorpbo.acquisition.chosen_option import EUCO
from anchorpbo.acquisition.confidence import RAHBO, UCB
from anchorpbo.acquisition.improvement import ANPEI, EI
from anchorpbo.acquisition.knowledge_gradient import BoundKnowledgeGradient, KnowledgeGradient
from anchorpbo.errors import InputError, UnknownNameError

ACQUISITIONS: dict[str, type[Acquisition]] = {
    "ei": EI, "ucb": UCB, "eubo": EUBO, "anpei": ANPEI, "rahbo": RAHBO, "raeubo": RAEUBO,
    "euco": EUCO, "kg": KnowledgeGradient,
}  # fmt: skip
"""Acquisition functions by name: the six of the paper, then ours."""


def resolve_acquisition(acquisition: str | Acquisition, **parameters: Any) -> Acquisition:
    """Return the acquisition function with this name and parameters, or the object itself.

    >>> resolve_acquisition("rahbo", risk_aversion=5.0)
    RAHBO(exploration=2.0, risk_aversion=5.0)
    """
    if isinstance(acquisition, str):
        return _create(acquisition, parameters)
    if not isinstance(acquisition, Acquisition):
        rule = "strategy must be a name or an acquisition function"
        remedy = "write EI() rather than EI" if isinstance(acquisition, type) else "give one of the names"
        raise InputError(rule, repr(acquisition)[:80], remedy)
    if parameters:
        rule, remedy = "parameters can only be given with the name of an acquisition", "set them on the object"
        raise InputError(rule, ", ".join(parameters), remedy)
    return acquisition


def _create(name: str, parameters: dict[str, Any]) -> Acquisition:
    if name not in ACQUISITIONS:
        raise UnknownNameError.of("acquisition", name, ACQUISITIONS)
    known = list(signature(ACQUISITIONS[name]).parameters)
    unknown = [key for key in parameters if key not in known]
    if unknown:
        offer = f"set {', '.join(known)}" if known else "leave them out"
        raise InputError(f"{name} has no parameter of this name", ", ".join(unknown), offer)
    return ACQUISITIONS[name](**parameters)


__all__ = [
    "ACQUISITIONS", "ANPEI", "EI", "EUBO", "EUCO", "RAEUBO", "RAHBO", "UCB",
    "Acquisition", "BoundAcquisition", "BoundChallengers", "BoundDesigns", "BoundDuels", "BoundKnowledgeGradient",
    "BoundPairs", "DesignAcquisition", "KnowledgeGradient", "PairAcquisition", "PairPartials",
    "Partials", "ScreenedDuels",
    "best_mean", "lambert_constant",
    "resolve_acquisition",
]  # fmt: skip
