"""Acquisitions by their names in the paper."""

from inspect import signature
from typing import Any, TypeAlias

from anchorpbo.acquisition.base import DesignAcquisition, PairAcquisition
from anchorpbo.acquisition.best_option import EUBO, RAEUBO
from anchorpbo.acquisition.confidence import RAHBO, UCB
from anchorpbo.acquisition.improvement import ANPEI, EI
from anchorpbo.errors import InputError, UnknownNameError

Acquisition: TypeAlias = DesignAcquisition | PairAcquisition
"""Either kind."""

NAMES: dict[str, type[Acquisition]] = {
    "ei": EI, "ucb": UCB, "eubo": EUBO, "anpei": ANPEI, "rahbo": RAHBO, "raeubo": RAEUBO,
}  # fmt: skip
"""The paper's six."""


def resolve(acquisition: str | Acquisition, **parameters: Any) -> Acquisition:
    """An acquisition by its name and parameters, or the object itself.

    >>> resolve("rahbo", risk_aversion=5.0)
    RAHBO(exploration=2.0, risk_aversion=5.0)
    """
    if isinstance(acquisition, str):
        return _named(acquisition, parameters)
    if not isinstance(acquisition, DesignAcquisition | PairAcquisition):
        rule, remedy = "acquisition must be a name or an acquisition object", "write EI() rather than EI"
        raise InputError(rule, repr(acquisition)[:80], remedy)
    if parameters:
        rule, remedy = "parameters go with a name, not with an object that has its own", "set them on the object"
        raise InputError(rule, ", ".join(parameters), remedy)
    return acquisition


def _named(name: str, parameters: dict[str, Any]) -> Acquisition:
    if name not in NAMES:
        raise UnknownNameError.of("acquisition", name, NAMES)
    known = list(signature(NAMES[name]).parameters)
    unknown = [key for key in parameters if key not in known]
    if unknown:
        offer = f"set {', '.join(known)}" if known else "leave them out"
        raise InputError(f"{name} has no parameter of this name", ", ".join(unknown), offer)
    return NAMES[name](**parameters)
