"""Progress of a list of tasks: a bar on a terminal, occasional lines elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

STEP = 0.05
"""Share of the work between two printed lines, without a terminal."""
_PERIOD = 600.0
"""Seconds over which the speed is averaged, since runs of different strategies take different times."""


class Effort(Protocol):
    """A task with an effort."""

    @property
    def effort(self) -> float:
        """Relative duration, in a unit that all tasks share."""
        ...


class ProgressBar:
    """A progress bar that advances by the effort of each finished task; a context manager."""

    def __init__(self, tasks: Sequence[Effort], console: Console, noun: str = "runs") -> None:
        self.noun = noun
        self.console, self.count, self.ended, self.began = console, len(tasks), 0, perf_counter()
        self.effort, self.total = 0.0, sum(task.effort for task in tasks)
        self._reported = 0.0
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

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self, task: Effort) -> None:
        """Advance by a finished task."""
        self.ended, self.effort = self.ended + 1, self.effort + task.effort
        self._progress.update(self._task, advance=task.effort, ended=self.ended)
        share = self.effort / self.total
        if not self.console.is_terminal and (share - self._reported >= STEP or self.ended == self.count):
            self._reported = share
            elapsed = perf_counter() - self.began
            left = elapsed * (1.0 - share) / share
            self.console.print(f"{self.ended}/{self.count} {self.noun}, {_clock(elapsed)} elapsed, {_clock(left)} left")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
