"""Coverage of the two bounds of proposition concentration-inequality, which read >= 1 - delta (docs/notation.md).

The pointwise bound is eq. variance-bernstein-inequality, the uniform one eq. variance-gine-inequality.

::

    q            standard normal density in d dimensions; beta = 2, and |sigma^2 - sigma^^2| <= |q - q^|, a = 1
    k            exp(-pi |u|^2): k(0) = 1 and integral 1, as the proof assumes
    c1           q_max integral k^2 = (2 pi)^(-d/2) 2^(-d/2)
    c2           L / l! integral |u|^beta k(u) du = (2 pi)^(-d/2) d / (2 pi);  L = sup |Hessian of q|, l = 1
    h            alpha n^(-1 / (2 beta + d)), alpha by the normal reference rule
    pointwise    |sigma^2 - sigma^^2|(x) <= sqrt(4 c1 log(2 / delta) / (n h^d)) + c2 h^beta
    uniform      sup_x |sigma^2 - sigma^^2| <= sqrt(log(c3 / delta) / (c4 n h^d)) + c2 h^beta

The proof of the first needs its square root to be at most 3 c1. The paper only states that c3 and c4 exist. They are
fitted to P(S > s) <= c3 exp(-c4 s), S = n h^d sup |q^ - E q^|^2, on the draws of one n and checked on the others: once
on n = 100, once on the largest n. Coverage is counted for the bound and for its stochastic part without the bias. That
part must also exceed sqrt(|log h| / (n h^d)). No fixed constants achieve this for all n: |log h| grows with n and
log(c3 / delta) / c4 does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy import special

from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask, RecordColumns
from anchorpbo.research.experiments.verdicts import Claim, Reading
from anchorpbo.typing import Array

DENSITY_SMOOTHNESS = 2
ANCHOR_COUNTS = (20, 50, 100, 200, 500, 1000, 2000)
CALIBRATION_ANCHORS = 100
"""First number of anchors on which c3 and c4 are fitted; the second is the largest number."""
BOUND_DIMENSIONS = (1, 2)
DELTAS = (0.05, 0.1, 0.2, 0.5)
EVALUATION_POINTS = (0.0, 1.0, 2.0)
"""Points on the first axis at which the pointwise bound is checked."""
GRID_REACH, GRID_SPACING = 3.75, 0.125
"""The supremum is over a grid of this spacing and reach, on every axis."""


@dataclass(frozen=True)
class BoundConstants:
    """The constants of the proposition for one n and d."""

    n: int
    d: int

    @property
    def q_max(self) -> float:
        """Density at its mode, which equals the largest norm of its Hessian."""
        return float((2.0 * np.pi) ** (-self.d / 2))

    @property
    def c1(self) -> float:
        """q_max times the integral of k^2."""
        return float(self.q_max * 2.0 ** (-self.d / 2))

    @property
    def c2(self) -> float:
        """L times the integral of |u|^2 k(u)."""
        return self.q_max * self.d / (2.0 * np.pi)

    @property
    def h(self) -> float:
        """Bandwidth of k: sqrt(2 pi) times the standard deviation of this Gaussian kernel."""
        alpha = np.sqrt(2.0 * np.pi) * (4.0 / (self.d + 2)) ** (1.0 / (self.d + 4))
        return float(alpha * self.n ** (-1.0 / (2 * DENSITY_SMOOTHNESS + self.d)))

    @property
    def effective(self) -> float:
        """n h^d."""
        return self.n * self.h**self.d

    @property
    def bias(self) -> float:
        """c2 h^beta."""
        return self.c2 * self.h**DENSITY_SMOOTHNESS

    def radius(self, delta: float) -> float:
        """Return the square root in the pointwise bound."""
        return float(np.sqrt(4.0 * self.c1 * np.log(2.0 / delta) / self.effective))

    def density(self, squared: Array, variance: float = 1.0) -> Array:
        """Return the density of N(0, variance) in d dimensions, given the squared distance from 0."""
        return np.asarray((2.0 * np.pi * variance) ** (-self.d / 2) * np.exp(-squared / (2.0 * variance)))

    def smoothed_density(self, squared: Array) -> Array:
        """Return E q^: a normal density whose variance is larger by that of the kernel, h^2 / (2 pi)."""
        return self.density(squared, 1.0 + self.h**2 / (2.0 * np.pi))


def estimate_density(anchors: Array, h: float, axis: Array) -> Array:
    """Return q^ on the grid axis x ... x axis, for anchors, (n, d), with d = 1 or 2.

    The kernel is a product over coordinates, so the sum over anchors is a matrix product.
    """
    n, d = anchors.shape
    factors = [np.exp(-np.pi * np.square((axis[:, None] - anchors[:, j]) / h)) / h for j in range(d)]
    return np.asarray(factors[0].mean(axis=1) if d == 1 else factors[0] @ factors[1].T / n)


@dataclass(frozen=True)
class ConcentrationTask(ExperimentTask):
    """Errors at three points and the largest error on the grid, one row per set of anchors."""

    kind: ClassVar[str] = "concentration"
    d: int
    n: int
    seed: int
    draws: int = 100

    def run(self) -> RecordColumns:
        """Draw anchors and measure the errors."""
        rng = np.random.default_rng([self.seed, self.n, self.d, self.draws])
        setting = BoundConstants(self.n, self.d)
        axis = np.linspace(-GRID_REACH, GRID_REACH, round(2 * GRID_REACH / GRID_SPACING) + 1)
        squared = np.square(axis) if self.d == 1 else np.square(axis)[:, None] + np.square(axis)
        truth, expected = setting.density(squared), setting.smoothed_density(squared)
        centre = axis.size // 2
        places = [(centre + round(place / GRID_SPACING), *[centre] * (self.d - 1)) for place in EVALUATION_POINTS]
        rows = []
        for _ in range(self.draws):
            found = estimate_density(rng.normal(size=(self.n, self.d)), setting.h, axis)
            errors = np.abs(np.exp(-found) - np.exp(-truth))
            rows.append([*(errors[place] for place in places), errors.max(), np.abs(found - expected).max()])
        names = [*(f"error_{place:g}" for place in EVALUATION_POINTS), "largest_error", "largest_deviation"]
        return dict(zip(names, np.array(rows).T, strict=True))


class ConcentrationExperiment(Experiment):
    """Coverage of the two bounds against their nominal probability."""

    name = "concentration"
    description = "Coverage of the pointwise and the uniform bound on the error of the noise map."

    def make_tasks(self, size: ExperimentSize) -> Sequence[ConcentrationTask]:
        """Return one task of 100 draws per number of anchors, dimension and seed."""
        seeds = size.seeds or (2 if size.quick else 20)
        counts = [n for n in ANCHOR_COUNTS if n <= 200] if size.quick else ANCHOR_COUNTS
        return [ConcentrationTask(d, n, seed) for seed in range(seeds) for d in BOUND_DIMENSIONS for n in counts]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return one row per bound, d, n, delta (and point): its coverage with a 95 % interval, and its tightness.

        ``tightness`` is the (1 - delta) quantile of the error divided by the bound, ``valid`` tells whether the proof's
        conditions hold, and ``fitted_on`` is the n on which c3 and c4 were fitted.
        """
        rows = records.filter(pl.col("kind") == ConcentrationTask.kind)
        return pl.DataFrame(
            [row for by_d in rows.partition_by("d") for row in _summarise_cells(by_d)], infer_schema_length=None
        )

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge each bound as proved and as printed; calibration draws are left out."""
        table = self.summarise(records).filter(pl.col("valid"), pl.col("fitted_on") != pl.col("n"))
        pointwise, uniform, part = (
            table.filter(pl.col("bound") == name) for name in ("pointwise", "uniform", "stochastic part")
        )
        printed = f"As printed, a bound holds with probability at most 1 - delta: {_FOUND}."
        return [
            *_judge_bound(f"The pointwise bound holds with probability at least 1 - delta: {_FOUND}.", pointwise),
            *_judge_bound(
                f"The uniform bound holds with probability at least 1 - delta, with c3 and c4 of another n: {_FOUND}.",
                uniform,
            ),
            *_judge_bound(
                f"The stochastic part of the uniform bound does so alone, with c3 and c4 of another n: {_FOUND}.",
                part, reading="ours",
            ),
            *_judge_bound(printed, pointwise, "pointwise bound", at_least=False),
            *_judge_bound(printed, uniform, "uniform bound", at_least=False),
        ]  # fmt: skip


_FOUND = "failing cells, worst coverage"


def calibrate(statistic: Array) -> tuple[float, float]:
    """Return the smallest c3 and its c4 with P(S > s) <= c3 exp(-c4 s) on draws of S.

    c4 is the slope of the log tail probability between 0.5 and 0.02. c3 lifts the line so that it covers the whole tail
    down to a probability of 0.02; below that, there are too few draws.
    """
    draws = np.sort(statistic)
    tail = 1.0 - np.arange(draws.size) / draws.size  # P(S >= s) at each draw
    seen = tail >= 0.02
    fitted = seen & (tail <= 0.5)
    centred = draws[fitted] - draws[fitted].mean()
    c4 = -float(centred @ np.log(tail[fitted]) / (centred @ centred))
    return float(np.exp((np.log(tail[seen]) + c4 * draws[seen]).max())), c4


def compute_proportion_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a probability."""
    k, n, side = successes, trials, (1.0 - level) / 2.0
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, side))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1.0 - side))
    return low, high


