"""``anchorpbo audit``: findings about the answers and the anchors of a study."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anchorpbo.app.cli.database import find_study, open_service
from anchorpbo.app.cli.terminal import make_console
from anchorpbo.app.service.views.trust import AnchorValidationView, AuditView
from anchorpbo.study import Optimizer


def audit(db: str | None, study: str, participant: str, *, as_json: bool, console: Console | None = None) -> None:
    """Print the findings about the answers of a study in the database, or in a file that `Optimizer.save` wrote."""
    console = make_console() if console is None else console
    with console.status("Checking the answers"):
        found, anchors = _read_audit(db, study, participant)
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"anchors": asdict(anchors)}, indent=1, allow_nan=False))
        return
    for number, text in enumerate(anchors.paragraphs):
        console.print(Text(text, "" if number else "bold"))
    if anchors.paragraphs:
        console.print()
    console.print(Text(found.sentence, "bold"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("finding", "result", "in words"):
        table.add_column(heading, overflow="fold")
    for one in found.findings:
        style = "bold" if one.level == "warning" else "dim" if one.level == "unknown" else ""
        table.add_row(Text(one.title, style), Text(one.level_text, style), Text(one.sentence, style))
    console.print(table, soft_wrap=False)


def _read_audit(db: str | None, study: str, participant: str) -> tuple[AuditView, AnchorValidationView]:
    if study.endswith(".json") and Path(study).is_file():
        optimizer = Optimizer.load(study)
        return AuditView.from_audit(optimizer.audit()), AnchorValidationView.from_optimizer(optimizer)
    with open_service(db) as studies:
        id = find_study(studies, study)
        return studies.results.audit(id, participant), studies.results.validate_anchors(id, participant)
