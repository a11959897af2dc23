"""``anchorpbo bench answers``: run studies with simulated users and write tables and curves."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from rich.console import Console

from anchorpbo.app.cli.execution import execute_tasks, make_backend
from anchorpbo.errors import InputError
from anchorpbo.research.answers import answers_report
from anchorpbo.research.answers.plan import BenchmarkPart, plan_studies
from anchorpbo.research.answers.targets import judge_targets
from anchorpbo.research.experiments.records import RecordStore


def run(
    part: BenchmarkPart,
    out: Path,
    *,
    resume: bool,
    dask: str | None,
    workers: int | None,
    console: Console | None = None,
) -> None:
    """Run the studies without a record, then write tables and figures of all studies in the folder."""
    console = Console(highlight=False, soft_wrap=True) if console is None else console
    if out == Path():  # an empty --out, too
        raise InputError("the results need a separate folder", "the current folder", "write --out answers")
    studies = plan_studies(part)
    backend = make_backend(dask, workers)
    for study in {study.contender: study for study in studies}.values():
        study.prepare()
    store = RecordStore(out, resume=resume)
    console.print(f"{len(studies)} studies of the {part.problem_set} set.")
    began = perf_counter()
    runs = execute_tasks(studies, store, backend, out, console)
    console.print(f"{runs} studies in {(perf_counter() - began) / 60:.1f} minutes.")
    summary = answers_report.read_studies(store, part.problem_set, part.horizon)
    for path in answers_report.write_report(summary, out / part.problem_set):
        console.print(f"  {path}")
    verdicts = [target.met for target in judge_targets(summary)]
    judged = len(verdicts) - verdicts.count(None)
    console.print(f"Targets: {verdicts.count(True)} of {judged} met; {verdicts.count(None)} not judged.")
