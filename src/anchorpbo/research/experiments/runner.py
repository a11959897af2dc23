"""The runner of tasks: tasks run on a backend in any order, and each record is written as soon as its task ends."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from anchorpbo import __version__
from anchorpbo.errors import InputError
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.records import ExperimentRecord, RecordStore, describe_machine


@dataclass(frozen=True, eq=False)
class TaskOutcome:
    """The record or the failure of a task that has ended."""

    task: ExperimentTask
    record: ExperimentRecord | None
    failure: str | None = None
    """The traceback if the task failed."""


class Backend(ABC):
    """Interface for running tasks."""

    @abstractmethod
    def run(self, tasks: Sequence[ExperimentTask]) -> Iterator[TaskOutcome]:
        """Yield each task once, when it ends. Closing the iterator early stops the running tasks."""


def run_task(task: ExperimentTask) -> ExperimentRecord:
    """Run a task in this process and return its record."""
    began = perf_counter()
    # Results must not depend on the number of threads of the machine.
    with one_blas_thread():
        columns = task.run()
    return ExperimentRecord(task, columns, __version__, describe_machine(), perf_counter() - began)


def try_task(task: ExperimentTask) -> tuple[ExperimentRecord | None, str | None]:
    """Run a task and return its record, or the traceback of its error."""
    try:
        return run_task(task), None
    except Exception:
        return None, traceback.format_exc()


class SerialBackend(Backend):
    """The backend that runs tasks in this process, one after the other."""

    def run(self, tasks: Sequence[ExperimentTask]) -> Iterator[TaskOutcome]:
        """Yield the tasks in order."""
        for task in tasks:
            yield TaskOutcome(task, *try_task(task))


def run_tasks(tasks: Sequence[ExperimentTask], store: RecordStore, backend: Backend) -> Iterator[TaskOutcome]:
    """Run the tasks without a record and yield each when its record is on disk.

    A task that fails is yielded with its traceback, and the other tasks continue.
    """
    left = [task for task in dict.fromkeys(tasks) if not store.has(task)]
    for task in left:
        task.prepare()
    ending = backend.run(left)
    try:
        for ended in ending:
            if ended.record is not None:
                if ended.record.version != __version__:
                    rule = f"workers must have anchorpbo {__version__}"
                    raise InputError(rule, ended.record.version, "install the same release everywhere")
                store.put(ended.record)
            yield ended
    finally:
        close = getattr(ending, "close", None)
        if close is not None:
            close()
