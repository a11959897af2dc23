"""Memory: the largest a fresh process has held after one whole round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.simulation import simulate_dataset


@dataclass(frozen=True)
class PeakMemory(Measurement):
    """Of one library at one size; without duels, when it is loaded."""

    section = "memory"

    contender: str
    m: int
    d: int

    @property
    def effort(self) -> float:
        """About that of a round, and the time to load."""
        return 3.0 + self.m**2 / 5000.0

    def run(self, workers: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the answer of the process; at the time limit, the memory until then."""
        job: dict[str, Any] = {"do": "load", "contender": self.contender}
        if self.m:
            # Machine code that is not on disk yet would be compiled, at a price in memory that is paid once.
            few = {**job, "do": "step", "step": "round", "given": simulate_dataset(self.d, 4, 0).to_plain()}
            workers.call(self.contender, 1, few)
            job = {**job, "do": "step", "step": "round", "given": simulate_dataset(self.d, self.m, 0).to_plain()}
        return {"limit": workers.limit, **workers.alone(1, job)}
