"""From lines of results to the numbers of tables and figures: medians, ratios on the same duels, failures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anchorpbo.bench.contender import Step
from anchorpbo.bench.jobs import Answer
from anchorpbo.bench.measurement import Row
from anchorpbo.bench.workers import LIMIT, UNREADY

Times = dict[int, float]
"""Seconds by seed."""


@dataclass(frozen=True)
class Quantity:
    """Something that was timed: a step of a library, or a part of it."""

    contender: str
    step: Step
    part: str | None = None


@dataclass(frozen=True)
class Cost:
    """What a quantity cost at one size."""

    times: Times
    """Of the runs that ended well."""
    tried: int
    failed: int
    limit: float | None = None
    """Seconds it has taken at least, where it was stopped."""
    stopped: int = 0
    """Runs that were stopped."""
    assumed: bool = False
    """Whether it was not tried, since fewer duels had taken too long."""
    unready: bool = False
    """Whether the preparation took too long."""

    @property
    def seconds(self) -> float | None:
        """The median, or ``None`` where nothing ended."""
        return statistics.median(self.times.values()) if self.times else None


class Rounds:
    """The lines of the section ``rounds``."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = [row for row in rows if row["section"] == "rounds"]

    @property
    def sizes(self) -> list[int]:
        """Numbers of duels."""
        return sorted({row["m"] for row in self.rows})

    @property
    def dimensions(self) -> list[int]:
        """Dimensions."""
        return sorted({row["d"] for row in self.rows})

    def cost(self, quantity: Quantity, m: int, d: int, threads: int = 1) -> Cost | None:
        """Of a quantity at a size, or ``None`` where it was not measured."""
        where = (quantity.step, m, d, threads)
        for row in self.rows:
            if (row["step"], row["m"], row["d"], row["threads"]) == where and quantity.contender in row["runs"]:
                return _cost(row["runs"][quantity.contender], quantity.part)
        return None

    def costs(self, quantity: Quantity, d: int) -> dict[int, float]:
        """Medians by number of duels, of the sizes where there is one."""
        found = {m: self.cost(quantity, m, d) for m in self.sizes}
        return {m: cost.seconds for m, cost in found.items() if cost is not None and cost.seconds is not None}


def _cost(answers: Sequence[Answer], part: str | None) -> Cost:
    times: Times = {}
    limits: list[float] = []
    for answer in answers:
        if answer["status"] == "ok":
            times[answer["seed"]] = answer["seconds"] if part is None else answer["laps"][part]
        elif answer["status"] == LIMIT and part is None:
            limits.append(answer["limit"])
        elif answer["status"] == LIMIT and part in answer["laps"]:
            times[answer["seed"]] = answer["laps"][part]
        elif answer["status"] == LIMIT and part == answer["running"]:
            limits.append(answer["limit"] - sum(answer["laps"].values()))
    tried = [answer for answer in answers if not answer.get("assumed")]
    unready = any(answer.get("error") == UNREADY for answer in answers)
    failed = sum(answer["status"] == "failed" for answer in tried) - (unready and bool(tried))
    return Cost(times, len(tried), failed, max(limits, default=None), len(limits), not tried, unready)


@dataclass(frozen=True)
class Ratio:
    """How many times longer one takes than another."""

    value: float
    at_least: bool = False
    assumed: bool = False


def ratio(theirs: Cost | None, ours: Cost | None) -> Ratio | None:
    """By medians over the studies that both have; where theirs was stopped, by the limit."""
    if theirs is None or ours is None or not ours.times:
        return None
    common = theirs.times.keys() & ours.times.keys()
    if common:
        medians = [statistics.median(cost.times[seed] for seed in common) for cost in (theirs, ours)]
        return Ratio(medians[0] / medians[1])
    if theirs.limit is not None:
        return Ratio(theirs.limit / statistics.median(ours.times.values()), True, theirs.assumed)
    return None
