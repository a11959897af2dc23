"""Fill docs/answers.md with the results of ``anchorpbo bench answers`` and ``anchorpbo bench people``.

    anchorpbo bench answers --set confirmation --out answers
    anchorpbo bench people --out people
    python scripts/make_answers_page.py answers/confirmation people/people

The reports of the folders are copied to benchmarks/answers; without a folder, that copy is used. Studies of several
folders are put together; of two runs of a study (same problem, judge, placement, contender and seed) the longer one
counts, else that of the later folder. To add studies to the copy, make it the first folder:

    anchorpbo bench answers --set confirmation --first-seed 20 --seeds 10 --out more
    python scripts/make_answers_page.py benchmarks/answers more/confirmation

Each part is computed from benchmarks/answers/studies.parquet or benchmarks/answers/people/*.csv and put between its
marks in docs/answers.md:

    <!-- answers/areas -->
    (the table)
    <!-- end -->

A part without results is left unchanged.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from anchorpbo.research.answers.answers_report import STUDIES_FILE, merge_studies, render_tables, write_report
from anchorpbo.research.answers.plan import SEEDS
from anchorpbo.research.people.people_report import (
    PEOPLE_FOLDER,
    add_to_report,
    read_summaries,
    render_people_tables,
)

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "answers.md", ROOT / "benchmarks" / "answers"
MARKED_PART = re.compile(r"<!-- answers/([a-z-]+) -->\n.*?<!-- end -->", re.DOTALL)
PICTURES = {
    "judges": "Mean share against answers, by judge",
    "placements": "Mean share of the default preset with and without anchors",
    "problems-sure": "Mean share against answers by problem, sure judge",
    "problems-linear": "Mean share against answers by problem, linear judge",
}
NO_LOSSES = "In no setting does the 95 % interval of a paired difference of area lie below 0."


def copy_reports(sources: Sequence[Path], folder: Path = RESULTS) -> None:
    """Write the studies of all sources, put together, and the results with real people to a folder."""
    studies = []
    for source in sources:
        if (source / STUDIES_FILE).exists():
            studies.append(pl.read_parquet(source / STUDIES_FILE))
        elif summaries := read_summaries(source):
            add_to_report(summaries, folder / PEOPLE_FOLDER)
        else:
            sys.exit(f"{source} must be the report of a benchmark, with {STUDIES_FILE} or predictions.csv")
    if studies:
        write_report(merge_studies(studies), folder)


def describe_extent(studies: pl.DataFrame) -> str:
    """Return how much of the benchmark has been run, in a sentence."""
    seeds = studies.group_by("judge", "placement", "contender").agg(pl.col("seed").n_unique())["seed"]
    low, high = int(seeds.to_numpy().min()), int(seeds.to_numpy().max())
    extent = f"{low}" if low == high else f"{low} to {high}"
    return (
        f"The tables cover {studies.height} studies, with {extent} of {SEEDS} seeds per contender, judge and placement."
    )


def make_parts(folder: Path = RESULTS) -> dict[str, str]:
    """Return the text of each marked part, by name; empty if there are no results."""
    tables = render_people_tables(read_summaries(folder / PEOPLE_FOLDER))
    if (folder / STUDIES_FILE).exists():
        studies = pl.read_parquet(folder / STUDIES_FILE)
        tables |= {"extent": describe_extent(studies), "losses": NO_LOSSES, **render_tables(studies)}
    found = {name: text.strip() for name, text in tables.items()}
    for name, title in PICTURES.items():
        if (folder / f"{name}.png").exists():
            found[f"{name}-picture"] = f"![{title}](../benchmarks/answers/{name}.png)"
    return found


def fill_page(text: str, folder: Path = RESULTS) -> str:
    """Return the page with every part rebuilt from the results."""
    known = make_parts(folder)

    def fill(match: re.Match[str]) -> str:
        return f"<!-- answers/{match[1]} -->\n{known[match[1]]}\n<!-- end -->" if match[1] in known else match[0]

    return MARKED_PART.sub(fill, text)


if __name__ == "__main__":
    copy_reports([Path(argument) for argument in sys.argv[1:]])
    PAGE.write_text(fill_page(PAGE.read_text("utf-8")), "utf-8")
