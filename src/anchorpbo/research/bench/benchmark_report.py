"""The report of a benchmark: headline numbers, tables and figures, computed from results.jsonl.

::

    OUT/table.md                     the machine, then all tables
    OUT/rounds.png, rounds.pdf       cost against duels
    OUT/ratios.png, ratios.pdf       how many times longer BoTorch takes
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anchorpbo.research.bench import benchmark_tables, power_laws
from anchorpbo.research.bench.benchmark_tables import list_gains
from anchorpbo.research.bench.costs import Quantity, Ratio, RoundCosts, format_ratio
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.power_laws import list_ratios
from anchorpbo.research.bench.results import format_machine
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.text_table import TextTable, escape_markdown

BENCHMARK_TABLES: dict[str, Callable[[Sequence[Row]], TextTable | None]] = {
    "whole": benchmark_tables.tabulate_rounds,
    "between": benchmark_tables.tabulate_between_fits,
    "parts": benchmark_tables.tabulate_parts,
    "single": benchmark_tables.tabulate_single_designs,
    "threads": benchmark_tables.tabulate_threads,
    "values": benchmark_tables.tabulate_values,
    "failures": benchmark_tables.tabulate_failures,
    "memory": benchmark_tables.tabulate_memory,
    "startup": benchmark_tables.tabulate_startup,
    "inferences": benchmark_tables.tabulate_inferences,
    "growth": benchmark_tables.tabulate_growth,
    "laws": power_laws.tabulate_laws,
    "extremes": power_laws.tabulate_extremes,
}
"""Table builders by name; each returns ``None`` if the results have no rows for it."""


def render_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the non-empty tables as Markdown, by name."""
    found = {name: build(rows) for name, build in BENCHMARK_TABLES.items()}
    return {name: table.to_markdown() for name, table in found.items() if table is not None}


def describe_calls(rows: Sequence[Row]) -> list[str]:
    """Return one sentence per call of the command that produced rows; older rows do not record their call."""
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


_HEADLINE_RATIOS = {
    "A whole round at equal work": "whole round, equal work",
    "a study's ask with a fit": "whole round, a study",
    "a study's ask between fits, neither with a fit": "between fits, a study",
}


def format_headline(rows: Sequence[Row]) -> str | None:
    """Return a paragraph with the extreme ratios, the difference of values and the sizes BoTorch did not finish."""
    rounds = RoundCosts(rows)
    ranges = {words: each for words, name in _HEADLINE_RATIOS.items() if (each := list_ratios(rounds, name))}
    if not ranges:
        return None
    parts = [f"{words}: {_format_ends(each)}" for words, each in ranges.items()]
    sentences = [f"anchorpbo is faster than BoTorch by these factors, at sizes that both finished. {'; '.join(parts)}."]
    if found := list_gains(rows):
        sentences.append(
            f"In all {len(found)} searches compared, BoTorch's acquisition value at our designs is at most "
            f"{max(-min(found), 1e-16):.0e} (relative) below that at its own."
        )
    return " ".join([*sentences, *_describe_unfinished(rounds)])


def _format_ends(found: Sequence[tuple[float, str]]) -> str:
    (least, where), (most, there) = min(found), max(found)
    return f"{format_ratio(Ratio(least)).text} ({where}) to {format_ratio(Ratio(most)).text} ({there})"


def _describe_unfinished(rounds: RoundCosts) -> list[str]:
    places = [(m, d) for m in rounds.sizes for d in rounds.dimensions]
    costs = {place: rounds.cost(Quantity("botorch", "round"), *place) for place in places}
    stopped = [f"{m:,} duels in {d}-D" for (m, d), cost in costs.items() if cost is not None and not cost.times]
    if not stopped:
        return []
    return [f"BoTorch did not finish a round within the time limit at {', '.join(stopped)}."]
