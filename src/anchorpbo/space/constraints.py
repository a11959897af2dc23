"""Linear constraints between parameters, as a user writes them and as rows in the coordinates.

    lower <= c_1 v_1 + c_2 v_2 + ... <= upper

The values are v = a + b u in the coordinates u, so a constraint is a row of entries c b, with ends shifted by -c a.
"""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.space.parameters import Constant, Parameter, VaryingParameter
from anchorpbo.space.polytope import Polytope, count_steps
from anchorpbo.space.values import as_float, short_repr
from anchorpbo.typing import Array

INPUT_TOLERANCE = 1e-6
"""Largest violation of a constraint accepted in a user's design, in units of its row's length in the coordinates."""
MAX_CHARACTERS = 20_000
"""Largest length of a constraint in text, in characters."""
MAX_TERMS = 500
"""Largest depth of its syntax tree: Python parses ``a + b + c`` as ``(a + b) + c``."""
_EXAMPLE = "write it like '2*a + b <= 10', 'a + b + c == 1' or '1 <= a - b/4 <= 5', or use Linear"
_SINGLE_WORDS_REMEDY = "names in it are single words, as in '2*a + b <= 10': rename the parameter, or use Linear"
_EQUAL_REMEDY = "use == for equal, as in 'a + b + c == 1'"
_SINGLE_EQUALS = re.compile(r"(?<![<>=!])=(?![<>=])")
_TWO_WORDS = re.compile(r"[^\W\d]\w*\s+\w")
_SHORTER_REMEDY = "name each parameter once, with one sign, or use Linear"
_SEVERAL_REMEDY = "give several as a list of strings, ['a <= 1', 'b >= 2'], and write decimals with a point"


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
            rule = "coefficients of a Linear must map names to numbers"
            raise InputError(rule, repr(self.coefficients), "give {'a': 1, 'b': 2}")
        weights = {str(name): as_float(f"the coefficient of {name}", c) for name, c in self.coefficients.items()}
        weights = {name: weight for name, weight in weights.items() if weight != 0.0}
        object.__setattr__(self, "coefficients", weights)
        for end in ("lower", "upper"):
            if getattr(self, end) is not None:
                object.__setattr__(self, end, as_float(f"{end} of a Linear", getattr(self, end)))
        if not weights:
            raise InputError("a constraint must have a parameter in it", "none with a weight other than 0", _EXAMPLE)
        if self.lower is None and self.upper is None:
            raise InputError("a constraint must have a lower or an upper end", "neither", "give one of the two")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            rule = "the lower end of a constraint must not exceed its upper end"
            raise InputError(rule, f"{short_repr(self.lower)} and {short_repr(self.upper)}", "swap the two")

    @classmethod
    def parse(cls, text: str) -> Linear:
        """Parse a constraint such as ``"2*a + b <= 10"``; the text is never executed."""
        if not isinstance(text, str):
            raise InputError("a constraint must be text or a Linear", repr(text), _EXAMPLE)
        if len(text) > MAX_CHARACTERS:
            rule = f"a constraint must be at most {MAX_CHARACTERS:,} characters long"
            raise InputError(rule, f"{len(text):,} characters", _SHORTER_REMEDY)
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            remedy = _SINGLE_WORDS_REMEDY if _TWO_WORDS.search(text) else _EXAMPLE
            remedy = _EQUAL_REMEDY if _SINGLE_EQUALS.search(text) else remedy
            remedy = _SEVERAL_REMEDY if ";" in text or "\n" in text.strip() else remedy
            raise InputError("a constraint must be a comparison of sums", repr(text), remedy) from error
        if isinstance(tree, ast.Tuple | ast.BoolOp):
            raise InputError("a constraint must be a single comparison", repr(text), _SEVERAL_REMEDY)
        if not isinstance(tree, ast.Compare):
            raise InputError("a constraint must have <=, >= or == in it", repr(text), _EXAMPLE)
        if (deep := _measure_depth(tree)) > MAX_TERMS:
            rule = f"a constraint must have at most {MAX_TERMS} terms and signs"
            raise InputError(rule, f"{deep:,}", _SHORTER_REMEDY)
        return cls(*_read_range(text, tree))

    def to_dict(self) -> dict[str, Any]:
        """Return the constraint as JSON data."""
        return {"coefficients": dict(self.coefficients), "lower": self.lower, "upper": self.upper}

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
            rule = f"{limits} must hold"
            raise InputError(rule, f"{_format_sum(names)} = {total:.10g} with {given}", "change one of these values")


def as_rows(constraints: Sequence[Linear], parameters: Mapping[str, Parameter]) -> list[ConstraintRow]:
    """Translate constraints into coordinates; those that contain only constants are checked here."""
    rows = (_to_row(constraint, parameters) for constraint in constraints)
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
        remedy = "change the constraint or one of the constants"
        raise InputError(f"{constraint} must hold", f"{short_repr(shift)} from the constants in it", remedy)
    return None


