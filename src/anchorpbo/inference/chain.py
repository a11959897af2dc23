"""When a Gibbs chain keeps a draw, and whether it ran long enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.numerics.chains import effective_sample_size
from anchorpbo.numerics.checks import whole
from anchorpbo.typing import Array, IntArray

ENOUGH = 20.0
"""Effective samples from which a chain counts as converged: it has forgotten its start many times over."""

_MOST_WATCHED = 32


@dataclass(frozen=True)
class Schedule:
    """Keep the state after `sweeps` sweeps, and then every `thin`, until there are `draws`."""

    sweeps: int
    draws: int
    thin: int

    def __post_init__(self) -> None:
        for name in ("sweeps", "draws", "thin"):
            whole(name, getattr(self, name), 1)

    @property
    def total(self) -> int:
        """Sweeps in all."""
        return self.sweeps + (self.draws - 1) * self.thin

    def watched(self, coordinates: int) -> IntArray:
        """Which coordinates to trace: all of a few, an even choice of many."""
        return np.unique(np.linspace(0, coordinates - 1, min(coordinates, _MOST_WATCHED)).astype(np.intp))

    def effective_samples(self, trace: Array) -> float:
        """The smallest over the traced coordinates, its first tenth left out as still near the start."""
        settled = trace[len(trace) // 10 :]
        effective = float(np.min(effective_sample_size(settled))) if settled.shape[1] else float(len(settled))
        # Of many draws no more count than are kept; one draw is judged by how long its chain was.
        return min(effective, float(self.draws)) if self.draws > 1 else effective

    def long_enough(self, effective: float) -> bool:
        """Whether the chain counts as converged."""
        return effective >= (min(ENOUGH, 0.5 * self.draws) if self.draws > 1 else ENOUGH)
