"""Acquisition functions, which score a design or a duel by the posterior and the noise there.

::

    improvement          EI, ANPEI: designs
    confidence           UCB, RAHBO: designs
    best_option          EUBO, RAEUBO: duels
    base                 DesignAcquisition, PairAcquisition: a new one implements one method, `partials`
    bound_acquisition    an acquisition function bound to a posterior and a noise map: values and gradients in x
    averages             averages over the components of a posterior
"""

from inspect import signature
from typing import Any, TypeAlias

from anchorpbo.acquisition.averages import average_slopes, average_values
from anchorpbo.acquisition.base import DesignAcquisition, PairAcquisition, PairPartials, Partials
from anchorpbo.acquisition.best_option import EUBO, RAEUBO, lambert_constant
from anchorpbo.acquisition.bound_acquisition import (
    BoundAcquisition,
    BoundChallengers,
    BoundDesigns,
    BoundPairs,
    best_mean,
)
from anchorpbo.acquisition.confidence import RAHBO, UCB
from anchorpbo.acquisition.improvement import ANPEI, EI
from anchorpbo.errors import InputError, UnknownNameError

Acquisition: TypeAlias = DesignAcquisition | PairAcquisition
"""An acquisition function of designs or of pairs."""

ACQUISITIONS: dict[str, type[Acquisition]] = {
    "ei": EI, "ucb": UCB, "eubo": EUBO, "anpei": ANPEI, "rahbo": RAHBO, "raeubo": RAEUBO,
}  # fmt: skip
"""The six acquisition functions of the paper, by name."""


def resolve_acquisition(acquisition: str | Acquisition, **parameters: Any) -> Acquisition:
    """Return the acquisition function with this name and parameters, or the object itself.

    >>> resolve_acquisition("rahbo", risk_aversion=5.0)
    RAHBO(exploration=2.0, risk_aversion=5.0)
    """
    if isinstance(acquisition, str):
        return _create(acquisition, parameters)
    if not isinstance(acquisition, DesignAcquisition | PairAcquisition):
        rule, remedy = "strategy must be a name or an acquisition function", "write EI() rather than EI"
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
    "ACQUISITIONS", "ANPEI", "EI", "EUBO", "RAEUBO", "RAHBO", "UCB",
    "Acquisition", "BoundAcquisition", "BoundChallengers", "BoundDesigns", "BoundPairs", "DesignAcquisition",
    "PairAcquisition", "PairPartials", "Partials", "average_slopes", "average_values", "best_mean", "lambert_constant",
    "resolve_acquisition",
]  # fmt: skip
