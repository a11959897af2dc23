"""The parameters a design is made of.

Every parameter that varies has one coordinate u in [0, 1]:

    Real         even or logarithmic (`scales`); with a step, its places only
    Integer      (v - low) / (high - low), or by logarithms
    Ordinal      place / (places - 1), in the order given
    Categorical  the same, but without an order
    Boolean      0 or 1

`check` turns what a user gives into the one plain Python value that stands for it, so that from there on
``decode(encode(value)) == value`` holds exactly.
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

from anchorpbo.errors import InputError
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
"""RowIndex of a grid: a table of more would be slow, and nobody tells a millionth of a range from the next."""
_MAX_INTEGER = 2**53  # whole numbers beyond this are not all doubles
_RANGE_TOLERANCE = 1e-9
"""By how much of its range a number may miss it."""
_STEP_TOLERANCE = 1e-6  # how far from a place, in steps, a number may be and still mean it


class Parameter(ABC):
    """A named part of a design. Immutable."""

    @abstractmethod
    def check(self, name: str, value: object) -> Value:
        """The plain Python value that stands for what was given, or an error that names the parameter."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON can hold it."""
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
        """Those arguments that are not at their default."""
        named = [(field, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field, value in named
            if field.default is MISSING or value != field.default
        }


class VaryingParameter(Parameter):
    """A parameter with a coordinate."""

    @property
    @abstractmethod
    def grid(self) -> Array | None:
        """The coordinates it can have, increasing from 0 to 1; ``None`` where all of [0, 1] is allowed."""

    @property
    def line(self) -> tuple[float, float] | None:
        """Numbers (a, b) such that a coordinate u means the number a + b u; ``None`` where there are none."""
        return None

    @abstractmethod
    def encode(self, value: Any) -> float:
        """Coordinate of a value that `check` has passed."""

    @abstractmethod
    def decode(self, u: float) -> Value:
        """The value with coordinate u, or the nearest there is."""

    @abstractmethod
    def nearest(self, u: float) -> float:
        """Coordinate of the value nearest to u that a person would write."""


@dataclass(frozen=True, repr=False)
class Real(VaryingParameter):
    """A number from `low` to `high`.

    Parameters
    ----------
    low, high
        The ends, both included.
    log
        Whether ratios matter rather than differences, as with doses and rates; needs ``low > 0``.
    step
        Allow ``low, low + step, ..., high`` only; ``None`` for all numbers. Must divide the range.

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
        for end in ("low", "high"):
            object.__setattr__(self, end, as_float(f"{end} of a Real", getattr(self, end)))
        check_range("a Real", self.low, self.high, self.log)
        if not math.isfinite(self.high - self.low):
            rule = "the range of a Real must be a finite number"
            raise InputError(rule, f"{self.low} to {self.high}", "choose a larger unit")
        if self.log and math.log(self.low) == math.log(self.high):
            rule = "low and high of a logarithmic Real must have different logarithms"
            raise InputError(rule, f"{self.low!r} and {self.high!r}", "leave log out")
        if self.step is not None:
            object.__setattr__(self, "step", self._check_step())

    def check(self, name: str, value: object) -> float:
        """A float in the range, one of the steps where there are any."""
        number = as_number(name, value)
        # 0.1 + 0.2 is meant to be 0.3.
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
            raise InputError(rule, repr(value), f"near it are {', '.join(map(repr, near))}")
        return self._at(place)

    @cached_property
    def grid(self) -> Array | None:
        """Coordinates of the steps."""
        if self.step is None:
            return None
        if not self.log:
            return freeze(np.arange(self._last + 1) / self._last)
        return freeze(np.array([self._scale.encode(self._at(place)) for place in range(self._last + 1)]))

    @property
    def line(self) -> tuple[float, float] | None:
        """``(low, high - low)`` on an even scale."""
        return None if self.log else (self.low, self.high - self.low)

    def encode(self, value: float) -> float:
        """Coordinate on the scale."""
        if self.step is None:
            return self._scale.encode(value)
        place = self._place(value)
        return self._scale.encode(self._at(place)) if self.log else place / self._last

    def decode(self, u: float) -> float:
        """The number of fewest digits with this coordinate."""
        if self.grid is None:
            return self._scale.decode(u)
        return self._at(_nearest_index(self.grid, u))

    def nearest(self, u: float) -> float:
        """Rounded to about a ten-thousandth of the range, or to five digits on a logarithmic scale."""
        if self.grid is None:
            return self._scale.encode(self._scale.readable(u))
        return float(self.grid[_nearest_index(self.grid, u)])

    def nearest_within(self, u: float, least: float, most: float) -> float:
        """The same between two coordinates; for an even scale without steps."""
        return self._scale.encode(self._scale.readable_within(u, least, most))

    @property
    def _scale(self) -> UnitScaling:
        return UnitScaling(self.low, self.high, self.log)

    def _check_step(self) -> float:
        step = as_float("step of a Real", self.step)
        if step <= 0:
            raise InputError("step of a Real must be above 0", repr(self.step), "leave it out for all numbers")
        places = (self.high - self.low) / step
        if places >= MAX_GRID_VALUES:
            raise _too_many("a Real with a step", places + 1)
        if round(places) < 1 or abs(places - round(places)) > _STEP_TOLERANCE:
            rule = "step of a Real must divide its range"
            raise InputError(rule, f"{step!r} from {self.low!r} to {self.high!r}", "move high to the last step")
        return step

    @property
    def _last(self) -> int:
        return round((self.high - self.low) / float(self.step or 1.0))

    def _place(self, value: float) -> int:
        return min(max(round((value - self.low) / float(self.step or 1.0)), 0), self._last)

    def _at(self, place: int) -> float:
        # In decimals, as a person counts: 0.1 three times is 0.3, and not 0.30000000000000004.
        if place == self._last:
            return self.high
        return float(Decimal(repr(self.low)) + place * Decimal(repr(self.step)))


@dataclass(frozen=True, repr=False)
class Integer(VaryingParameter):
    """A whole number from `low` to `high`.

    Parameters
    ----------
    low, high
        The ends, both included.
    log
        Whether ratios matter rather than differences, as with counts of cells; needs ``low > 0``.

    Examples
    --------
    >>> Integer(1, 5).encode(2), Integer(1, 5).decode(0.3)
    (0.25, 2)
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            object.__setattr__(self, end, as_whole(f"{end} of an Integer", getattr(self, end)))
        check_range("an Integer", self.low, self.high, self.log)
        if max(abs(self.low), abs(self.high)) > _MAX_INTEGER:
            rule = "low and high of an Integer must lie within 2^53"
            raise InputError(rule, f"{self.low} and {self.high}", "choose a larger unit")
        if self.high - self.low >= MAX_GRID_VALUES:
            raise _too_many("an Integer", self.high - self.low + 1)

    def check(self, name: str, value: object) -> int:
        """An int in the range."""
        number = as_whole(name, value)
        check_between(name, value, number, self.low, self.high)
        return number

    @cached_property
    def grid(self) -> Array:
        """Coordinates of the whole numbers."""
        if not self.log:
            return freeze(np.arange(self.high - self.low + 1) / (self.high - self.low))
        return freeze(np.array([self._scale.encode(number) for number in range(self.low, self.high + 1)]))

    @property
    def line(self) -> tuple[float, float] | None:
        """``(low, high - low)`` on an even scale."""
        return None if self.log else (float(self.low), float(self.high - self.low))

    def encode(self, value: int) -> float:
        """Coordinate on the scale."""
        return self._scale.encode(value) if self.log else (value - self.low) / (self.high - self.low)

    def decode(self, u: float) -> int:
        """The nearest whole number."""
        return self.low + _nearest_index(self.grid, u)

    def nearest(self, u: float) -> float:
        """The nearest place of the grid."""
        return float(self.grid[_nearest_index(self.grid, u)])

    @property
    def _scale(self) -> UnitScaling:
        return UnitScaling(self.low, self.high, self.log)


@dataclass(frozen=True, repr=False)
class Boolean(VaryingParameter):
    """True or false, such as whether to stir; in a constraint true counts 1, and false 0.

    There is nothing to give: write ``Boolean()``.

    Examples
    --------
    >>> Boolean().encode(True), Boolean().decode(0.0)
    (1.0, False)
    """

    def check(self, name: str, value: object) -> bool:
        """A bool, and nothing that merely could be one."""
        if not isinstance(value, bool | np.bool_):
            raise InputError(f"{name} must be True or False", repr(value), "give one of the two")
        return bool(value)

    @property
    def grid(self) -> Array:
        """0 and 1."""
        return np.array([0.0, 1.0])

    @property
    def line(self) -> tuple[float, float]:
        """In a constraint, true counts 1."""
        return 0.0, 1.0

    def encode(self, value: bool) -> float:
        """1 for true."""
        return float(value)

    def decode(self, u: float) -> bool:
        """True from a half on."""
        return bool(u >= 0.5)

    def nearest(self, u: float) -> float:
        """0 or 1."""
        return float(u >= 0.5)


class _Choice(VaryingParameter):
    """One of a few values."""

    values: tuple[Value, ...]

    def check(self, name: str, value: object) -> Value:
        """The value as it was given when the parameter was made."""
        return match_value(name, value, self.values)

    @cached_property
    def grid(self) -> Array:
        """Evenly spaced places."""
        return freeze(np.arange(len(self.values)) / (len(self.values) - 1))

    def encode(self, value: Value) -> float:
        """Place over the last place."""
        return self.values.index(value) / (len(self.values) - 1)

    def decode(self, u: float) -> Value:
        """The value at the nearest place."""
        return self.values[_nearest_index(self.grid, u)]

    def nearest(self, u: float) -> float:
        """The nearest place of the grid."""
        return float(self.grid[_nearest_index(self.grid, u)])


@dataclass(frozen=True, repr=False, init=False)
class Ordinal(_Choice):
    """One of a few values with an order: neighbours are alike.

    Parameters
    ----------
    values
        Two or more texts or numbers, in their order.

    Examples
    --------
    >>> roast = Ordinal(["light", "medium", "dark"])
    >>> roast.encode("medium"), roast.decode(1.0)
    (0.5, 'dark')
    """

    values: tuple[Value, ...]

    def __init__(self, values: Iterable[Value]) -> None:
        object.__setattr__(self, "values", as_distinct("an Ordinal", values))


@dataclass(frozen=True, repr=False, init=False)
class Categorical(_Choice):
    """One of a few values without an order: any two are equally unlike.

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
        object.__setattr__(self, "values", as_distinct("a Categorical", values))


@dataclass(frozen=True, repr=False)
class Constant(Parameter):
    """A value that is the same in every design: shown, and without a coordinate.

    Parameters
    ----------
    value
        Text, a number or a truth value.

    Examples
    --------
    >>> Constant("soft").check("water", "soft")
    'soft'
    """

    value: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_value("the value of a Constant", self.value))

    def check(self, name: str, value: object) -> Value:
        """The constant, when that is what was given."""
        return match_value(name, value, (self.value,))


def _nearest_index(grid: Array, u: float) -> int:
    """Place of the grid value nearest to u; the lower of two."""
    above = int(np.searchsorted(grid, u))
    if above == 0:
        return 0
    if above == len(grid):
        return above - 1
    return above if grid[above] - u < u - grid[above - 1] else above - 1


def _too_many(kind: str, places: float) -> InputError:
    rule = f"{kind} must have at most {MAX_GRID_VALUES:,} values"
    return InputError(rule, f"{places:,.0f}", "count in a larger unit, or use a Real without a step")
