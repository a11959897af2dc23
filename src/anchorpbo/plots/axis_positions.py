"""Positions of the values of a parameter along an axis: numbers at their value, categories evenly spaced.

Ticks of a parameter with a step are values that it can have.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log, log10
from typing import Any, TypeAlias

import numpy as np

from anchorpbo.analysis.axes import Axis, log_ticks
from anchorpbo.formatting import format_value, truncate
from anchorpbo.space import Integer, Real

Stepped: TypeAlias = Real | Integer
"""Parameter with a step: a `Real` that has one, or an `Integer`."""

_MAX_LABEL_LETTERS, _MAX_LABELS = 16, 12
"""Largest number of letters of a label, and of labels of an axis."""
_ROUNDING = 1e-9
_MAX_INTERVALS = 6
"""Largest number of intervals between the ticks of a parameter with a step."""


@dataclass(frozen=True)
class AxisPositions:
    """Positions, ticks and labels of the values of an axis."""

    axis: Axis
    stepped: Stepped | None = None
    """The parameter, if it has a step."""

    @property
    def every(self) -> list[float]:
        """Positions of the axis's own values."""
        return list(self.axis.values) if self.axis.continuous else [float(i) for i in range(len(self.axis.values))]

    def of(self, value: Any) -> float | None:
        """Return the position of a value; ``None`` if it was dropped from a long list of categories."""
        if self.axis.continuous:
            return float(value)
        return float(self.axis.values.index(value)) if value in self.axis.values else None

    @property
    def ticks(self) -> list[float] | None:
        """Positions of the ticks; ``None`` for the library's own ticks, along numbers without steps."""
        if not self.axis.continuous:
            return self.every[:: ceil(len(self.axis.values) / _MAX_LABELS)]
        round_numbers = log_ticks(float(self.axis.values[0]), float(self.axis.values[-1])) if self.axis.log else None
        return round_numbers if self.stepped is None else _choose_steps(self.stepped, round_numbers)

    @property
    def labels(self) -> list[str] | None:
        """Labels of the ticks; ``None`` if the library chooses them."""
        if self.ticks is None:
            return None
        if not self.axis.continuous:
            return [truncate(format_value(self.axis.values[int(place)]), _MAX_LABEL_LETTERS) for place in self.ticks]
        if self.stepped is None:
            return [f"{tick:g}" for tick in self.ticks]
        return [
            format_value(tick, self.stepped.decimals if isinstance(self.stepped, Real) else 0) for tick in self.ticks
        ]

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis, with a margin."""
        if not self.axis.continuous:
            return -0.5, len(self.axis.values) - 0.5
        low, high = (float(self.axis.values[i]) for i in (0, -1))
        if self.axis.log:
            room = (high / low) ** 0.02
            return low / room, high * room
        return low - 0.02 * (high - low), high + 0.02 * (high - low)

    @property
    def edges(self) -> list[float]:
        """Edges of the cells around the positions, one more than positions."""
        places = np.log(self.every) if self.axis.log else np.array(self.every, dtype=float)
        middle = (places[1:] + places[:-1]) / 2
        ends = [places[0], places[-1]] if self.axis.continuous else [places[0] - 0.5, places[-1] + 0.5]
        borders = np.concatenate([ends[:1], middle, ends[1:]])
        return list((np.exp(borders) if self.axis.log else borders).tolist())


def _choose_steps(parameter: Stepped, near: list[float] | None) -> list[float]:
    """Return values of a parameter with a step as ticks: those nearest to some numbers, or evenly spaced ones."""
    low, high = parameter.low, parameter.high
    if near is not None:
        return sorted({float(parameter.decode(log(x / low) / log(high / low))) for x in near})
    grid = np.asarray(parameter.grid)
    last = len(grid) - 1
    stride = _choose_stride(last, (high - low) / last)
    # Multiples of the stride, if the range begins at a multiple of the step.
    first = -round(low * last / (high - low)) % stride
    return [float(parameter.decode(u)) for u in grid[first::stride].tolist()]


def _choose_stride(last: int, step: float) -> int:
    """Return the number of steps between ticks: 1, 2, 2.5 or 5 times a power of ten if that is not too wide."""
    least = ceil(last / _MAX_INTERVALS)
    for stride in range(least, 3 * least):
        digits = stride * step / 10 ** floor(log10(stride * step) + _ROUNDING)
        if any(abs(digits - nice) < _ROUNDING for nice in (1.0, 2.0, 2.5, 5.0)):
            return stride
    return least
