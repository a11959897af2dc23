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
from anchorpbo.research.bench.headline import format_headline
from anchorpbo.research.bench.machine import format_machine
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.text_table import TextTable, escape_markdown

BENCHMARK_TABLES: dict[str, Callable[[Sequence[Row]], TextTable | None]] = {
    "whole": tables.tabulate_rounds,
    "between": tables.tabulate_between_fits,
    "parts": tables.tabulate_parts,
    "single": tables.tabulate_single_designs,
    "threads": tables.tabulate_threads,
    "values": value_tables.tabulate_values,
    "failures": value_tables.tabulate_failures,
    "memory": more_tables.tabulate_memory,
    "startup": more_tables.tabulate_startup,
    "inferences": more_tables.tabulate_inferences,
    "growth": more_tables.tabulate_growth,
    "laws": law_tables.tabulate_laws,
    "extremes": law_tables.tabulate_extremes,
}
"""By name; none where there are no lines for it."""


def render_tables(rows: Sequence[Row]) -> dict[str, str]:
    """The tables there are, as Markdown."""
    found = {name: build(rows) for name, build in BENCHMARK_TABLES.items()}
    return {name: table.to_markdown() for name, table in found.items() if table is not None}


def describe_calls(rows: Sequence[Row]) -> list[str]:
    """The calls of the command that the lines come from, in words; older lines do not say."""
    counted = Counter(json.dumps(row["call"]) for row in rows if "call" in row)
    return [_describe_call(json.loads(text), count) for text, count in counted.items()]


def _describe_call(call: dict[str, Any], count: int) -> str:
    sizes, dimensions, who = (",".join(map(str, call[name])) for name in ("sizes", "dimensions", "contenders"))
    return (
        f"{call['date']}, {count} measurements{', quick' if call['quick'] else ''}: {', '.join(call['sections'])}; "
        f"sizes {sizes}; dimensions {dimensions}; {who}; limit {call['limit']:g} s."
    )


def write_report(rows: Sequence[Row], machine: dict[str, Any], folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    from anchorpbo.research.bench import cost_figures
    from anchorpbo.research.figures import strategy_styles

    about = [
        *([f"{found}\n"] if (found := format_headline(rows)) else []),
        f"{escape_markdown(format_machine(machine))}\n",
        *(f"* {line}" for line in describe_calls(rows)),
        "",
    ]
    text = "\n".join(["# Benchmark\n", *about, *render_tables(rows).values()])
    files = write_files({folder / "table.md": text.encode()})
    rounds = [row for row in rows if row["section"] == "rounds"]
    if rounds:
        files += strategy_styles.save_figure(cost_figures.plot_costs(rounds), folder / "rounds")
    if any("botorch" in row["runs"] and "anchorpbo" in row["runs"] for row in rounds):
        files += strategy_styles.save_figure(cost_figures.plot_ratios(rounds), folder / "ratios")
    return files
