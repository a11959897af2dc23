"""What a run leaves behind for people: tables and figures, from the lines of the results alone.

::

    OUT/table.md                     all tables, under the machine they come from
    OUT/rounds.png, rounds.pdf       cost against duels
    OUT/ratios.png, ratios.pdf       how many times longer BoTorch takes
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anchorpbo.research.bench import law_tables, more_tables, tables, value_tables
from anchorpbo.research.bench.headline import headline
from anchorpbo.research.bench.machine import described
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.text_table import TextTable, escape_markdown

TABLES: dict[str, Callable[[Sequence[Row]], TextTable | None]] = {
    "whole": tables.whole,
    "between": tables.between,
    "parts": tables.parts,
    "single": tables.single,
    "threads": tables.threads,
    "values": value_tables.values,
    "failures": value_tables.failures,
    "memory": more_tables.memory,
    "startup": more_tables.startup,
    "inferences": more_tables.inferences,
    "growth": more_tables.growth,
    "laws": law_tables.laws,
    "extremes": law_tables.extremes,
}
"""By name; none where there are no lines for it."""


def markdown(rows: Sequence[Row]) -> dict[str, str]:
    """The tables there are, as Markdown."""
    found = {name: build(rows) for name, build in TABLES.items()}
    return {name: table.to_markdown() for name, table in found.items() if table is not None}


def calls(rows: Sequence[Row]) -> list[str]:
    """The calls of the command that the lines come from, in words; older lines do not say."""
    counted = Counter(json.dumps(row["call"]) for row in rows if "call" in row)
    return [_called(json.loads(text), count) for text, count in counted.items()]


def _called(call: dict[str, Any], count: int) -> str:
    sizes, dimensions, who = (",".join(map(str, call[name])) for name in ("sizes", "dimensions", "contenders"))
    return (
        f"{call['date']}, {count} measurements{', quick' if call['quick'] else ''}: {', '.join(call['sections'])}; "
        f"sizes {sizes}; dimensions {dimensions}; {who}; limit {call['limit']:g} s."
    )


def write(rows: Sequence[Row], machine: dict[str, Any], folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    from anchorpbo.research.bench import figure
    from anchorpbo.research.figures import strategy_styles

    about = [
        *([f"{found}\n"] if (found := headline(rows)) else []),
        f"{escape_markdown(described(machine))}\n",
        *(f"* {line}" for line in calls(rows)),
        "",
    ]
    text = "\n".join(["# Benchmark\n", *about, *markdown(rows).values()])
    files = write_files({folder / "table.md": text.encode()})
    rounds = [row for row in rows if row["section"] == "rounds"]
    if rounds:
        files += strategy_styles.save_figure(figure.costs(rounds), folder / "rounds")
    if any("botorch" in row["runs"] and "anchorpbo" in row["runs"] for row in rounds):
        files += strategy_styles.save_figure(figure.ratios(rounds), folder / "ratios")
    return files
