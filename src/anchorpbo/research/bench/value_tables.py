"""The tables with BoTorch as the referee, and of its fits."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.costs import Quantity, RoundCosts
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.stopped import find_limit, is_stopped
from anchorpbo.research.figures.text_table import Cell, TextTable


def tabulate_values(rows: Sequence[Row]) -> TextTable | None:
    """What both searches found, judged by BoTorch."""
    lines = []
    for (d, m), row in sorted(_select_rows(rows).items()):
        well = _list_successes(row)
        found = [[_compute_gain(answer, name) for answer in well] for name in ("pair", "single")]
        apart = max((answer["mean_difference"] for answer in well), default=None)
        cells = [
            texts.format_number(number, ".1e")
            for number in (apart, *_find_least_and_median(found[0]), *_find_least_and_median(found[1]))
        ]
        for name in ("evidence", "objective"):
            differences = [_subtract(answer, name) for answer in well if f"{name}_ours" in answer]
            cells += [texts.format_number(number, "+.2f") for number in _find_least_and_median(differences)]
        lines.append((Cell(str(d)), Cell(f"{m:,}"), _format_studies(row), *cells))
    headings = (
        "d", "duels", "studies", "largest difference of posterior means", "pair: least gain", "median",
        "design: least gain", "median", "evidence of our fit less that of theirs: least", "median",
        "BoTorch's objective at our fit less at theirs: least", "median",
    )  # fmt: skip
    note = (
        "A gain is BoTorch's acquisition at what we found less that at its own find, over the size of the latter. "
        "BoTorch's objective is what its fit maximises, priors included. Studies that ran out of time or whose fit "
        "failed are left out. A dash is what was not measured."
    )
    return texts.make_table("The values found, BoTorch as the referee", headings, lines, note) if lines else None


def list_gains(rows: Sequence[Row]) -> list[float]:
    """Of all searches that were judged, pairs and single designs."""
    well = [answer for row in _select_rows(rows).values() for answer in _list_successes(row)]
    return [_compute_gain(answer, name) for answer in well for name in ("pair", "single")]


def _select_rows(rows: Sequence[Row]) -> dict[tuple[int, int], Row]:
    """By dimension and duels: the line with most studies judged, the latest of these."""
    best: dict[tuple[int, int], Row] = {}
    for row in rows:
        if row["section"] == "values":
            where = row["d"], row["m"]
            best[where] = max(row, best.get(where, row), key=lambda each: len(_list_successes(each)))
    return best


def _list_successes(row: Row) -> list[Row]:
    return [answer for answer in row["runs"] if answer["status"] == "ok"]


def _format_studies(row: Row) -> Cell:
    """How many were judged, and what became of the others."""
    stopped = [find_limit(answer) for answer in row["runs"] if is_stopped(answer)]
    failed = len(row["runs"]) - len(_list_successes(row)) - len(stopped)
    remarks = [f"{len(stopped)} out of time at {max(stopped):g} s"] if stopped else []
    remarks += [f"{failed} failed"] if failed else []
    return Cell(", ".join([f"{len(_list_successes(row))} of {len(row['runs'])}", *remarks]))


def _find_least_and_median(numbers: Sequence[float]) -> tuple[float | None, float | None]:
    """The least and the median."""
    return (min(numbers), statistics.median(numbers)) if numbers else (None, None)


def _subtract(answer: Row, name: str) -> float:
    return float(answer[f"{name}_ours"]) - float(answer[f"{name}_theirs"])


def _compute_gain(answer: Row, name: str) -> float:
    return _subtract(answer, name) / max(abs(float(answer[f"{name}_theirs"])), 1e-12)


def tabulate_failures(rows: Sequence[Row]) -> TextTable | None:
    """How often BoTorch's fit raised an error."""
    rounds = RoundCosts(rows)
    lines = []
    for m in rounds.sizes:
        found = [rounds.cost(Quantity("botorch", "round"), m, d) for d in rounds.dimensions]
        costs = [cost for cost in found if cost is not None]
        if costs:
            stopped = sum(cost.limit is not None for cost in costs)
            counts = (m, sum(cost.tried for cost in costs), sum(cost.failed for cost in costs), stopped)
            lines.append(tuple(Cell(f"{count:,}") for count in counts))
    headings = ("duels", "rounds tried", "fit raised an error", "stopped at the limit")
    note = "The last column counts dimensions, also those left out because fewer duels had taken too long."
    return texts.make_table("BoTorch's fits", headings, lines, note) if lines else None
