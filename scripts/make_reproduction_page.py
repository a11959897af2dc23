"""Copy finished experiments into docs/reproduction and fill docs/reproduction.md with their results.

    python scripts/make_reproduction_page.py reproduction     # the folder of `anchorpbo reproduce --out`
    python scripts/make_reproduction_page.py                  # fill the page only, from docs/reproduction

The script copies figures, summaries, tables and claims, and rebuilds the text between marks in docs/reproduction.md:

    <!-- overview -->                          one row per item of the paper: our finding (findings.toml), the verdict
    <!-- counts -->                            numbers of statements that agree, differ, depend and are open
    <!-- timings -->                           durations of the experiments
    <!-- main/final -->                        a table as written by the command
    <!-- main/claims; paper; Hartmann 3D -->   claims, optionally of one reading or with some words in their text
    <!-- end -->
"""

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

from anchorpbo.research.experiments.registry import EXPERIMENTS
from anchorpbo.research.experiments.verdicts import (
    PAPER_ITEMS,
    READING_NAMES,
    Claim,
    format_counts,
    judge_item,
    judge_items,
    judge_statements,
)
from anchorpbo.research.figures.experiment_report import read_claims
from anchorpbo.research.figures.experiment_tables import tabulate_claims
from anchorpbo.research.figures.text_table import escape_markdown

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESULTS = DOCS / "reproduction"
KEPT_PATTERNS = ("*.parquet", "*.png", "*.pdf", "*.md", "*.json")
MARKED_PART = re.compile(r"<!-- ([a-z0-9/-]+)((?:; [^;\n]+)*) -->\n.*?<!-- end -->", re.DOTALL)


def copy_reports(out: Path) -> None:
    """Copy the reports of all experiments into docs/reproduction."""
    for folder in sorted(path.parent for path in out.glob("*/summary.parquet")):
        target = RESULTS / folder.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for pattern in KEPT_PATTERNS:
            for path in folder.glob(pattern):
                shutil.copyfile(path, target / path.name)


def fill_page(text: str) -> str:
    """Return the page with every marked part rebuilt from docs/reproduction."""
    return MARKED_PART.sub(lambda found: f"<!-- {found[1]}{found[2]} -->\n{_part(found)}\n<!-- end -->", text)


def _part(found: re.Match[str]) -> str:
    name, filters = found[1], [word for word in found[2].split("; ") if word]
    if name in _GENERATED:
        return _GENERATED[name]()
    path = RESULTS / f"{name}.md"
    if not path.exists():  # the experiment was not run yet
        return "\n".join(found[0].splitlines()[1:-1])
    if filters:
        claims = [Claim(**each) for each in json.loads(path.with_suffix(".json").read_text("utf-8"))]
        table = tabulate_claims([claim for claim in claims if _passes(claim, filters)]).to_markdown()
    else:
        table = path.read_text("utf-8")
    return "\n".join(line for line in table.splitlines() if line.startswith("|"))


def _passes(claim: Claim, filters: list[str]) -> bool:
    return all(claim.reading == word if word in READING_NAMES else word in claim.text for word in filters)


def _overview() -> str:
    found = judge_items(read_claims(RESULTS))
    findings = tomllib.loads((RESULTS / "findings.toml").read_text("utf-8"))
    lines = ["| In the paper | It says | We find | Verdict and statements |", "| --- | --- | --- | --- |"]
    for item in PAPER_ITEMS:
        finding = findings[item.where]
        verdict = f"**{judge_item(found[item.where])}**: {format_counts(found[item.where])}"
        cells = (f"[{item.where}](#{finding['section']})", escape_markdown(item.says), finding["found"], verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _counts() -> str:
    claims = read_claims(RESULTS)
    ours = judge_statements([claim for claim in claims if claim.reading == "ours"])
    papers = judge_statements([claim for claim in claims if claim.reading == "paper"]).values()
    return (
        f"**Of {len(papers)} statements of the paper {format_counts(papers)}.** "
        f"Of {len(ours)} other readings of its text (ours, including Figure S5), {format_counts(ours.values())}."
    )


def _timings() -> str:
    lines = ["| Experiment | Runs | Minutes |", "| --- | ---: | ---: |"]
    for name in EXPERIMENTS:
        path = RESULTS / name / "elapsed.json"
        noted = json.loads(path.read_text("utf-8")) if path.exists() else []
        if noted:
            runs, seconds = (sum(each[what] for each in noted) for what in ("runs", "seconds"))
            lines.append(f"| `{name}` | {runs:,} | {seconds / 60:.1f} |")
    return "\n".join(lines)


_GENERATED = {"overview": _overview, "counts": _counts, "timings": _timings}


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        copy_reports(Path(folder))
    page = DOCS / "reproduction.md"
    page.write_text(fill_page(page.read_text("utf-8")), "utf-8")
