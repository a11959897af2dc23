"""The unit of the benchmark: what is measured in one go, kept as one line of the results, and its answers."""

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
"""A line of the results: settings, and what was found."""


@dataclass(frozen=True)
class Measurement(ABC):
    """What to measure. Fields are plain, and become part of the line."""

    section: ClassVar[str]

    @abstractmethod
    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Measure.

        Parameters
        ----------
        pool
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


def is_stopped(answer: Answer) -> bool:
    """Whether a library has had its time, so that more of the same is no use."""
    return answer["status"] == STOPPED or answer.get("error") == UNREADY_ERROR


def find_limit(answer: Answer) -> float:
    """The limit an answer was stopped at."""
    return float(answer["limit"] if answer["status"] == STOPPED else answer["seconds"])


def list_answers(row: Answer) -> Iterator[tuple[str, Answer]]:
    """The answers in a line of the results, each with whose it is."""
    runs = row.get("runs")
    if isinstance(runs, dict):
        yield from ((name, answer) for name, some in runs.items() for answer in some)
    elif runs is not None:
        yield from ((row["section"], answer) for answer in runs)
    elif "status" in row:
        yield str(row.get("contender", row.get("case"))), row


def find_stop_limit(row: Answer) -> float | None:
    """The smallest limit that something in a line was stopped at, or ``None`` where all of it ended."""
    return min((find_limit(answer) for _, answer in list_answers(row) if is_stopped(answer)), default=None)
