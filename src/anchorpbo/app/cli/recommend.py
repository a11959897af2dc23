"""``anchorpbo recommend`` and ``anchorpbo report``: what the answers so far amount to."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from anchorpbo.app.cli.looks import make_console, print_recommendation
from anchorpbo.app.cli.opening import found, opened
from anchorpbo.study.files import save_text


def recommend(
    db: str | None, study: str, participant: str, risk_weight: float | None, console: Console | None = None
) -> None:
    """Print the design to take."""
    console = make_console() if console is None else console
    with opened(db) as studies:
        id = found(studies, study)
        with console.status("Reading the answers"):
            best = studies.recommendation(id, participant, risk_weight)
        print_recommendation(console, studies, id, best)


def report(
    db: str | None, study: str, participant: str, out: Path | None, risk_weight: float | None = None,
    console: Console | None = None,
) -> None:  # fmt: skip
    """Write a page that needs nothing else."""
    from anchorpbo.app.report.report import report_html

    console = make_console() if console is None else console
    with opened(db) as studies:
        id = found(studies, study)
        path = Path(f"study-{id}.html") if out is None else out
        with console.status("Drawing the report"):
            page = report_html(studies, id, participant, risk_weight)
    save_text(path, page)
    console.print(Text(f"Written to {path}; open it in a browser."))
