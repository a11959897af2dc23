"""An experiment of the paper: its tasks, and the summary and claims computed from their records.

A task is an independent piece of work, such as one study with a simulated user: a frozen dataclass of plain settings.
The settings include the seed and determine the result; neither the order of the tasks nor the process that runs them
matters. The key of a task is a digest of its settings, so experiments that need the same task share its record.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import polars as pl

from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.typing import Array

RecordColumns = Mapping[str, Array | Sequence[Any]]
"""Result of a task: columns of equal length, with one row per round or size."""


@dataclass(frozen=True)
class ExperimentTask(ABC):
    """A task to run. Its fields are numbers, strings, booleans or ``None``, and become columns of the record."""

    kind: ClassVar[str]
    """Kind of task; part of the key."""

    @abstractmethod
    def run(self) -> RecordColumns:
        """Run the task and return its columns."""

    def prepare(self) -> None:  # noqa: B027
        """Fetch the data that the task needs, or raise; called before any task of an experiment starts."""

    @property
    def effort(self) -> float:
        """Relative duration, in any unit shared by the tasks of an experiment; used to estimate the remaining time."""
        return 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the result."""
        return {"kind": self.kind, **asdict(self)}

    @property
    def key(self) -> str:
        """Digest of the settings; names the record."""
        text = json.dumps(self.settings, sort_keys=True, allow_nan=False)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


@dataclass(frozen=True)
class ExperimentSize:
    """Numbers of seeds and rounds to run."""

    seeds: int | None = None
    """Number of runs per setting, each with its own seed; ``None`` for the paper's number."""
    rounds: int | None = None
    """Duels chosen in a run after the initial ones; ``None`` for the paper's number."""
    quick: bool = False
    """Whether the defaults of the two above are small ones that take a few minutes."""

    def __post_init__(self) -> None:
        for name in ("seeds", "rounds"):
            if getattr(self, name) is not None:
                as_integer(name, getattr(self, name), 1)


class Experiment(ABC):
    """An experiment of ``anchorpbo reproduce``; stateless."""

    name: str
    description: str
    """One line for ``--help``."""
    is_divisible: bool = False
    """Whether a subset of its tasks, selected by ``--only``, can be run."""

    @abstractmethod
    def make_tasks(self, size: ExperimentSize) -> Sequence[ExperimentTask]:
        """Return the tasks, ordered so that an unfinished experiment is as useful as possible."""

    @abstractmethod
    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return the small table behind the figures, from the rows of all records."""

    def summarise_final(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return the numbers for the tables; by default the summary."""
        return self.summarise(records)

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Return the paper's claims that this experiment tests, with verdicts."""
        return []
