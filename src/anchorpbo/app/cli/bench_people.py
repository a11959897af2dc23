"""``anchorpbo bench people``: predict and replay recorded answers of real people, and write tables."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from rich.console import Console

from anchorpbo.app.cli.execution import execute_tasks, make_backend
from anchorpbo.errors import InputError
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.people import people_report
from anchorpbo.research.people.people_plan import PeoplePart, plan_people


def run(
    part: PeoplePart,
    out: Path,
    *,
    resume: bool,
    dask: str | None,
    workers: int | None,
    console: Console | None = None,
) -> None:
    """Run the tasks without a record, then write tables of all records in the folder."""
    console = Console(highlight=False, soft_wrap=True) if console is None else console
    if out == Path():  # an empty --out, too
        raise InputError("the results need a separate folder", "the current folder", "write --out people")
    tasks = plan_people(part)
    backend = make_backend(dask, workers)
    for task in tasks:
        task.prepare()
    store = RecordStore(out, resume=resume)
    began = perf_counter()
    runs = execute_tasks(tasks, store, backend, out, console)
    console.print(f"{runs} tasks in {(perf_counter() - began) / 60:.1f} minutes.")
    summaries = people_report.summarise_people(store, part.answers)
    for path in people_report.write_people_report(summaries, out / people_report.PEOPLE_FOLDER):
        console.print(f"  {path}")
