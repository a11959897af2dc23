"""What a run leaves behind for people: tables and figures, from the lines of the results alone.

::

    OUT/table.md                     all tables, under the machine they come from
    OUT/rounds.png, rounds.pdf       cost against duels
    OUT/ratios.png, ratios.pdf       how many times longer BoTorch takes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anchorpbo.bench import more_tables, tables
from anchorpbo.bench.machine import described
from anchorpbo.bench.measurement import Row
from anchorpbo.figures.files import write_files
from anchorpbo.figures.text_table import TextTable, markdown_text

TABLES: dict[str, Callable[[Sequence[Row]], TextTable | None]] = {
    "whole": tables.whole,
    "between": tables.between,
    "parts": tables.parts,
    "single": tables.single,
    "threads": tables.threads,
    "values": tables.values,
    "failures": tables.failures,
    "memory": more_tables.memory,
    "startup": more_tables.startup,
    "inferences": more_tables.inferences,
    "growth": more_tables.growth,
    "laws": more_tables.laws,
    "extremes": more_tables.extremes,
}
"""By name; none where there are no lines for it."""


def markdown(rows: Sequence[Row]) -> dict[str, str]:
    """The tables there are, as Markdown."""
    found = {name: build(rows) for name, build in TABLES.items()}
    return {name: table.to_markdown() for name, table in found.items() if table is not None}


def write(rows: Sequence[Row], machine: dict[str, Any], folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    from anchorpbo.bench import figure
    from anchorpbo.figures import style

    text = "\n".join(["# Benchmark\n", markdown_text(described(machine)) + "\n", *markdown(rows).values()])
    files = write_files({folder / "table.md": text.encode()})
    rounds = [row for row in rows if row["section"] == "rounds"]
    if rounds:
        files += style.save(figure.costs(rounds), folder / "rounds")
    if any("botorch" in row["runs"] and "anchorpbo" in row["runs"] for row in rounds):
        files += style.save(figure.ratios(rounds), folder / "ratios")
    return files
