"""Parameters of a design.

Every parameter that varies has one coordinate u in [0, 1]:

    Real         linear or logarithmic (`unit_scaling`); with a step, only low + k step
    Integer      (v - low) / (high - low), or by logarithms
    Ordinal      index / (count - 1), in the order given
    Categorical  the same, but without an order
    Boolean      0 or 1

`check` converts a value given by the user to a plain Python value, for which ``decode(encode(value)) == value`` holds
exactly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from anchorpbo.errors import InputError, at_field
from anchorpbo.numerics.validation import freeze
from anchorpbo.space.unit_scaling import UnitScaling
from anchorpbo.space.values import (
    Value,
    as_distinct,
    as_float,
    as_number,
    as_value,
    as_whole,
    check_between,
    check_range,
    match_value,
    short_repr,
)
from anchorpbo.typing import Array

MAX_GRID_VALUES = 1_000_001
"""Largest number of values of a grid: more would be slow, and a millionth of a range cannot be noticed."""
_ENDS = {"low": "the lower end", "high": "the upper end"}
_MAX_INTEGER = 2**53  # larger integers are not all doubles
_RANGE_TOLERANCE = 1e-9
"""Largest distance of a number from its range, as a share of the range, that counts as rounding."""
_STEP_TOLERANCE = 1e-6  # largest distance from a grid value, in steps, that counts as rounding


class Parameter(ABC):
    """Abstract named part of a design. Immutable."""

    @abstractmethod
    def check(self, name: str, value: object) -> Value:
        """Return the plain Python value for a given value; an error names the parameter."""

    def to_dict(self) -> dict[str, Any]:
        """Return the parameter as JSON data."""
        return {"kind": type(self).__name__.lower(), **self._settings()}

    def __repr__(self) -> str:
        parts = []
        for field in fields(self):  # type: ignore[arg-type]  # every parameter is a dataclass
            value = getattr(self, field.name)
            if field.default is MISSING:
                parts.append(short_repr(value))
            elif value != field.default:
                parts.append(f"{field.name}={short_repr(value)}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _settings(self) -> dict[str, Any]:
        """Return the arguments that differ from their default."""
        named = [(field, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field, value in named
            if field.default is MISSING or value != field.default
        }


class VaryingParameter(Parameter):
    """Abstract parameter with a coordinate."""

    @property
    @abstractmethod
    def grid(self) -> Array | None:
        """Allowed coordinates, increasing from 0 to 1; ``None`` if all of [0, 1] is allowed."""

    @property
    def line(self) -> tuple[float, float] | None:
        """Numbers (a, b) such that the coordinate u has the value a + b u; ``None`` if there are none."""
        return None

    @abstractmethod
    def encode(self, value: Any) -> float:
        """Return the coordinate of a value that has passed `check`."""

    @abstractmethod
    def decode(self, u: float) -> Value:
        """Return the value with coordinate u, or the nearest one."""

    @abstractmethod
    def nearest(self, u: float) -> float:
        """Return the coordinate of the value nearest to u that a person would write."""


@dataclass(frozen=True, repr=False)
class Real(VaryingParameter):
    """A number from `low` to `high`.

    Parameters
    ----------
    low, high
        The ends, both included.
    log
        Whether to use a logarithmic scale, on which ratios matter, as for doses and rates; needs ``low > 0``.
    step
        Allow only ``low, low + step, ..., high``; by default all numbers. Must divide the range.

    Examples
    --------
    >>> Real(80, 96).encode(84.0), Real(80, 96).decode(0.25)
    (0.25, 84.0)
    >>> Real(1, 100, log=True).encode(10.0)
    0.5
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        for field, end in _ENDS.items():
            with at_field(field):
                object.__setattr__(self, field, as_float(end, getattr(self, field)))
        check_range(self.low, self.high, self.log)
        if not math.isfinite(self.high - self.low):
            rule = "the range must be finite"
            raise InputError(rule, f"{self.low} to {self.high}", "choose a larger unit", value=[self.low, self.high])
        if self.log and math.log(self.low) == math.log(self.high):
            rule = "the ends of a logarithmic range must have different logarithms"
            raise InputError(rule, f"{self.low!r} and {self.high!r}", "use a linear scale")
        if self.step is not None:
            with at_field("step", self.step):
                object.__setattr__(self, "step", self._check_step())

    @property
    def decimals(self) -> int | None:
        """Number of decimals that the values of a step need; ``None`` without a step."""
        if self.step is None:
            return None
        exponents = (Decimal(repr(number)).normalize().as_tuple().exponent for number in (self.low, self.step))
        return max(0, *(-int(exponent) for exponent in exponents))

    def check(self, name: str, value: object) -> float:
        """Return a float in the range, and one of the steps if there are any."""
        number = as_number(name, value)
        # A result such as 0.1 + 0.2 must count as 0.3.
        rounding = _RANGE_TOLERANCE * (self.high - self.low)
        if self.low - rounding <= number <= self.high + rounding:
            number = min(max(number, self.low), self.high)
        check_between(name, value, number, self.low, self.high)
        number = float(number)
        if self.step is None:
            return self._scale.decode(self._scale.encode(number))
        place = self._place(number)
        if abs(number - self._at(place)) > _STEP_TOLERANCE * self.step:
            near = sorted({self._at(max(place - 1, 0)), self._at(place), self._at(min(place + 1, self._last))})
            rule = f"{name} must be one of {self.low:g}, {self._at(1):g}, ..., {self.high:g}"
            raise InputError(rule, repr(value), f"near it are {', '.join(map(repr, near))}", value=number)
        return self._at(place)

    @cached_property
    def grid(self) -> Array | None:
        """Coordinates of the steps; ``None`` without a step."""
        if self.step is None:
            return None
        if not self.log:
            return freeze(np.arange(self._last + 1) / self._last)
        return freeze(np.array([self._scale.encode(self._at(place)) for place in range(self._last + 1)]))

    @property
    def line(self) -> tuple[float, float] | None:
        """``(low, high - low)`` on a linear scale."""
        return None if self.log else (self.low, self.high - self.low)

    def encode(self, value: float) -> float:
        """Return the coordinate on the scale."""
        if self.step is None:
            return self._scale.encode(value)
        place = self._place(value)
        return self._scale.encode(self._at(place)) if self.log else place / self._last

    def decode(self, u: float) -> float:
        """Return the number of fewest digits with this coordinate."""
        if self.grid is None:
            return self._scale.decode(u)
        return self._at(_nearest_index(self.grid, u))

    def nearest(self, u: float) -> float:
        """Return the coordinate rounded to about 1e-4 of the range, or to five digits on a logarithmic scale."""
        if self.grid is None:
            return self._scale.encode(self._scale.readable(u))
        return float(self.grid[_nearest_index(self.grid, u)])

    def nearest_within(self, u: float, least: float, most: float) -> float:
        """Return `nearest` between two coordinates; for a linear scale without steps."""
        return self._scale.encode(self._scale.readable_within(u, least, most))

    @property
    def _scale(self) -> UnitScaling:
        return UnitScaling(self.low, self.high, self.log)

    def _check_step(self) -> float:
        step = as_float("the step", self.step)
        if step <= 0:
            raise InputError("the step must be above 0", repr(self.step), "leave it out for all numbers")
        places = (self.high - self.low) / step
        if places >= MAX_GRID_VALUES:
            raise _too_many("a range in steps", places + 1)
        if round(places) < 1 or abs(places - round(places)) > _STEP_TOLERANCE:
            ends = [f"{self.low + count * step:.12g}" for count in (math.floor(places), math.ceil(places)) if count]
            received = f"{step:.12g} from {self.low:.12g} to {self.high:.12g}"
            raise InputError("the step must divide the range", received, f"let the range end at {' or '.join(ends)}")
        return step

    @property
    def _last(self) -> int:
        return round((self.high - self.low) / float(self.step or 1.0))

    def _place(self, value: float) -> int:
        return min(max(round((value - self.low) / float(self.step or 1.0)), 0), self._last)

    def _at(self, place: int) -> float:
        # In decimals, as a person counts: 3 times 0.1 is 0.3, not 0.30000000000000004.
        if place == self._last:
            return self.high
        return float(Decimal(repr(self.low)) + place * Decimal(repr(self.step)))


