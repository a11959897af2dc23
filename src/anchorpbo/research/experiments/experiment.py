"""An experiment of the paper: the tasks it is made of, and the summary and claims made from their records.

A task is one piece of work that needs no other, such as one study with a simulated user: a frozen dataclass of plain
settings. Its result follows from these alone: they hold its seed, and neither the order of the tasks nor the process
that runs one has a say. Its key is a digest of the settings, so that experiments that need the same task share its
record.
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
"""What a task found: columns of equal length, a row a round, a size or whatever it went through."""


@dataclass(frozen=True)
class ExperimentTask(ABC):
    """What to run. Fields are numbers, texts, booleans or ``None``, and become columns of the record."""

    kind: ClassVar[str]
    """What sort of task it is; part of the key."""

    @abstractmethod
    def run(self) -> RecordColumns:
        """Do the work."""

    def prepare(self) -> None:  # noqa: B027
        """Fetch what the task needs, or raise; called before any task of an experiment starts."""

    @property
    def effort(self) -> float:
        """How long it takes, in any unit that the tasks of an experiment share; for the time that is left."""
        return 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """All that the result follows from."""
        return {"kind": self.kind, **asdict(self)}

    @property
    def key(self) -> str:
        """The name of its record."""
        text = json.dumps(self.settings, sort_keys=True, allow_nan=False)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


@dataclass(frozen=True)
class ExperimentSize:
    """How much of an experiment to run."""

    seeds: int | None = None
    """Runs that differ in nothing but the seed; ``None`` for as many as the paper has."""
    rounds: int | None = None
    """Duels chosen in a run, after those to start with; ``None`` for as many as the paper has."""
    quick: bool = False
    """A few minutes' worth instead of the paper's size, where the two above do not say."""

    def __post_init__(self) -> None:
        for name in ("seeds", "rounds"):
            if getattr(self, name) is not None:
                as_integer(name, getattr(self, name), 1)


class Experiment(ABC):
    """One name of ``anchorpbo reproduce``; stateless."""

    name: str
    description: str
    """One line for ``--help``."""
    is_divisible: bool = False
    """Whether it means something with some of its tasks alone, as ``--only`` chooses them."""

    @abstractmethod
    def make_tasks(self, size: ExperimentSize) -> Sequence[ExperimentTask]:
        """What to run, in an order in which an unfinished experiment is of most use."""

    @abstractmethod
    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """The numbers behind the figures and tables, from the rows of all records; small."""

    def summarise_final(self, records: pl.DataFrame) -> pl.DataFrame:
        """The numbers behind the tables; by default the summary."""
        return self.summarise(records)

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """The paper's claims that this experiment bears on."""
        return []