def _summarise_cells(rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the summary rows from all draws of one dimension."""
    d, counts = int(rows["d"][0]), rows["n"].unique()
    constants = {}
    for fitted_on in sorted({CALIBRATION_ANCHORS, int(counts.to_numpy().max())}):
        deviations = rows.filter(pl.col("n") == fitted_on)["largest_deviation"].to_numpy()
        constants[fitted_on] = calibrate(BoundConstants(fitted_on, d).effective * np.square(deviations))
    for group in rows.partition_by("n", maintain_order=True):
        setting = BoundConstants(int(group["n"][0]), d)
        errors, deviations = (group[name].to_numpy() for name in ("largest_error", "largest_deviation"))
        for delta in DELTAS:
            head: dict[str, Any] = {"d": d, "n": setting.n, "delta": delta}
            radius = setting.radius(delta)
            head["valid"] = radius <= 3.0 * setting.c1
            for place in EVALUATION_POINTS:
                cell = _measure_coverage(group[f"error_{place:g}"].to_numpy(), radius + setting.bias, delta)
                yield {**head, "bound": "pointwise", "place": place, "fitted_on": 0, **cell}
            for fitted_on, (c3, c4) in constants.items():
                spread = float(np.log(c3 / delta) / c4)
                radius = float(np.sqrt(spread / setting.effective))
                head["valid"] = bool(spread >= abs(np.log(setting.h)))
                fit = {"place": None, "fitted_on": fitted_on, "c3": c3, "c4": c4}
                yield {**head, "bound": "uniform", **fit, **_measure_coverage(errors, radius + setting.bias, delta)}
                yield {**head, "bound": "stochastic part", **fit, **_measure_coverage(deviations, radius, delta)}


def _measure_coverage(errors: Array, limit: float, delta: float) -> dict[str, float]:
    held = int((errors <= limit).sum())
    low, high = compute_proportion_interval(held, errors.size)
    tightness = float(np.quantile(errors, 1.0 - delta)) / limit
    cell = {"coverage": held / errors.size, "low": low, "high": high, "limit": limit, "tightness": tightness}
    return {**cell, "draws": errors.size}


def _judge_bound(
    text: str, table: pl.DataFrame, bound: str = "", *, at_least: bool = True, reading: Reading = "paper"
) -> Iterator[Claim]:
    """Yield a claim per fit of c3 and c4; a cell fails if its interval is on the wrong side of 1 - delta."""
    where = "Proposition, concentration"
    if table.is_empty():
        yield Claim(text, where, "no cell in which the proof's conditions hold", "-", "open", bound, reading)
        return
    target = 1.0 - pl.col("delta")
    wrong = pl.col("high") < target if at_least else pl.col("low") > target
    for cells in table.with_columns(wrong=wrong).partition_by("fitted_on", maintain_order=True):
        worst = cells.sort((pl.col("coverage") - target) * (1 if at_least else -1)).row(0, named=True)
        count = int(cells["wrong"].sum())
        found = (
            f"{count} of {cells.height} cells, {worst['coverage']:.4f} at d = {worst['d']}, n = {worst['n']}, "
            f"delta = {worst['delta']:g}"
        )
        interval = f"{worst['low']:.4f} to {worst['high']:.4f}"
        fit = f"constants of n = {worst['fitted_on']}" if worst["fitted_on"] else ""
        setting = ", ".join(part for part in (bound, fit) if part)
        yield Claim(text, where, found, interval, "differs" if count else "agrees", setting, reading)
