"""Dependent anchors and the error of the noise map (figure optima-results, bottom): the proofs assume independence.

A user who has named one design may look for a different one, or stay with similar ones. Candidates are drawn from q one
after the other and accepted or rejected given the anchors so far; r is ``radius`` standard deviations of q:

::

    iid          every candidate becomes an anchor
    hard core    a candidate closer than r to an anchor is rejected
    soft core    the same with probability one half
    clustered    a candidate farther than r from all anchors is rejected, nine times out of ten

The paper does not specify its process. Hard cores eventually fill the line, so after ``patience`` rejections the next
candidate is accepted in any case: n anchors need at most n (patience + 1) candidates. As in `consistency`, the error is
the mean of (exp(-q^) - exp(-q))^2 over 500 samples of q, with the leave-one-out bandwidth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from anchorpbo.reliability import loo_bandwidth
from anchorpbo.research.experiments.confidence_intervals import (
    MIN_SLOPE,
    bootstrap_ratio,
    fit_slope,
    fit_slope_difference,
    judge_bootstrap_bound,
    summarise_over_seeds,
)
from anchorpbo.research.experiments.consistency import BANDWIDTH_RANGE, normal_density, squared_errors
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask, RecordColumns
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.typing import Array

ANCHOR_COUNTS = (10, 20, 50, 100, 200, 500)
POINT_PROCESSES = {"iid": (0.0, 0.0), "hard core": (1.0, 0.0), "soft core": (0.5, 0.0), "clustered": (0.0, 0.9)}
"""Rejection probabilities of a candidate: near an anchor, and far from all anchors."""
RADII = (0.05, 0.2)


def draw_anchors(process: str, count: int, radius: float, patience: int, rng: np.random.Generator) -> tuple[Array, int]:
    """Draw anchors, (count,), from a standard normal by one of `POINT_PROCESSES`; also count the forced ones."""
    reject_near, reject_far = POINT_PROCESSES[process]
    anchors = np.full(count, np.inf)
    anchors[0], accepted, rejected, forced = rng.normal(), 1, 0, 0
    while accepted < count:
        candidate = rng.normal()
        near = np.abs(anchors[:accepted] - candidate).min() < radius
        # Always drawn, so that all processes with one seed see the same candidates.
        spared = rng.random() >= (reject_near if near else reject_far)
        if spared or rejected >= patience:
            anchors[accepted] = candidate
            accepted, rejected, forced = accepted + 1, 0, forced + (not spared)
        else:
            rejected += 1
    return anchors, forced


@dataclass(frozen=True)
class AnchorProcessTask(ExperimentTask):
    """Errors of one process for growing numbers of anchors, each set drawn anew; one row per number.

    ``forced`` is the share of anchors accepted only because ``patience`` ran out.
    """

    kind: ClassVar[str] = "anchor-process"
    process: str
    radius: float
    """Radius in standard deviations of q; 0 for a process without one."""
    seed: int
    patience: int = 50
    largest: int = ANCHOR_COUNTS[-1]
    mean: float = 0.5
    variance: float = 20.0
    samples: int = 500

    def run(self) -> RecordColumns:
        """Draw anchors and samples, and measure the error."""
        # The seed leaves out process and radius: equal samples make their differences more precise.
        rng = np.random.default_rng([self.seed, self.samples, 3])
        deviation = float(np.sqrt(self.variance))
        bounds = (BANDWIDTH_RANGE[0] * deviation, BANDWIDTH_RANGE[1] * deviation)
        counts = [n for n in ANCHOR_COUNTS if n <= self.largest]
        mse, bandwidths, shares = [], [], []
        for n in counts:
            X = rng.normal(self.mean, deviation, (self.samples, 1))
            own = np.random.default_rng([self.seed, n, 4])
            standard, forced = draw_anchors(self.process, n, self.radius, self.patience, own)
            anchors = self.mean + deviation * standard[:, None]
            h = loo_bandwidth(anchors, bounds, "gaussian-density")
            density = normal_density(X, self.mean, self.variance)
            mse.append(float(squared_errors(anchors, h, "gaussian-density", X, density).mean()))
            bandwidths.append(h)
            shares.append(forced / n)
        return {"n": counts, "mse": mse, "bandwidth": bandwidths, "forced": shares}


class AnchorProcessExperiment(Experiment):
    """Independent anchors against three rejection processes."""

    name = "anchor-process"
    description = "The error of the noise map when anchors are not independent."

    def make_tasks(self, size: ExperimentSize) -> Sequence[AnchorProcessTask]:
        """Return one task per process, radius and seed."""
        seeds = size.seeds or (3 if size.quick else 30)
        largest = 100 if size.quick else ANCHOR_COUNTS[-1]
        kinds = [("iid", 0.0)] + [(name, r) for name in POINT_PROCESSES if name != "iid" for r in RADII]
        return [AnchorProcessTask(name, r, seed, largest=largest) for seed in range(seeds) for name, r in kinds]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean, spread and interval of the error and the bandwidth, and the slope of log error in log n."""
        rows = records.filter(pl.col("kind") == AnchorProcessTask.kind)
        table = summarise_over_seeds(rows, ["process", "radius", "n"], ["mse", "bandwidth", "forced"])
        slopes = [
            {"process": process, "radius": radius, "measure": "slope", **fit_slope(group, "n", "mse")}
            for (process, radius), group in rows.group_by("process", "radius", maintain_order=True)
        ]
        return pl.concat([table, pl.DataFrame(slopes)], how="diagonal_relaxed")

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge per process and radius: the error falls with n, as fast as for iid anchors, to below twice theirs."""
        rows = records.filter(pl.col("kind") == AnchorProcessTask.kind)
        last = rows.filter(pl.col("n") == pl.col("n").max())
        base = last.filter(pl.col("process") == "iid").sort("seed")["mse"].to_numpy()
        table = summarise_over_seeds(rows, ["process", "radius", "n"], ["mse"])
        means = {key: list(part.iter_rows(named=True)) for key, part in table.group_by("process", "radius")}
        iid = {row["n"]: row["mean"] for row in means["iid", 0.0]}
        independent = rows.filter(pl.col("process") == "iid")
        falls, alike, near, where = [], [], [], "Figure 3, bottom"
        for (process, radius), group in last.group_by("process", "radius", maintain_order=True):
            if process == "iid":
                continue
            setting = f"{process}, r = {radius:g}"
            own = rows.filter(pl.col("process") == process, pl.col("radius") == radius)
            trend, gap = fit_slope(own, "n", "mse"), fit_slope_difference(own, independent, "n", "mse")
            interval = f"{trend['low']:.2f} to {trend['high']:.2f}"
            verdict = judge_bootstrap_bound(trend["low"], trend["high"], 0.0, base.size, MIN_SLOPE)
            falls.append(Claim(_ERROR_FALLS, where, f"{trend['mean']:.2f}", interval, verdict, setting))
            interval = f"{gap['low']:+.2f} to {gap['high']:+.2f}"
            verdict = judge_bootstrap_bound(gap["low"], gap["high"], MAX_SLOPE_DIFFERENCE, base.size)
            alike.append(Claim(_SIMILAR_SLOPE, where, f"{gap['mean']:+.2f}", interval, verdict, setting))
            ratio, low, high = bootstrap_ratio(group.sort("seed")["mse"].to_numpy(), base)
            peak, at = max((row["mean"] / iid[row["n"]], row["n"]) for row in means[process, radius])
            found = f"{ratio:.2f} at n = {last['n'][0]}, at most {peak:.1f} (n = {at})"
            verdict = judge_bootstrap_bound(low, high, 2.0, base.size)
            near.append(Claim(_LESS_THAN_TWICE, where, found, f"{low:.2f} to {high:.2f}", verdict, setting, "ours"))
        return [*falls, *alike, *near]


MAX_SLOPE_DIFFERENCE = 0.2
"""Largest difference of log-log slopes that counts as a similar fall."""
_SIMILAR_SLOPE = (
    "The error falls in a similar way as for independent anchors: "
    f"log-log slope less theirs, at most {MAX_SLOPE_DIFFERENCE:g}."
)
_ERROR_FALLS = "The error falls as the number of anchors grows, also when they are not independent: log-log slope."
_LESS_THAN_TWICE = "At the most anchors the error is less than twice that of independent ones: their ratio."
