"""Growth laws: cost = a m^b by least squares in the logarithms, and the step that is steepest beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MIN_FIT_DUELS = 50
"""Duels from which on a law is fitted: below, what does not depend on the duels dominates."""


@dataclass(frozen=True)
class PowerLaw:
    """Cost = factor m^exponent."""

    factor: float
    exponent: float

    def __call__(self, m: float) -> float:
        """Cost of m duels."""
        return float(self.factor * m**self.exponent)


@dataclass(frozen=True)
class CostStep:
    """The steepest step between neighbouring sizes."""

    smaller: int
    larger: int
    ratio: float
    """Cost at the larger over cost at the smaller."""
    expected: float
    """The same by the law."""


def fit_power_law(costs: Mapping[int, float], smallest: int = MIN_FIT_DUELS) -> PowerLaw | None:
    """The law of costs by number of duels; ``None`` where fewer than two sizes count."""
    sizes = sorted(m for m in costs if m >= smallest)
    if len(sizes) < 2:
        return None
    exponent, offset = np.polyfit(np.log(sizes), np.log([costs[m] for m in sizes]), 1)
    return PowerLaw(float(np.exp(offset)), float(exponent))


def find_steepest_step(costs: Mapping[int, float], law: PowerLaw) -> CostStep | None:
    """Where the cost grows most beyond the law, of all neighbouring sizes."""
    sizes = sorted(costs)
    steps = [
        CostStep(small, large, costs[large] / costs[small], law(large) / law(small)) for small, large in pairwise(sizes)
    ]
    return max(steps, key=lambda step: step.ratio / step.expected, default=None)
