"""``anchorpbo bench answers``: run studies with simulated users and write tables and curves."""

from __future__ import annotations

from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.answers import answers_report
from anchorpbo.research.answers.plan import BenchmarkPart, plan_studies
from anchorpbo.research.answers.targets import judge_targets


def run(part: BenchmarkPart, options: RunOptions) -> None:
    """Run the studies without a record, then write tables and figures of all studies in the folder."""
    console = make_console()
    store = record_tasks(plan_studies(part), options, console)
    summary = answers_report.read_studies(store, part.problem_set, part.horizon)
    for path in answers_report.write_report(summary, options.out / part.problem_set):
        console.print(f"  {path}")
    verdicts = [target.met for target in judge_targets(summary)]
    judged = len(verdicts) - verdicts.count(None)
    console.print(f"Targets: {verdicts.count(True)} of {judged} met; {verdicts.count(None)} not judged.")
