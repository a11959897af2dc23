"""Positions of the values of a parameter along an axis: numbers at their value, categories evenly spaced."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from anchorpbo.analysis.axes import Axis, log_ticks
from anchorpbo.formatting import format_value, truncate

_MAX_LABEL_LETTERS, _MAX_LABELS = 16, 12
"""Largest number of letters of a label, and of labels of an axis."""


@dataclass(frozen=True)
class AxisPositions:
    """Positions, ticks and labels of the values of an axis."""

    axis: Axis

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
        """Positions of the ticks of categories and logarithmic axes; ``None`` for the library's own ticks."""
        if not self.axis.continuous:
            return self.every[:: ceil(len(self.axis.values) / _MAX_LABELS)]
        return log_ticks(float(self.axis.values[0]), float(self.axis.values[-1])) if self.axis.log else None

    @property
    def labels(self) -> list[str] | None:
        """Labels of the ticks of categories; ``None`` for numbers."""
        if self.axis.continuous:
            return None
        return [truncate(format_value(self.axis.values[int(place)]), _MAX_LABEL_LETTERS) for place in self.ticks or ()]

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
