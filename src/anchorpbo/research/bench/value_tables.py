"""The tables with BoTorch as the referee, and of its fits."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.stopped import is_over, limit_of
from anchorpbo.research.bench.summary import Quantity, Rounds
from anchorpbo.research.figures.text_table import Cell, TextTable


def values(rows: Sequence[Row]) -> TextTable | None:
    """What both searches found, judged by BoTorch."""
    lines = []
    for (d, m), row in sorted(_judged(rows).items()):
        well = _well(row)
        found = [[_gain(answer, name) for answer in well] for name in ("pair", "single")]
        apart = max((answer["mean_difference"] for answer in well), default=None)
        cells = [texts.number(number, ".1e") for number in (apart, *_ends(found[0]), *_ends(found[1]))]
        for name in ("evidence", "objective"):
            differences = [_difference(answer, name) for answer in well if f"{name}_ours" in answer]
            cells += [texts.number(number, "+.2f") for number in _ends(differences)]
        lines.append((Cell(str(d)), Cell(f"{m:,}"), _studies(row), *cells))
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
    return texts.table("The values found, BoTorch as the referee", headings, lines, note) if lines else None


def gains(rows: Sequence[Row]) -> list[float]:
    """Of all searches that were judged, pairs and single designs."""
    well = [answer for row in _judged(rows).values() for answer in _well(row)]
    return [_gain(answer, name) for answer in well for name in ("pair", "single")]


def _judged(rows: Sequence[Row]) -> dict[tuple[int, int], Row]:
    """By dimension and duels: the line with most studies judged, the latest of these."""
    best: dict[tuple[int, int], Row] = {}
    for row in rows:
        if row["section"] == "values":
            where = row["d"], row["m"]
            best[where] = max(row, best.get(where, row), key=lambda each: len(_well(each)))
    return best


def _well(row: Row) -> list[Row]:
    return [answer for answer in row["runs"] if answer["status"] == "ok"]


def _studies(row: Row) -> Cell:
    """How many were judged, and what became of the others."""
    stopped = [limit_of(answer) for answer in row["runs"] if is_over(answer)]
    failed = len(row["runs"]) - len(_well(row)) - len(stopped)
    remarks = [f"{len(stopped)} out of time at {max(stopped):g} s"] if stopped else []
    remarks += [f"{failed} failed"] if failed else []
    return Cell(", ".join([f"{len(_well(row))} of {len(row['runs'])}", *remarks]))


def _ends(numbers: Sequence[float]) -> tuple[float | None, float | None]:
    """The least and the median."""
    return (min(numbers), statistics.median(numbers)) if numbers else (None, None)


def _difference(answer: Row, name: str) -> float:
    return float(answer[f"{name}_ours"]) - float(answer[f"{name}_theirs"])


def _gain(answer: Row, name: str) -> float:
    return _difference(answer, name) / max(abs(float(answer[f"{name}_theirs"])), 1e-12)


def failures(rows: Sequence[Row]) -> TextTable | None:
    """How often BoTorch's fit raised an error."""
    rounds = Rounds(rows)
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
    return texts.table("BoTorch's fits", headings, lines, note) if lines else None
