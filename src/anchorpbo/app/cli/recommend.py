"""``anchorpbo recommend`` and ``anchorpbo report``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from anchorpbo.app.cli.database import find_study, open_service
from anchorpbo.app.cli.terminal import make_console, print_recommendation
from anchorpbo.app.service.exports import make_file_name
from anchorpbo.study.files import save_text


def recommend(
    db: str | None, study: str, participant: str, risk_weight: float | None, console: Console | None = None
) -> None:
    """Print the recommended design."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        id = find_study(studies, study)
        with console.status("Reading the answers"):
            best = studies.results.recommend(id, participant, risk_weight)
        print_recommendation(console, studies, id, best)


def report(
    db: str | None, study: str, participant: str, out: Path | None, risk_weight: float | None = None,
    console: Console | None = None,
) -> None:  # fmt: skip
    """Write a self-contained HTML report."""
    from anchorpbo.app.report.report import render_report

    console = make_console() if console is None else console
    with open_service(db) as studies:
        id = find_study(studies, study)
        path = Path(make_file_name(studies.show(id).name, id, f"{id}.html")) if out is None else out
        with console.status("Drawing the report"):
            page = render_report(studies, id, participant, risk_weight)
    save_text(path, page)
    console.print(Text(f"Written to {path}; open it in a browser."))
