"""The unit of the benchmark: what is measured in one go, and kept as one line of the results."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from anchorpbo.research.bench.process_pool import BenchmarkPool

Row = dict[str, Any]
"""A line of the results: settings, and what was found."""


@dataclass(frozen=True)
class Measurement(ABC):
    """What to measure. Fields are plain, and become part of the line."""

    section: ClassVar[str]

    @abstractmethod
    def run(self, workers: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Measure.

        Parameters
        ----------
        workers
            Where.
        rows
            What has been found so far.
        """

    @property
    def effort(self) -> float:
        """How long it takes, in any unit; for the time that is left."""
        return 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """What tells it from others."""
        plain: dict[str, Any] = json.loads(json.dumps({"section": self.section, **asdict(self)}))
        return plain

    @property
    def key(self) -> str:
        """A digest of the settings."""
        text = json.dumps(self.settings, sort_keys=True)
        return f"{self.section}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