def _get_line(constraint: Linear, name: str, parameters: Mapping[str, Parameter]) -> tuple[float, float]:
    """Return numbers (a, b) such that the value of a parameter is a + b u."""
    if name not in parameters:
        rule = f"the constraint {constraint} must use parameters of the space"
        raise InputError(rule, repr(name), f"there are {', '.join(map(repr, parameters))}")
    parameter = parameters[name]
    if isinstance(parameter, Constant) and not isinstance(parameter.value, str):
        return float(parameter.value), 0.0
    line = parameter.line if isinstance(parameter, VaryingParameter) else None
    if line is None:
        raise IncompatibleError(
            "a constraint must use numbers on a linear scale: Real or Integer without log, Boolean, Constant",
            f"{name}={parameter!r} in {constraint}",
            "leave it out of the constraint, or leave out its log",
        )
    return line


# -- parsing -----------------------------------------------------------------------------------------------------------


def _measure_depth(tree: ast.Compare) -> int:
    """Return the depth of the syntax tree of a comparison."""
    level: list[ast.AST] = [tree.left, *tree.comparators]
    depth = 1
    while level := [one for node in level for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]:
        depth += 1
    return depth


_Sum = tuple[dict[str, float], float]  # weights and the constant term


def _read_range(text: str, tree: ast.Compare) -> tuple[dict[str, float], float | None, float | None]:
    """Return the weights and the lower and upper end of a comparison."""
    terms = [_read_sum(text, term) for term in (tree.left, *tree.comparators)]
    kinds = [_read_operator(text, op) for op in tree.ops]
    if len(kinds) == 1:
        weights, constant = _add(terms[0], terms[1], -1.0)
        return weights, None if kinds[0] == "<=" else -constant, None if kinds[0] == ">=" else -constant
    if len(kinds) > 2 or kinds[0] != kinds[1] or kinds[0] == "==" or terms[0][0] or terms[2][0]:
        rule = "a constraint with two comparisons must have a sum between two numbers"
        raise InputError(rule, repr(text), _EXAMPLE)
    first, (weights, constant), last = terms[0][1], terms[1], terms[2][1]
    lower, upper = (first, last) if kinds[0] == "<=" else (last, first)
    return weights, lower - constant, upper - constant


def _read_operator(text: str, op: ast.cmpop) -> str:
    kinds = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=="}
    strict = {ast.Lt: "<", ast.Gt: ">"}
    if type(op) in strict:
        sign = strict[type(op)]
        raise InputError(f"a constraint must include its ends, so {sign} is not allowed", repr(text), f"use {sign}=")
    if type(op) not in kinds:
        raise InputError("a constraint must compare by <=, >= or ==", repr(text), _EXAMPLE)
    return kinds[type(op)]


def _read_sum(text: str, node: ast.expr) -> _Sum:
    """Return the weights and the constant term of a sum."""
    found: _Sum | None = None
    match node:
        case ast.Name(id=name):
            found = {name: 1.0}, 0.0
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            found = {}, as_float("a number of a constraint", value)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as op, operand=operand):
            found = _scale(_read_sum(text, operand), -1.0 if isinstance(op, ast.USub) else 1.0)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            found = _add(_read_sum(text, left), _read_sum(text, right), -1.0 if isinstance(op, ast.Sub) else 1.0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = sorted((_read_sum(text, left), _read_sum(text, right)), key=lambda part: len(part[0]))
            found = None if first[0] else _scale(second, first[1])
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            names, divisor = _read_sum(text, right)
            found = None if names or not divisor else _scale(_read_sum(text, left), 1.0 / divisor)
    if found is None:
        rule = "a constraint must be linear: parameters times numbers, added up"
        raise InputError(rule, f"{ast.unparse(node)!r} in {text!r}", _EXAMPLE)
    return found


def _scale(part: _Sum, factor: float) -> _Sum:
    return _add(({}, 0.0), part, factor)


def _add(first: _Sum, second: _Sum, times: float) -> _Sum:
    weights = dict(first[0])
    for name, weight in second[0].items():
        weights[name] = weights.get(name, 0.0) + times * weight
    return weights, first[1] + times * second[1]


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
        raise InputError("constraints must be text, a Linear or a list of these", repr(given), _EXAMPLE)
    return tuple(_as_constraint(constraint, names) for constraint in given)


def _as_constraint(given: object, names: Sequence[str]) -> Linear:
    """Return a constraint, parsed if it is text, with names spelt as in the space."""
    if isinstance(given, Linear):
        return given
    linear = Linear.parse(given)  # type: ignore[arg-type]  # parse raises a clear error for other types
    # Python normalises names to one form of Unicode; a micro sign typed by a user may be in another.
    spelt = {unicodedata.normalize("NFKC", name): name for name in names}
    weights = {spelt.get(name, name): weight for name, weight in linear.coefficients.items()}
    return Linear(weights, linear.lower, linear.upper)
