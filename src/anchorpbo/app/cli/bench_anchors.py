"""``anchorpbo bench anchors``: run the studies of anchors, noise maps and the audit, and write tables."""

from __future__ import annotations

from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.anchors import anchors_report
from anchorpbo.research.anchors.anchors_plan import AnchorsPart, plan_anchors


def run(part: AnchorsPart, options: RunOptions) -> None:
    """Run the tasks without a record, then write tables of all records in the folder."""
    console = make_console()
    store = record_tasks(plan_anchors(part), options, console)
    summaries = anchors_report.summarise_anchors(store)
    for path in anchors_report.write_anchors_report(summaries, options.out / anchors_report.ANCHORS_FOLDER):
        console.print(f"  {path}")
