"""When a Gibbs chain keeps a draw, and whether it ran long enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anchorpbo.numerics.chains import effective_sample_size
from anchorpbo.numerics.validation import as_integer
from anchorpbo.typing import Array, IntArray

ENOUGH = 20.0
"""Effective samples from which a chain counts as converged: it has forgotten its start many times over. Traces of fewer
are too short to tell a slow chain from a fast one."""

LEAST, MOST = 100, 1600
"""Sweeps at first, and at most, of a chain that stops when it counts as converged."""

_MOST_WATCHED = 16


@dataclass(frozen=True)
class Schedule:
    """Keep the state after `sweeps` sweeps, or when the chain has settled, and then every `thin`: `draws` in all."""

    sweeps: int | None
    draws: int
    thin: int

    def __post_init__(self) -> None:
        for name in ("sweeps", "draws", "thin"):
            if getattr(self, name) is not None or name != "sweeps":
                as_integer(name, getattr(self, name), 1)

    def watched(self, slowness: Array) -> IntArray:
        """Which coordinates to trace, of (m,): those expected to move the slowest."""
        return np.argsort(-slowness, kind="stable")[:_MOST_WATCHED]

    def settle(self, advance: Callable[[int], Array]) -> tuple[Array, float]:
        """Take the chain to its first draw; gives the trace of its sweeps, and how many draws it is worth.

        Without a number of sweeps the chain is made twice as long until it counts as converged. Only whether to go on
        depends on where it has been, over many times the sweeps after which it forgets that.
        """
        trace = advance(LEAST if self.sweeps is None else self.sweeps)
        effective = _worth(trace)
        while self.sweeps is None and effective < ENOUGH and len(trace) < MOST:
            trace = np.concatenate([trace, advance(len(trace))])
            effective = _worth(trace)
        return trace, effective

    def effective_samples(self, trace: Array) -> float:
        """What the draws are worth in independent ones; of a single draw, what its chain is."""
        # Of many draws no more count than are kept; one draw is judged by how long its chain was.
        return min(_worth(trace), float(self.draws)) if self.draws > 1 else _worth(trace)

    def long_enough(self, effective: float) -> bool:
        """Whether the chain counts as converged."""
        return effective >= (min(ENOUGH, 0.5 * self.draws) if self.draws > 1 else ENOUGH)


def _worth(trace: Array) -> float:
    """The smallest over the traced coordinates, the first tenth left out as still near the start."""
    settled = trace[len(trace) // 10 :]
    return float(np.min(effective_sample_size(settled))) if settled.shape[1] else float(len(settled))
