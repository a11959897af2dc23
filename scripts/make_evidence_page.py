"""Fill docs/evidence.md with the results of ``anchorpbo bench anchors`` and ``anchorpbo bench people``.

    anchorpbo bench anchors --out anchors
    anchorpbo bench people --studies agreement,contradictions,population,persons --out people
    python scripts/make_evidence_page.py anchors/anchors people/people

The reports of the folders are added to benchmarks/answers/anchors and benchmarks/answers/people; without a folder,
these copies are used. Each part is computed from their CSV files and put between its marks in docs/evidence.md:

    <!-- evidence/anchors-validation -->
    (the table)
    <!-- end -->

A part without results is left unchanged.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from anchorpbo.research.anchors.anchors_report import (
    FIGURES,
    add_to_anchors_report,
    read_anchors_summaries,
    render_tables,
)
from anchorpbo.research.people.people_report import (
    AGREEMENT_FIGURE,
    add_to_report,
    read_summaries,
    render_evidence_tables,
)

ROOT = Path(__file__).resolve().parents[1]
PAGE, BENCHMARKS = ROOT / "docs" / "evidence.md", ROOT / "benchmarks" / "answers"
RESULTS, ANCHORS = BENCHMARKS / "people", BENCHMARKS / "anchors"
MARKED_PART = re.compile(r"<!-- evidence/([a-z-]+) -->\n.*?<!-- end -->", re.DOTALL)
PICTURE = "people-agreement-picture"
ANCHOR_PICTURES = {f"anchors-{name}-picture": (name, title) for name, (_, title, _) in FIGURES.items()}
"""File and title of each figure of simulated experts, by the name of its mark."""


def copy_reports(sources: Sequence[Path], people: Path = RESULTS, anchors: Path = ANCHORS) -> None:
    """Add the results of all sources to the folders of their benchmarks."""
    for source in sources:
        of_people, of_anchors = read_summaries(source), read_anchors_summaries(source)
        if of_people:
            add_to_report(of_people, people)
        elif of_anchors:
            add_to_anchors_report(of_anchors, anchors)
        else:
            sys.exit(f"{source} must be the report of a benchmark, with files such as agreement.csv or validation.csv")


def make_parts(people: Path = RESULTS, anchors: Path = ANCHORS) -> dict[str, str]:
    """Return the text of each marked part, by name; empty if there are no results."""
    tables = {f"people-{name}": text for name, text in render_evidence_tables(read_summaries(people)).items()}
    tables |= {f"anchors-{name}": text for name, text in render_tables(read_anchors_summaries(anchors)).items()}
    found = {name: text.strip() for name, text in tables.items()}
    if (people / f"{AGREEMENT_FIGURE}.png").exists():
        title = "Predicted against observed agreement of repeated answers"
        found[PICTURE] = f"![{title}](../benchmarks/answers/people/{AGREEMENT_FIGURE}.png)"
    for mark, (name, title) in ANCHOR_PICTURES.items():
        if (anchors / f"{name}.png").exists():
            found[mark] = f"![{title}](../benchmarks/answers/anchors/{name}.png)"
    return found


def fill_page(text: str, people: Path = RESULTS, anchors: Path = ANCHORS) -> str:
    """Return the page with every part rebuilt from the results."""
    known = make_parts(people, anchors)

    def fill(match: re.Match[str]) -> str:
        return f"<!-- evidence/{match[1]} -->\n{known[match[1]]}\n<!-- end -->" if match[1] in known else match[0]

    return MARKED_PART.sub(fill, text)


if __name__ == "__main__":
    copy_reports([Path(argument) for argument in sys.argv[1:]])
    PAGE.write_text(fill_page(PAGE.read_text("utf-8")), "utf-8")
