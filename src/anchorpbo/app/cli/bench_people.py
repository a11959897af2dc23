"""``anchorpbo bench people``: predict and replay recorded answers of real people, and write tables."""

from __future__ import annotations

from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.people import people_report
from anchorpbo.research.people.people_plan import PeoplePart, plan_people


def run(part: PeoplePart, options: RunOptions) -> None:
    """Run the tasks without a record, then write tables of all records in the folder."""
    console = make_console()
    store = record_tasks(plan_people(part), options, console)
    summaries = people_report.summarise_people(store, part.answers)
    for path in people_report.write_people_report(summaries, options.out / people_report.PEOPLE_FOLDER):
        console.print(f"  {path}")
