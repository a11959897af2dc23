"""``anchorpbo reproduce``: run an experiment of the paper and write its report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from anchorpbo import __version__
from anchorpbo.app.cli.progress import ProgressBar
from anchorpbo.errors import IncompatibleError, RunError
from anchorpbo.research.experiments.dask_backend import DaskBackend
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask
from anchorpbo.research.experiments.process_backend import ProcessBackend
from anchorpbo.research.experiments.records import RecordStore, describe_machine
from anchorpbo.research.experiments.registry import EXPERIMENTS, plan_tasks
from anchorpbo.research.experiments.runner import Backend, TaskOutcome, run_tasks
from anchorpbo.research.experiments.verdicts import format_counts
from anchorpbo.research.figures import experiment_report
from anchorpbo.research.figures.output_files import write_files


def run(
    name: str,
    size: ExperimentSize,
    only: Sequence[str],
    out: Path,
    *,
    resume: bool,
    dask: str | None,
    workers: int | None,
    console: Console | None = None,
) -> None:
    """Run the tasks without a record, then write figures, tables and claims for each experiment."""
    console = Console(highlight=False, soft_wrap=True) if console is None else console
    plans = plan_tasks(name, size, only)
    if dask is not None and workers is not None:
        raise IncompatibleError(
            "--workers must not be given for a cluster", "--workers and --dask", "leave one of them out"
        )
    backend: Backend = ProcessBackend(workers) if dask is None else DaskBackend(dask)
    # Data sets are found or downloaded before anything starts.
    for task in {task for tasks in plans.values() for task in tasks}:
        task.prepare()
    store = RecordStore(out, resume=resume)
    for each, tasks in plans.items():
        console.print(f"\n[bold]{each}[/bold]: {EXPERIMENTS[each].description} {len(tasks)} runs.")
        # A part of an experiment gets a separate report, so that it does not overwrite the full one.
        folder = out / "-".join([each, *sorted(set(only))])
        _reproduce(EXPERIMENTS[each], tasks, store, folder, backend, console)
    written = experiment_report.write_overview(out)
    if written:
        console.print(f"The paper, item by item: {written[0]}")


def list_experiments(console: Console | None = None) -> None:
    """Print a table of the experiments and their numbers of runs."""
    table = Table("name", "description", "runs", "runs with --quick", box=None, pad_edge=False)
    for name, experiment in EXPERIMENTS.items():
        sizes = (len(experiment.make_tasks(size)) for size in (ExperimentSize(), ExperimentSize(quick=True)))
        table.add_row(name, experiment.description, *map(str, sizes))
    (Console(highlight=False) if console is None else console).print(table)


def _reproduce(
    experiment: Experiment,
    tasks: Sequence[ExperimentTask],
    store: RecordStore,
    folder: Path,
    backend: Backend,
    console: Console,
) -> None:
    began = perf_counter()
    left = [task for task in tasks if not store.has(task)]
    if len(left) < len(tasks):
        console.print(f"{len(tasks) - len(left)} of {len(tasks)} runs are done already.")
    failures = _execute(left, store, backend, console)
    elapsed = perf_counter() - began
    if failures:
        text = "\n".join(f"{ended.task.settings}\n{ended.failure}" for ended in failures)
        write_files({folder / "failures.txt": text.encode()})
        rule, remedy = (
            "every run must end with a record",
            f"see {folder / 'failures.txt'}, then run again with --resume",
        )
        last = (failures[0].failure or "").strip().splitlines()[-1]
        raise RunError(rule, f"{len(failures)} of {len(tasks)} failed, one of them with {last}", remedy)
    _note(folder, len(left), elapsed)
    written = experiment_report.write_report(experiment, store.read(tasks), folder)
    console.print(f"{len(left)} runs in {elapsed / 60:.1f} minutes.")
    for path in written.files:
        console.print(f"  {path}")
    for reading, words in (("paper", "The paper's claims"), ("ours", "Our readings")):
        verdicts = [claim.verdict for claim in written.claims if claim.reading == reading]
        if verdicts:
            console.print(f"{words}: {format_counts(verdicts)}.")


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


def _note(folder: Path, runs: int, elapsed: float) -> None:
    """Append the number of runs and their time to ``elapsed.json``."""
    path = folder / "elapsed.json"
    try:
        noted = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        noted = []
    if runs:
        noted.append(
            {"runs": runs, "seconds": round(elapsed, 1), "version": __version__, "machine": describe_machine()}
        )
        write_files({path: json.dumps(noted, indent=1).encode()})
