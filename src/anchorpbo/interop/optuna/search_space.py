"""Optuna's distributions as our parameters.

::

    FloatDistribution           Real, with its log or step
    IntDistribution             Integer, with its log; Ordinal where it has a step
    CategoricalDistribution     Categorical; choices that are no text, number or truth value by their names
    a single value              Constant

Grids of more than a million places are searched as continuous ranges, and rounded on the way back.
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
"""Values by name, as a trial has them."""


@dataclass(frozen=True)
class Translated:
    """One distribution."""

    parameter: Parameter
    outward: Callable[[Any], Any]
    """From a value of the parameter to one of the distribution."""
    inward: Callable[[Any], Any]
    """The other way."""


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """A search space of Optuna beside ours."""

    space: Space
    parts: Mapping[str, Translated]

    @classmethod
    def of(cls, distributions: Mapping[str, BaseDistribution]) -> SearchSpace:
        """The space of distributions, by name."""
        parts = {name: _translated(name, distribution) for name, distribution in distributions.items()}
        if not any(not isinstance(part.parameter, Constant) for part in parts.values()):
            received = ", ".join(parts) or "no parameter that all compared trials share"
            rule = "a study must have a parameter that varies, and the same range in every trial"
            raise InputError(rule, received, "suggest one with more than one value")
        return cls(Space({name: part.parameter for name, part in parts.items()}), parts)

    def design(self, params: Params) -> Design | None:
        """The design of a trial; ``None`` where it lacks a parameter, or has a value that its range does not."""
        if not set(self.parts) <= set(params):
            return None
        return self.checked({name: part.inward(params[name]) for name, part in self.parts.items()})

    def checked(self, design: object) -> Design | None:
        """What may be a design of this space, if it is one."""
        try:
            return self.space.check(design) if isinstance(design, Mapping) else None
        except InputError:
            return None

    def anchor(self, params: Params) -> Design:
        """The same of a design that the user gave, or an error; parameters that others have are left out."""
        if not isinstance(params, Mapping):
            raise InputError("an anchor must be a dict of parameter values", repr(params), "give those of a trial")
        known = {name: part.inward(params[name]) for name, part in self.parts.items() if name in params}
        return self.space.check(known)

    def params(self, design: Design) -> dict[str, Any]:
        """What a trial has for a design."""
        return {name: part.outward(design[name]) for name, part in self.parts.items()}


def _translated(name: str, distribution: BaseDistribution) -> Translated:
    if isinstance(distribution, CategoricalDistribution):
        return _category(distribution.choices)
    if not isinstance(distribution, FloatDistribution | IntDistribution):
        rule = f"{name} must have a float, an int or a categorical distribution"
        raise InputError(rule, repr(distribution), "suggest it by one of these")
    if distribution.single():
        return Translated(Constant(distribution.low), _same, _same)
    return _whole(distribution) if isinstance(distribution, IntDistribution) else _real(distribution)


def _real(distribution: FloatDistribution) -> Translated:
    low, high, step = distribution.low, distribution.high, distribution.step
    if step is None or (high - low) / step < MAX_GRID_VALUES - 1:
        return Translated(Real(low, high, log=distribution.log, step=step), _same, _same)
    return Translated(Real(low, high), lambda value: min(low + round((value - low) / step) * step, high), _same)


def _whole(distribution: IntDistribution) -> Translated:
    low, high, step = distribution.low, distribution.high, distribution.step
    if (high - low) // step >= MAX_GRID_VALUES - 1:
        wide = Real(low, high, log=distribution.log)
        return Translated(wide, lambda value: min(low + round((value - low) / step) * step, high), float)
    parameter = Integer(low, high, log=distribution.log) if step == 1 else Ordinal(tuple(range(low, high + 1, step)))
    return Translated(parameter, _same, _same)


def _category(choices: tuple[Any, ...]) -> Translated:
    labels = _labels(choices)
    parameter = Categorical(labels) if len(labels) > 1 else Constant(labels[0])

    def inward(choice: Any) -> Any:
        for own, label in zip(choices, labels, strict=True):
            # Also where a choice is not equal to itself; and True is not 1.
            if own is choice or (type(own) is type(choice) and bool(own == choice)):
                return label
        return choice

    return Translated(parameter, lambda label: choices[labels.index(label)], inward)


def _labels(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """The choices themselves where our categories can hold them, else their names."""
    for labels in (choices, tuple(map(str, choices))):
        try:
            return Categorical(labels).values if len(labels) > 1 else (Constant(labels[0]).value,)
        except InputError:
            continue
    return tuple(f"{place}: {choice!r}" for place, choice in enumerate(choices))


def _same(value: Any) -> Any:
    return value
