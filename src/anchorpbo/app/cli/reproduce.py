"""``anchorpbo reproduce``: run an experiment of the paper and write its report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from anchorpbo import __version__
from anchorpbo.app.cli.execution import RunOptions, execute_tasks, make_console
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask
from anchorpbo.research.experiments.records import RecordStore, describe_machine
from anchorpbo.research.experiments.registry import EXPERIMENTS, plan_tasks
from anchorpbo.research.experiments.runner import Backend
from anchorpbo.research.experiments.verdicts import format_counts
from anchorpbo.research.figures import experiment_report
from anchorpbo.research.figures.output_files import write_files


def run(name: str, size: ExperimentSize, only: Sequence[str], options: RunOptions) -> None:
    """Run the tasks without a record, then write figures, tables and claims for each experiment."""
    console, out = make_console(), options.out
    plans = plan_tasks(name, size, only)
    backend = options.make_backend()
    # Data sets are found or downloaded before anything starts.
    for task in {task for tasks in plans.values() for task in tasks}:
        task.prepare()
    store = RecordStore(out, resume=options.resume)
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
    runs = execute_tasks(tasks, store, backend, folder, console)
    elapsed = perf_counter() - began
    _note(folder, runs, elapsed)
    written = experiment_report.write_report(experiment, store.read(tasks), folder)
    console.print(f"{runs} runs in {elapsed / 60:.1f} minutes.")
    for path in written.files:
        console.print(f"  {path}")
    for reading, words in (("paper", "The paper's claims"), ("ours", "Our readings")):
        verdicts = [claim.verdict for claim in written.claims if claim.reading == reading]
        if verdicts:
            console.print(f"{words}: {format_counts(verdicts)}.")


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
