"""An experiment of the paper: the tasks it is made of, and what their records amount to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.experiments.paper import Claim
from anchorpbo.research.experiments.task import Task


@dataclass(frozen=True)
class Size:
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
    about: str
    """One line for ``--help``."""
    divisible: bool = False
    """Whether it means something with some of its tasks alone, as ``--only`` chooses them."""

    @abstractmethod
    def tasks(self, size: Size) -> Sequence[Task]:
        """What to run, in an order in which an unfinished experiment is of most use."""

    @abstractmethod
    def summary(self, records: pl.DataFrame) -> pl.DataFrame:
        """The numbers behind the figures and tables, from the rows of all records; small."""

    def final(self, records: pl.DataFrame) -> pl.DataFrame:
        """The numbers behind the tables; by default the summary."""
        return self.summary(records)

    def claims(self, records: pl.DataFrame) -> list[Claim]:
        """The paper's claims that this experiment bears on."""
        return []