@dataclass(frozen=True, repr=False)
class Integer(VaryingParameter):
    """An integer from `low` to `high`.

    Parameters
    ----------
    low, high
        The ends, both included.
    log
        Whether to use a logarithmic scale, on which ratios matter, as for counts of cells; needs ``low > 0``.

    Examples
    --------
    >>> Integer(1, 5).encode(2), Integer(1, 5).decode(0.3)
    (0.25, 2)
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for field, end in _ENDS.items():
            with at_field(field):
                object.__setattr__(self, field, as_whole(end, getattr(self, field)))
        check_range(self.low, self.high, self.log)
        if max(abs(self.low), abs(self.high)) > _MAX_INTEGER:
            rule = "the ends of a range of whole numbers must lie within 2^53"
            raise InputError(rule, f"{self.low} and {self.high}", "choose a larger unit")
        if self.high - self.low >= MAX_GRID_VALUES:
            raise _too_many("a range of whole numbers", self.high - self.low + 1)

    def check(self, name: str, value: object) -> int:
        """Return an int in the range."""
        number = as_whole(name, value)
        check_between(name, value, number, self.low, self.high)
        return number

    @cached_property
    def grid(self) -> Array:
        """Coordinates of the integers."""
        if not self.log:
            return freeze(np.arange(self.high - self.low + 1) / (self.high - self.low))
        return freeze(np.array([self._scale.encode(number) for number in range(self.low, self.high + 1)]))

    @property
    def line(self) -> tuple[float, float] | None:
        """``(low, high - low)`` on a linear scale."""
        return None if self.log else (float(self.low), float(self.high - self.low))

    def encode(self, value: int) -> float:
        """Return the coordinate on the scale."""
        return self._scale.encode(value) if self.log else (value - self.low) / (self.high - self.low)

    def decode(self, u: float) -> int:
        """Return the nearest integer."""
        return self.low + _nearest_index(self.grid, u)

    def nearest(self, u: float) -> float:
        """Return the nearest coordinate of the grid."""
        return float(self.grid[_nearest_index(self.grid, u)])

    @property
    def _scale(self) -> UnitScaling:
        return UnitScaling(self.low, self.high, self.log)


@dataclass(frozen=True, repr=False)
class Boolean(VaryingParameter):
    """True or false, such as whether to stir; in a constraint True counts as 1 and False as 0.

    It has no arguments: write ``Boolean()``.

    Examples
    --------
    >>> Boolean().encode(True), Boolean().decode(0.0)
    (1.0, False)
    """

    def check(self, name: str, value: object) -> bool:
        """Return a bool; raise for any other type, including 0 and 1."""
        if not isinstance(value, bool | np.bool_):
            raise InputError(f"{name} must be true or false", repr(value), "give one of the two", value=value)
        return bool(value)

    @property
    def grid(self) -> Array:
        """0 and 1."""
        return np.array([0.0, 1.0])

    @property
    def line(self) -> tuple[float, float]:
        """``(0, 1)``: in a constraint True counts as 1."""
        return 0.0, 1.0

    def encode(self, value: bool) -> float:
        """Return 1 for True and 0 for False."""
        return float(value)

    def decode(self, u: float) -> bool:
        """Return whether u is at least 0.5."""
        return bool(u >= 0.5)

    def nearest(self, u: float) -> float:
        """Return 0 or 1."""
        return float(u >= 0.5)


class _Choice(VaryingParameter):
    """Abstract parameter with a list of values."""

    values: tuple[Value, ...]

    def check(self, name: str, value: object) -> Value:
        """Return the equal value of the list."""
        return match_value(name, value, self.values)

    @cached_property
    def grid(self) -> Array:
        """Evenly spaced coordinates from 0 to 1."""
        return freeze(np.arange(len(self.values)) / (len(self.values) - 1))

    def encode(self, value: Value) -> float:
        """Return the index of the value, divided by the last index."""
        return self.values.index(value) / (len(self.values) - 1)

    def decode(self, u: float) -> Value:
        """Return the value with the nearest coordinate."""
        return self.values[_nearest_index(self.grid, u)]

    def nearest(self, u: float) -> float:
        """Return the nearest coordinate of the grid."""
        return float(self.grid[_nearest_index(self.grid, u)])


@dataclass(frozen=True, repr=False, init=False)
class Ordinal(_Choice):
    """One of several values with an order: neighbours are similar.

    Parameters
    ----------
    values
        Two or more texts or numbers, in order.

    Examples
    --------
    >>> roast = Ordinal(["light", "medium", "dark"])
    >>> roast.encode("medium"), roast.decode(1.0)
    (0.5, 'dark')
    """

    values: tuple[Value, ...]

    def __init__(self, values: Iterable[Value]) -> None:
        with at_field("values"):
            object.__setattr__(self, "values", as_distinct(values))


@dataclass(frozen=True, repr=False, init=False)
class Categorical(_Choice):
    """One of several values without an order: any two are equally different.

    Parameters
    ----------
    values
        Two or more texts or numbers, in any order.

    Examples
    --------
    >>> origin = Categorical(["Kenya", "Brazil"])
    >>> origin.encode("Brazil"), origin.decode(0.0)
    (1.0, 'Kenya')
    """

    values: tuple[Value, ...]

    def __init__(self, values: Iterable[Value]) -> None:
        with at_field("values"):
            object.__setattr__(self, "values", as_distinct(values))


@dataclass(frozen=True, repr=False)
class Constant(Parameter):
    """A value that is the same in every design: shown, but without a coordinate.

    Parameters
    ----------
    value
        Text, a number or a bool.

    Examples
    --------
    >>> Constant("soft").check("water", "soft")
    'soft'
    """

    value: Value

    def __post_init__(self) -> None:
        with at_field("value"):
            object.__setattr__(self, "value", as_value("the value of a constant", self.value))

    def check(self, name: str, value: object) -> Value:
        """Return the constant; raise for any other value."""
        return match_value(name, value, (self.value,))


def _nearest_index(grid: Array, u: float) -> int:
    """Return the index of the grid value nearest to u; the lower of two."""
    above = int(np.searchsorted(grid, u))
    if above == 0:
        return 0
    if above == len(grid):
        return above - 1
    return above if grid[above] - u < u - grid[above - 1] else above - 1


def _too_many(kind: str, places: float) -> InputError:
    rule = f"{kind} must have at most {MAX_GRID_VALUES:,} values"
    return InputError(rule, f"{places:,.0f}", "count in a larger unit, or allow all numbers")
