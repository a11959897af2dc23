"""Execution of research tasks with a progress bar: options, backends, interrupts and failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rich.console import Console

from anchorpbo.app.cli.progress import ProgressBar
from anchorpbo.errors import IncompatibleError, InputError, RunError
from anchorpbo.research.experiments.dask_backend import DaskBackend
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.process_backend import ProcessBackend
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.runner import Backend, TaskOutcome, run_tasks
from anchorpbo.research.figures.output_files import write_files


@dataclass(frozen=True)
class RunOptions:
    """Where tasks run and where their records are."""

    out: Path
    """Folder of records and reports."""
    resume: bool = False
    """Whether to keep the records in the folder and run the missing tasks."""
    workers: int | None = None
    """Number of worker processes; by default one per core."""
    dask: str | None = None
    """Address of a Dask scheduler, instead of worker processes."""

    def make_backend(self) -> Backend:
        """Return worker processes, or the cluster of the Dask scheduler."""
        if self.dask is not None and self.workers is not None:
            raise IncompatibleError(
                "--workers must not be given for a cluster", "--workers and --dask", "leave one of them out"
            )
        return ProcessBackend(self.workers) if self.dask is None else DaskBackend(self.dask)


def make_console() -> Console:
    """Return a console for progress and paths of files: lines are not wrapped."""
    return Console(highlight=False, soft_wrap=True)


def record_tasks(tasks: Sequence[ExperimentTask], options: RunOptions, console: Console) -> RecordStore:
    """Run the tasks without a record and return all records of the folder."""
    if options.out == Path():  # an empty --out, too
        raise InputError("the results need a separate folder", "the current folder", "write --out results")
    backend = options.make_backend()
    # Missing data or libraries are reported before the folder is created.
    for task in tasks:
        task.prepare()
    store = RecordStore(options.out, resume=options.resume)
    console.print(f"{len(tasks)} runs.")
    began = perf_counter()
    runs = execute_tasks(tasks, store, backend, options.out, console)
    console.print(f"{runs} runs in {(perf_counter() - began) / 60:.1f} minutes.")
    return store


def execute_tasks(
    tasks: Sequence[ExperimentTask], store: RecordStore, backend: Backend, folder: Path, console: Console
) -> int:
    """Run the tasks without a record and return their number; if some fail, write ``failures.txt`` and raise."""
    left = [task for task in tasks if not store.has(task)]
    if len(left) < len(tasks):
        console.print(f"{len(tasks) - len(left)} of {len(tasks)} runs are done already.")
    failures = _execute(left, store, backend, console)
    if failures:
        text = "\n".join(f"{ended.task.settings}\n{ended.failure}" for ended in failures)
        write_files({folder / "failures.txt": text.encode()})
        rule, remedy = (
            "every run must end with a record",
            f"see {folder / 'failures.txt'}, then run again with --resume",
        )
        last = (failures[0].failure or "").strip().splitlines()[-1]
        raise RunError(rule, f"{len(failures)} of {len(tasks)} failed, one of them with {last}", remedy)
    return len(left)


def _execute(
    tasks: Sequence[ExperimentTask], store: RecordStore, backend: Backend, console: Console
) -> list[TaskOutcome]:
    """Run tasks and return those that failed."""
    failures, ended = [], 0
    try:
        with ProgressBar(tasks, console) as bar:
            for each in run_tasks(tasks, store, backend):
                bar.advance(each.task)
                failures += [each] if each.failure else []
                ended += 1
    except KeyboardInterrupt:
        remedy = "the finished ones are kept; continue with --resume"
        raise RunError("all runs must end", f"an interrupt after {ended} of {len(tasks)}", remedy) from None
    return failures
