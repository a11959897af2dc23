"""A measurement, the unit of the benchmark: one row of the results with the answers of its worker processes."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from anchorpbo.research.bench.benchmark_worker import Answer
from anchorpbo.research.bench.process_pool import STOPPED, UNREADY_ERROR, BenchmarkPool

Row = dict[str, Any]
"""A row of the results: settings and measured numbers."""


@dataclass(frozen=True)
class Measurement(ABC):
    """One measurement. Its fields are plain data and become part of its row of the results."""

    section: ClassVar[str]

    @abstractmethod
    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Measure, and return the numbers of the row.

        Parameters
        ----------
        pool
            Worker processes.
        rows
            Rows measured so far.
        """

    @property
    def effort(self) -> float:
        """Relative duration, in any unit; used to estimate the remaining time."""
        return 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """The fields and the section, as plain data."""
        plain: dict[str, Any] = json.loads(json.dumps({"section": self.section, **asdict(self)}))
        return plain

    @property
    def key(self) -> str:
        """A digest of the settings."""
        text = json.dumps(self.settings, sort_keys=True)
        return f"{self.section}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_stopped(answer: Answer) -> bool:
    """Return whether an answer was stopped at the time limit, during the step or its preparation."""
    return answer["status"] == STOPPED or answer.get("error") == UNREADY_ERROR


def find_limit(answer: Answer) -> float:
    """Return the time limit, in seconds, at which an answer was stopped."""
    return float(answer["limit"] if answer["status"] == STOPPED else answer["seconds"])


def list_answers(row: Answer) -> Iterator[tuple[str, Answer]]:
    """Yield (name, answer) for each answer of a row; the name is that of its library, section or case."""
    runs = row.get("runs")
    if isinstance(runs, dict):
        yield from ((name, answer) for name, some in runs.items() for answer in some)
    elif runs is not None:
        yield from ((row["section"], answer) for answer in runs)
    elif "status" in row:
        yield str(row.get("contender", row.get("case"))), row


def find_stop_limit(row: Answer) -> float | None:
    """Return the smallest limit at which an answer of a row was stopped, or ``None`` if all finished."""
    return min((find_limit(answer) for _, answer in list_answers(row) if is_stopped(answer)), default=None)
