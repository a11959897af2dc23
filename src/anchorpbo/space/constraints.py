"""Linear constraints between parameters, as a user writes them and as rows in the coordinates.

    lower <= c_1 v_1 + c_2 v_2 + ... <= upper

The values are v = a + b u in the coordinates u, so a constraint is a row of entries c b, with ends shifted by -c a.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.errors import IncompatibleError, InfeasibleError, InputError, at_field
from anchorpbo.space.constraint_parser import EXAMPLE, parse_comparison
from anchorpbo.space.parameters import Constant, Parameter, VaryingParameter
from anchorpbo.space.polytope import Polytope, count_steps
from anchorpbo.space.values import as_float, short_repr
from anchorpbo.typing import Array

INPUT_TOLERANCE = 1e-6
"""Largest violation of a constraint accepted in a user's design, in units of its row's length in the coordinates."""


@dataclass(frozen=True)
class Linear:
    """A weighted sum of parameters that must lie within a range.

    Parameters
    ----------
    coefficients
        The weight of each parameter.
    lower, upper
        The ends of the range; ``None`` for no end, equal ends for an equation.

    Examples
    --------
    >>> Linear({"water": 1, "milk": 1}, upper=250)
    Linear('water + milk <= 250')
    >>> Linear.parse("1 <= a - b/4 <= 5").coefficients
    {'a': 1.0, 'b': -0.25}
    """

    coefficients: Mapping[str, float]
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.coefficients, Mapping):
            rule, example = "coefficients must map names to numbers", '{"a": 1, "b": 2}'
            raise InputError(rule, repr(self.coefficients), f"write {example}, for example", value=self.coefficients)
        weights = {str(name): as_float(f"the coefficient of {name}", c) for name, c in self.coefficients.items()}
        weights = {name: weight for name, weight in weights.items() if weight != 0.0}
        object.__setattr__(self, "coefficients", weights)
        for end in ("lower", "upper"):
            if getattr(self, end) is not None:
                object.__setattr__(self, end, as_float(f"the {end} end", getattr(self, end)))
        if not weights:
            raise InputError("a comparison must have a parameter in it", "none with a weight other than 0", EXAMPLE)
        if self.lower is None and self.upper is None:
            raise InputError("a sum must have a lower or an upper end", "neither", "give one of the two")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            rule = "the lower end must not exceed the upper end"
            raise InputError(rule, f"{short_repr(self.lower)} and {short_repr(self.upper)}", "swap the two")

    @classmethod
    def parse(cls, text: str, names: Sequence[str] = ()) -> Linear:
        """Parse a constraint such as ``"2*a + b <= 10"``; the text is never executed.

        Parameters
        ----------
        text
            A comparison of sums by ``<=``, ``>=`` or ``==``; ``≤``, ``≥`` and ``=`` mean the same.
        names
            Names of the parameters; only these may contain spaces, as in ``"hot water + milk <= 250"``.
        """
        return cls(*parse_comparison(text, names))

    def to_dict(self) -> dict[str, Any]:
        """Return the constraint as JSON data."""
        return {"coefficients": dict(self.coefficients), "lower": self.lower, "upper": self.upper}

    @property
    def sentence(self) -> str:
        """The constraint in words, such as ``water + milk must be at most 250``."""
        lower, upper = (None if end is None else short_repr(end) for end in (self.lower, self.upper))
        if self.lower == self.upper:
            ends = f"exactly {lower}"
        elif lower is not None and upper is not None:
            ends = f"from {lower} to {upper}"
        else:
            ends = f"at most {upper}" if lower is None else f"at least {lower}"
        return f"{_format_sum(self.coefficients)} must be {ends}"

    def __str__(self) -> str:
        sides = _format_sum(self.coefficients)
        if self.lower == self.upper and self.lower is not None:
            return f"{sides} == {short_repr(self.lower)}"
        if self.lower is None:
            return f"{sides} <= {short_repr(self.upper)}"
        if self.upper is None:
            return f"{sides} >= {short_repr(self.lower)}"
        return f"{short_repr(self.lower)} <= {sides} <= {short_repr(self.upper)}"

    def __repr__(self) -> str:
        return f"Linear({str(self)!r})"


@dataclass(frozen=True, eq=False)
class ConstraintRow:
    """A constraint in coordinates: lower <= a @ x <= upper."""

    constraint: Linear
    a: Array
    """(d,), not all 0."""
    lower: float
    upper: float

    def check(self, design: Mapping[str, Any]) -> None:
        """Raise if a design violates the constraint by more than `INPUT_TOLERANCE`."""
        limits, names = self.constraint, self.constraint.coefficients
        total = math.fsum(weight * float(design[name]) for name, weight in names.items())
        slack = INPUT_TOLERANCE * float(np.linalg.norm(self.a))
        below = limits.lower is not None and total < limits.lower - slack
        above = limits.upper is not None and total > limits.upper + slack
        if below or above:
            given = ", ".join(f"{name}={short_repr(design[name])}" for name in names)
            value = limits.to_dict() | {"total": total}
            received = f"{total:.10g} with {given}"
            raise InfeasibleError(limits.sentence, received, "change one of these values", value=value)


def as_rows(constraints: Sequence[Linear], parameters: Mapping[str, Parameter]) -> list[ConstraintRow]:
    """Translate constraints into coordinates; those that contain only constants are checked here."""
    rows = []
    for number, constraint in enumerate(constraints):
        with at_field(number, str(constraint)):
            rows.append(_to_row(constraint, parameters))
    return [row for row in rows if row is not None]


def stack_rows(rows: Sequence[ConstraintRow]) -> tuple[Array, Array, Array]:
    """Stack rows, (c, d), and their lower and upper ends, (c,) each."""
    ends = np.array([[row.lower, row.upper] for row in rows]).reshape(-1, 2)
    return np.array([row.a for row in rows]), ends[:, 0], ends[:, 1]


def find_conflict(rows: Sequence[ConstraintRow], grids: Sequence[Array | None]) -> Sequence[ConstraintRow]:
    """Return a minimal set of rows that together leave no design; empty if there is a design."""

    def impossible(some: Sequence[ConstraintRow]) -> bool:
        return bool(some) and not Polytope.of(*stack_rows(some)).is_feasible(count_steps(grids))

    if not impossible(rows):
        return []
    kept = list(rows)
    for row in rows:
        others = [other for other in kept if other is not row]
        if impossible(others):
            kept = others
    return kept


def _to_row(constraint: Linear, parameters: Mapping[str, Parameter]) -> ConstraintRow | None:
    varying = [name for name, parameter in parameters.items() if isinstance(parameter, VaryingParameter)]
    a, shift = np.zeros(len(varying)), 0.0
    for name, weight in constraint.coefficients.items():
        start, slope = _get_line(constraint, name, parameters)
        shift += weight * start
        if name in varying:
            a[varying.index(name)] = weight * slope
    lower = -math.inf if constraint.lower is None else constraint.lower - shift
    upper = math.inf if constraint.upper is None else constraint.upper - shift
    if a.any():
        return ConstraintRow(constraint, a, lower, upper)
    if lower > INPUT_TOLERANCE * abs(shift) or upper < -INPUT_TOLERANCE * abs(shift):
        remedy = "change it, or one of the constants"
        raise InputError(f"{constraint} must hold", f"{short_repr(shift)} from the constants in it", remedy)
    return None


def _get_line(constraint: Linear, name: str, parameters: Mapping[str, Parameter]) -> tuple[float, float]:
    """Return numbers (a, b) such that the value of a parameter is a + b u."""
    if name not in parameters:
        rule = f"{constraint} must use only parameters"
        raise InputError(rule, repr(name), f"there are {', '.join(map(repr, parameters))}")
    parameter = parameters[name]
    if isinstance(parameter, Constant) and not isinstance(parameter.value, str):
        return float(parameter.value), 0.0
    line = parameter.line if isinstance(parameter, VaryingParameter) else None
    if line is None:
        raise IncompatibleError(
            "a sum must have numbers on a linear scale: no texts, and no parameters with a logarithmic scale",
            f"{name} in {constraint}",
            "leave it out, or give it a linear scale",
        )
    return line


def _format_sum(weights: Mapping[str, float]) -> str:
    """Format a sum as a person would write it: 2*a - b."""
    text = ""
    for name, weight in weights.items():
        sign = " - " if weight < 0 else " + "
        text += (
            (sign if text else sign.strip(" +")) + ("" if abs(weight) == 1 else f"{short_repr(abs(weight))}*") + name
        )
    return text


def as_constraints(given: object, names: Sequence[str]) -> tuple[Linear, ...]:
    """Return one constraint, or any number of them, as a tuple, with names spelt as in the space."""
    if given is None:
        return ()
    if isinstance(given, str | Linear):
        return (_as_constraint(given, names),)
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise InputError("constraints must be a list", repr(given), EXAMPLE)
    found = []
    for number, constraint in enumerate(given):
        with at_field(number, constraint):
            found.append(_as_constraint(constraint, names))
    return tuple(found)


def _as_constraint(given: object, names: Sequence[str]) -> Linear:
    """Return a constraint, parsed if it is text, with names spelt as in the space."""
    if isinstance(given, Linear):
        return given
    return Linear.parse(given, names)  # type: ignore[arg-type]  # parse raises a clear error for other types
