"""Growth: sizes beyond a usual study, this library alone, each in a fresh process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.process_pool import BenchmarkPool


@dataclass(frozen=True)
class GrowthCase(Measurement):
    """A case of ``cases.py``."""

    section = "growth"

    case: str
    quick: bool

    @property
    def effort(self) -> float:
        """About half a minute."""
        return 2.0 if self.quick else 20.0

    def run(self, workers: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the answer of the process: ``{"found": {name: number}, "megabytes": ...}``."""
        job = {"do": "growth", "case": self.case, "quick": self.quick}
        return {"limit": workers.limit, **workers.alone(1, job)}
