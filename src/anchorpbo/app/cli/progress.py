"""How far a list of tasks is: a live bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

STEP = 0.05
"""Without a terminal, a line is printed whenever this much more is done."""
_PERIOD = 600.0
"""Seconds over which the speed is averaged: runs of different strategies take different times."""


class Task(Protocol):
    """A piece of work."""

    @property
    def effort(self) -> float:
        """How long it takes, in any unit that all tasks share."""
        ...


class Bar:
    """Advances with every task that ends, by its effort; a context manager. `noun` is what tasks are called."""

    def __init__(self, tasks: Sequence[Task], console: Console, noun: str = "runs") -> None:
        self.noun = noun
        self.console, self.count, self.ended, self.began = console, len(tasks), 0, perf_counter()
        self.effort, self.total = 0.0, sum(task.effort for task in tasks)
        self._said = 0.0
        columns = (TextColumn(noun), BarColumn(), TextColumn("{task.fields[ended]}/{task.fields[count]}"))
        self._progress = Progress(
            *columns,
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            speed_estimate_period=_PERIOD,
            disable=not console.is_terminal or not tasks,
        )
        self._task = self._progress.add_task(noun, total=self.total, ended=0, count=self.count)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self, task: Task) -> None:
        """A task has ended."""
        self.ended, self.effort = self.ended + 1, self.effort + task.effort
        self._progress.update(self._task, advance=task.effort, ended=self.ended)
        share = self.effort / self.total
        if not self.console.is_terminal and (share - self._said >= STEP or self.ended == self.count):
            self._said = share
            elapsed = perf_counter() - self.began
            left = elapsed * (1.0 - share) / share
            self.console.print(f"{self.ended}/{self.count} {self.noun}, {_clock(elapsed)} elapsed, {_clock(left)} left")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
