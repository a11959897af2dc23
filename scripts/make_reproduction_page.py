"""Bring finished experiments into the documentation: figures, summaries, tables, claims, and the page with them.

    python scripts/make_reproduction_page.py reproduction     # the folder of `anchorpbo reproduce --out`

Copies what is small, and puts each table between its marks in docs/reproduction.md:

    <!-- main/claims -->
    (the table)
    <!-- end -->
"""

import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = ("*.parquet", "*.png", "*.pdf", "*.md", "elapsed.json")
MARKED = re.compile(r"<!-- ([a-z0-9-]+/[a-z]+) -->\n.*?<!-- end -->", re.DOTALL)


def copy(out: Path) -> None:
    """Take the reports of all experiments over."""
    for folder in sorted(path.parent for path in out.glob("*/summary.parquet")):
        target = DOCS / "reproduction" / folder.name
        target.mkdir(parents=True, exist_ok=True)
        for pattern in KEPT:
            for path in folder.glob(pattern):
                shutil.copyfile(path, target / path.name)


def filled(text: str) -> str:
    """The page with every table as it is on disk."""

    def fill(match: re.Match[str]) -> str:
        path = DOCS / "reproduction" / f"{match[1]}.md"
        if not path.exists():  # not run yet
            return match[0]
        lines = path.read_text("utf-8").splitlines()
        table = "\n".join(line for line in lines if line.startswith("|"))
        return f"<!-- {match[1]} -->\n{table}\n<!-- end -->"

    return MARKED.sub(fill, text)


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        copy(Path(folder))
    page = DOCS / "reproduction.md"
    page.write_text(filled(page.read_text("utf-8")), "utf-8")
