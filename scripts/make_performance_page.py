"""Fill docs/performance.md with the results of the benchmark.

    anchorpbo bench --out benchmarks
    python scripts/make_performance_page.py

Each table is computed from benchmarks/results.jsonl and put between its marks in docs/performance.md:

    <!-- bench/whole -->
    (the table)
    <!-- end -->

A part without results is left unchanged.
"""

import json
import re
from pathlib import Path

from anchorpbo.research.bench.benchmark_report import format_headline, render_tables
from anchorpbo.research.bench.results import MACHINE_FILE, RESULTS_FILE, format_machine, read_rows
from anchorpbo.research.figures.text_table import escape_markdown

ROOT = Path(__file__).resolve().parents[1]
PAGE, BENCHMARKS = ROOT / "docs" / "performance.md", ROOT / "benchmarks"
MARKED_PART = re.compile(r"<!-- bench/([a-z-]+) -->\n.*?<!-- end -->", re.DOTALL)
PICTURES = {
    "rounds-picture": "![Cost against duels](../benchmarks/rounds.png)",
    "ratios-picture": "![Time of BoTorch over time of anchorpbo](../benchmarks/ratios.png)",
}


def make_parts(folder: Path = BENCHMARKS) -> dict[str, str]:
    """Return the text of each marked part, by name."""
    rows = read_rows(folder / RESULTS_FILE)
    found = {name: _without_title(text) for name, text in render_tables(rows).items()}
    main_numbers = format_headline(rows)
    if main_numbers is not None:
        found["headline"] = escape_markdown(main_numbers)
    machine = folder / MACHINE_FILE
    if machine.exists():
        found["machine"] = escape_markdown(format_machine(json.loads(machine.read_text("utf-8"))))
    for name, text in PICTURES.items():
        if (folder / f"{name.partition('-')[0]}.png").exists():
            found[name] = text
    return found


def fill_page(text: str, folder: Path = BENCHMARKS) -> str:
    """Return the page with every part rebuilt from the results."""
    known = make_parts(folder)

    def fill(match: re.Match[str]) -> str:
        return f"<!-- bench/{match[1]} -->\n{known[match[1]]}\n<!-- end -->" if match[1] in known else match[0]

    return MARKED_PART.sub(fill, text)


def _without_title(table: str) -> str:
    """Remove the title of a table, since the page has its own headings."""
    return table.partition("\n\n")[2].strip()


if __name__ == "__main__":
    PAGE.write_text(fill_page(PAGE.read_text("utf-8")), "utf-8")
