"""Costs of steps, from the rows of the results: medians, ratios on the same duels, failures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from anchorpbo.research.bench.benchmark_worker import Answer
from anchorpbo.research.bench.contender import Step
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.process_pool import STOPPED, UNREADY_ERROR
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell

SecondsBySeed = dict[int, float]
"""Seconds by seed."""
MeasurementKind: TypeAlias = tuple[tuple[str, ...], int | None]
"""The libraries of a measurement and its limit on the number of studies."""


@dataclass(frozen=True)
class Quantity:
    """A timed quantity: a step of a library, or a part of a step."""

    contender: str
    step: Step
    part: str | None = None


@dataclass(frozen=True)
class Cost:
    """The cost of a quantity at one size."""

    times: SecondsBySeed
    """Times of the runs that succeeded."""
    tried: int
    failed: int
    limit: float | None = None
    """Time limit in seconds at which a run was stopped, if any."""
    stopped: int = 0
    """Number of runs that were stopped."""
    assumed: bool = False
    """Whether the run was skipped because fewer duels already took too long."""
    unready: bool = False
    """Whether the preparation took too long."""
    kind: MeasurementKind | None = None
    """Kind of the measurement; costs of different kinds have no ratio."""

    @property
    def seconds(self) -> float | None:
        """Median time in seconds, or ``None`` if no run finished."""
        return statistics.median(self.times.values()) if self.times else None


class RoundCosts:
    """The rows of the section ``rounds``, one per step and size, so that libraries are compared within one measurement.

    Of several rows, the one with most libraries is used; then full-size ones are preferred, then the latest.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._at: dict[tuple[Step, int, int, int], Row] = {}
        for row in rows:
            if row["section"] == "rounds":
                where = row["step"], row["m"], row["d"], row["threads"]
                self._at[where] = max(row, self._at.get(where, row), key=_rank_completeness)  # first of equals

    @property
    def rows(self) -> list[Row]:
        """The row used for each step, size, dimension and number of threads."""
        return list(self._at.values())

    @property
    def sizes(self) -> list[int]:
        """Numbers of duels."""
        return sorted({row["m"] for row in self.rows})

    @property
    def dimensions(self) -> list[int]:
        """Dimensions."""
        return sorted({row["d"] for row in self.rows})

    def cost(self, quantity: Quantity, m: int, d: int, threads: int = 1) -> Cost | None:
        """Return the cost of a quantity at a size, or ``None`` if it was not measured."""
        row = self._at.get((quantity.step, m, d, threads))
        if row is None or quantity.contender not in row["runs"]:
            return None
        return replace(_summarise_answers(row["runs"][quantity.contender], quantity.part), kind=_find_kind(row))

    def studies(self, step: Step, m: int, d: int, threads: int = 1) -> int:
        """Return the number of studies measured; a library that was stopped may have fewer."""
        row = self._at.get((step, m, d, threads))
        return 0 if row is None else max((len(answers) for answers in row["runs"].values()), default=0)

    def costs(self, quantity: Quantity, d: int) -> dict[int, float]:
        """Return the medians that exist, by number of duels."""
        found = {m: self.cost(quantity, m, d) for m in self.sizes}
        return {m: cost.seconds for m, cost in found.items() if cost is not None and cost.seconds is not None}


def _find_kind(row: Row) -> MeasurementKind:
    return tuple(row["contenders"]), row.get("most")


def _rank_completeness(row: Row) -> tuple[int, bool]:
    return len(row["runs"]), row.get("most") is None


def _summarise_answers(answers: Sequence[Answer], part: str | None) -> Cost:
    times: SecondsBySeed = {}
    limits: list[float] = []
    for answer in answers:
        if answer["status"] == "ok":
            times[answer["seed"]] = answer["seconds"] if part is None else answer["laps"][part]
        elif answer["status"] == STOPPED and part is None:
            limits.append(answer["limit"])
        elif answer["status"] == STOPPED and part in answer["laps"]:
            times[answer["seed"]] = answer["laps"][part]
        elif answer["status"] == STOPPED and part == answer["running"]:
            limits.append(answer["limit"] - sum(answer["laps"].values()))
    tried = [answer for answer in answers if not answer.get("assumed")]
    unready = any(answer.get("error") == UNREADY_ERROR for answer in answers)
    failed = sum(answer["status"] == "failed" for answer in tried) - (unready and bool(tried))
    return Cost(times, len(tried), failed, max(limits, default=None), len(limits), not tried, unready)


@dataclass(frozen=True)
class Ratio:
    """A ratio of two times, or a lower bound of it."""

    value: float
    at_least: bool = False
    assumed: bool = False


def compute_ratio(theirs: Cost | None, ours: Cost | None) -> Ratio | None:
    """Return the ratio of medians over the studies that both finished, or of the time limit if theirs was stopped."""
    if theirs is None or ours is None or not ours.times or theirs.kind != ours.kind:
        return None
    common = theirs.times.keys() & ours.times.keys()
    if common:
        medians = [statistics.median(cost.times[seed] for seed in common) for cost in (theirs, ours)]
        return Ratio(medians[0] / medians[1])
    if theirs.limit is not None:
        return Ratio(theirs.limit / statistics.median(ours.times.values()), True, theirs.assumed)
    return None


def format_duration(seconds: float) -> str:
    """Return a duration with three significant digits, such as 4.20 ms, 380 ms, 1.30 s or 120 s."""
    if seconds < 0.9995:
        return f"{_format_three_digits(1e3 * seconds)} ms"
    return f"{_format_three_digits(seconds)} s"


def _format_three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def format_cost(found: Cost | None) -> Cell:
    """Return the median, or the limit if no run finished (in brackets if skipped), with the failures and stops."""
    if found is None:
        return Cell(MISSING_TEXT)
    if found.seconds is None:
        if found.limit is not None:
            return Cell(f"(> {found.limit:.3g} s)" if found.assumed else f"> {found.limit:.3g} s")
        if found.unready:
            return Cell("not ready in time")
        return Cell(f"failed, all {found.tried}" if found.failed else MISSING_TEXT)
    remarks = [f"{count} {word}" for count, word in ((found.failed, "failed"), (found.stopped, "stopped")) if count]
    text = format_duration(found.seconds)
    return Cell(f"{text} ({', '.join(remarks)} of {found.tried})" if remarks else text)


def format_ratio(found: Ratio | None) -> Cell:
    """Return a ratio such as 61 x or > 300 x, or (> 300 x) if the run was skipped."""
    if found is None:
        return Cell(MISSING_TEXT)
    text = f"{found.value:.0f} ×" if found.value >= 9.95 else f"{found.value:.1f} ×"
    text = f"> {text}" if found.at_least else text
    return Cell(f"({text})" if found.assumed else text, bold=not found.assumed)
