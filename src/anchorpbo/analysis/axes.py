"""Values of one parameter, in its own units, at which a model is evaluated."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.space import Boolean, Categorical, Integer, Ordinal, Parameter, Real

Cell = str | int | float | bool | None
"""Value of a parameter or a cell of a catalogue."""


@dataclass(frozen=True)
class Axis:
    """Values of one parameter along an axis."""

    name: str
    values: list[Any]
    continuous: bool
    log: bool


def make_axis(name: str, parameter: Parameter, count: int) -> Axis:
    """Return the values of a parameter to evaluate, at most about `count`."""
    if isinstance(parameter, Categorical | Ordinal):
        choices = list(parameter.values)
        some = np.unique(np.linspace(0, len(choices) - 1, min(count, len(choices))).round().astype(int))
        return Axis(name, [choices[i] for i in some], False, False)
    if isinstance(parameter, Boolean):
        return Axis(name, [False, True], False, False)
    if not isinstance(parameter, Integer | Real):
        raise InputError("a parameter of a map must have values", repr(parameter), "leave it out")
    ends = (parameter.low, parameter.high)
    if isinstance(parameter, Real) and parameter.step is not None:
        places = parameter.low + parameter.step * np.arange(
            round((parameter.high - parameter.low) / parameter.step) + 1
        )
        some = np.unique(np.linspace(0, len(places) - 1, min(count, len(places))).round().astype(int))
        return Axis(name, np.clip(places[some], *ends).tolist(), True, parameter.log)
    values = np.geomspace(*ends, count) if parameter.log else np.linspace(*ends, count)
    if isinstance(parameter, Integer):
        return Axis(name, np.unique(values.round().astype(int)).tolist(), True, parameter.log)
    return Axis(name, np.clip(values, *ends).tolist(), True, parameter.log)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return about `count` round numbers from low to high.

    Examples
    --------
    >>> ticks(0.3, 9.7)
    [2.0, 4.0, 6.0, 8.0]
    """
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough)) if 0.0 < rough < math.inf else 0.0
    if not power:  # the two numbers are so near, or so far, that the step between them underflows
        return [low]
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 12) + 0.0 for n in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from low to high for a logarithmic axis.

    Examples
    --------
    >>> log_ticks(3, 400)
    [5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    >>> log_ticks(0.05, 3000)
    [0.1, 1.0, 10.0, 100.0, 1000.0]
    >>> log_ticks(10, 20)
    [10.0, 12.0, 14.0, 16.0, 18.0, 20.0]
    """
    digits = (1, 2, 5) if high / low < 1000 else (1,)
    powers = range(math.floor(math.log10(low)), min(math.ceil(math.log10(high)), sys.float_info.max_10_exp) + 1)
    found = [digit * 10.0**power for power in powers for digit in digits]
    inside = [value for value in found if low * (1 - 1e-9) <= value <= min(high * (1 + 1e-9), sys.float_info.max)]
    return inside if len(inside) > 2 else ticks(low, high)
