"""Where the values of a parameter stand along an axis: numbers by themselves, categories in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.html import cut, shown
from anchorpbo.insight.axes import Axis, log_ticks

_LONGEST = 16


@dataclass(frozen=True)
class Places:
    """Of an axis."""

    axis: Axis

    @property
    def every(self) -> list[float]:
        """Places of the axis's own values."""
        return list(self.axis.values) if self.axis.continuous else [float(i) for i in range(len(self.axis.values))]

    def of(self, value: Any) -> float | None:
        """The place of a value; ``None`` where a long list of categories was thinned out and it is not shown."""
        if self.axis.continuous:
            return float(value)
        return float(self.axis.values.index(value)) if value in self.axis.values else None

    @property
    def labels(self) -> list[str] | None:
        """What to write at each place; ``None`` where numbers do."""
        return None if self.axis.continuous else [cut(shown(value), _LONGEST) for value in self.axis.values]

    @property
    def ticks(self) -> list[float] | None:
        """Where to write numbers along a logarithmic axis; ``None`` where a library knows better."""
        return log_ticks(float(self.axis.values[0]), float(self.axis.values[-1])) if self.axis.log else None

    @property
    def ends(self) -> tuple[float, float]:
        """From where to where the axis reaches, with a little room."""
        if not self.axis.continuous:
            return -0.5, len(self.axis.values) - 0.5
        low, high = (float(self.axis.values[i]) for i in (0, -1))
        if self.axis.log:
            room = (high / low) ** 0.02
            return low / room, high * room
        return low - 0.02 * (high - low), high + 0.02 * (high - low)

    @property
    def edges(self) -> list[float]:
        """Borders of cells around the places, one more than there are."""
        places = np.log(self.every) if self.axis.log else np.array(self.every, dtype=float)
        middle = (places[1:] + places[:-1]) / 2
        ends = [places[0], places[-1]] if self.axis.continuous else [places[0] - 0.5, places[-1] + 0.5]
        borders = np.concatenate([ends[:1], middle, ends[1:]])
        return list((np.exp(borders) if self.axis.log else borders).tolist())
