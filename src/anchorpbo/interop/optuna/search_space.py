"""Conversion of Optuna's distributions to our parameters.

::

    FloatDistribution           Real, with its log or step
    IntDistribution             Integer, with its log; Ordinal if it has a step
    CategoricalDistribution     Categorical; choices other than text, numbers and Booleans become their names
    a single value              Constant

Grids of more than a million values are searched as continuous ranges, and the result is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from anchorpbo.errors import InputError
from anchorpbo.space import Categorical, Constant, Design, Integer, Ordinal, Parameter, Real, Space
from anchorpbo.space.parameters import MAX_GRID_VALUES

Params = Mapping[str, Any]
"""Parameter values of a trial by name."""


@dataclass(frozen=True)
class ParameterMapping:
    """A parameter of ours for one of Optuna's distributions, with the conversion of values."""

    parameter: Parameter
    to_optuna: Callable[[Any], Any]
    """Function from a value of the parameter to a value of the distribution."""
    from_optuna: Callable[[Any], Any]
    """Inverse of `to_optuna`."""


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """A search space of Optuna with the corresponding space of ours."""

    space: Space
    parts: Mapping[str, ParameterMapping]

    @classmethod
    def of(cls, distributions: Mapping[str, BaseDistribution]) -> SearchSpace:
        """Return the search space of distributions by name."""
        parts = {name: _map_distribution(name, distribution) for name, distribution in distributions.items()}
        if not any(not isinstance(part.parameter, Constant) for part in parts.values()):
            received = ", ".join(parts) or "no parameter that all compared trials share"
            rule = "a study must have a parameter that varies, and the same range in every trial"
            raise InputError(rule, received, "suggest one with more than one value")
        return cls(Space({name: part.parameter for name, part in parts.items()}), parts)

    def design(self, params: Params) -> Design | None:
        """Return the design of a trial; ``None`` if a parameter is missing or out of range."""
        if not set(self.parts) <= set(params):
            return None
        return self.check_or_none({name: part.from_optuna(params[name]) for name, part in self.parts.items()})

    def check_or_none(self, design: object) -> Design | None:
        """Return the validated design, or ``None`` if it is not in the space."""
        try:
            return self.space.check(design) if isinstance(design, Mapping) else None
        except InputError:
            return None

    def anchor(self, params: Params) -> Design:
        """Return the design of an anchor; ignore parameters outside the space, and raise if the rest is invalid."""
        if not isinstance(params, Mapping):
            raise InputError("an anchor must be a dict of parameter values", repr(params), "give those of a trial")
        known = {name: part.from_optuna(params[name]) for name, part in self.parts.items() if name in params}
        return self.space.check(known)

    def params(self, design: Design) -> dict[str, Any]:
        """Return the trial parameters of a design."""
        return {name: part.to_optuna(design[name]) for name, part in self.parts.items()}


def _map_distribution(name: str, distribution: BaseDistribution) -> ParameterMapping:
    if isinstance(distribution, CategoricalDistribution):
        return _map_categorical(distribution.choices)
    if not isinstance(distribution, FloatDistribution | IntDistribution):
        rule = f"{name} must have a float, an int or a categorical distribution"
        raise InputError(rule, repr(distribution), "suggest it by one of these")
    if distribution.single():
        return ParameterMapping(Constant(distribution.low), _identity, _identity)
    return _map_int(distribution) if isinstance(distribution, IntDistribution) else _map_float(distribution)


def _map_float(distribution: FloatDistribution) -> ParameterMapping:
    low, high, step = distribution.low, distribution.high, distribution.step
    if step is None or (high - low) / step < MAX_GRID_VALUES - 1:
        return ParameterMapping(Real(low, high, log=distribution.log, step=step), _identity, _identity)
    return ParameterMapping(
        Real(low, high), lambda value: min(low + round((value - low) / step) * step, high), _identity
    )


def _map_int(distribution: IntDistribution) -> ParameterMapping:
    low, high, step = distribution.low, distribution.high, distribution.step
    if (high - low) // step >= MAX_GRID_VALUES - 1:
        wide = Real(low, high, log=distribution.log)
        return ParameterMapping(wide, lambda value: min(low + round((value - low) / step) * step, high), float)
    parameter = Integer(low, high, log=distribution.log) if step == 1 else Ordinal(tuple(range(low, high + 1, step)))
    return ParameterMapping(parameter, _identity, _identity)


def _map_categorical(choices: tuple[Any, ...]) -> ParameterMapping:
    labels = _choose_labels(choices)
    parameter = Categorical(labels) if len(labels) > 1 else Constant(labels[0])

    def from_optuna(choice: Any) -> Any:
        for own, label in zip(choices, labels, strict=True):
            # Works for nan, which is not equal to itself, and keeps True and 1 apart.
            if own is choice or (type(own) is type(choice) and bool(own == choice)):
                return label
        return choice

    return ParameterMapping(parameter, lambda label: choices[labels.index(label)], from_optuna)


def _choose_labels(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the choices if our categories can hold them, else their names."""
    for labels in (choices, tuple(map(str, choices))):
        try:
            return Categorical(labels).values if len(labels) > 1 else (Constant(labels[0]).value,)
        except InputError:
            continue
    return tuple(f"{place}: {choice!r}" for place, choice in enumerate(choices))


def _identity(value: Any) -> Any:
    return value
