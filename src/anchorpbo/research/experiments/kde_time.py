"""Time of the noise map at M designs with N anchors; the paper states O(N M) (appendix A, raykar2010fast).

::

    t(N, M)      CPU seconds of one evaluation of `NoiseMap.from_anchors(anchors)(X)` in three dimensions, the fastest
                 of three tries; the bandwidth is given, since leave-one-out runs only once
    a, b         least squares of log t = c + a log N + b log M over all pairs of sizes, of one repeat
    claim        a and b are below 1.1: the interval of their mean over repeats ends below it

N and M are 256 to 4096. The smallest evaluation, 65,536 pairs, takes half a millisecond, against a fixed cost of about
ten microseconds per call; the largest set of anchors is three times the size of a first-level cache. This explains
exponents of 1 up to a few hundredths. N log N would give 1.15 over these sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import thread_time
from typing import ClassVar

import numpy as np
import polars as pl

from anchorpbo.numerics.tiering import compile_eagerly
from anchorpbo.reliability import NoiseMap
from anchorpbo.research.experiments.confidence_intervals import Interval, summarise_over_seeds
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask, RecordColumns
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.typing import Array

MAP_SIZES = (256, 512, 1024, 2048, 4096)
"""Values of N and of M."""
DIMENSION, BANDWIDTH = 3, 1.0
MAX_EXPONENT = 1.1
"""Exponent below which a time counts as growing no faster than N, or M."""
SYMBOLS = {"anchors": "N", "designs": "M"}


@dataclass(frozen=True)
class KdeTimeTask(ExperimentTask):
    """One repeat: the time of every pair of sizes, one row per pair."""

    kind: ClassVar[str] = "kde-time"
    seed: int
    largest: int = MAP_SIZES[-1]
    tries: int = 3

    @property
    def effort(self) -> float:
        """Number of pairs of anchors and designs."""
        return float(self.tries * sum(self._sizes) ** 2)

    @property
    def _sizes(self) -> list[int]:
        return [size for size in MAP_SIZES if size <= self.largest]

    def run(self) -> RecordColumns:
        """Draw anchors and designs, and time the noise map."""
        rng = np.random.default_rng([self.seed, self.largest, 5])
        anchors, X = (rng.random((self.largest, DIMENSION)) for _ in range(2))
        with compile_eagerly():  # compiled before the clock starts
            NoiseMap.from_anchors(anchors[:1], BANDWIDTH)(X[:1])
        pairs = [(N, M) for N in self._sizes for M in self._sizes]
        seconds = []
        for N, M in pairs:
            noise, designs = NoiseMap.from_anchors(anchors[:N], BANDWIDTH), X[:M]
            seconds.append(min(_time_map(noise, designs) for _ in range(self.tries)))
        return {"anchors": [N for N, _ in pairs], "designs": [M for _, M in pairs], "seconds": seconds}


def _time_map(noise: NoiseMap, X: Array) -> float:
    # CPU time of this thread, so other load on the machine does not count.
    began = thread_time()
    noise(X)
    return thread_time() - began


def fit_exponents(rows: pl.DataFrame) -> dict[str, float]:
    """Return the exponents of the numbers of anchors and designs in the time, from the rows of one repeat."""
    logs = np.log(rows.select("anchors", "designs", "seconds").cast(pl.Float64).to_numpy())
    fit = np.linalg.lstsq(np.column_stack([np.ones(len(logs)), logs[:, :2]]), logs[:, 2], rcond=None)[0]
    return {"anchors": float(fit[1]), "designs": float(fit[2])}


class KdeTimeExperiment(Experiment):
    """Growth of the noise map's time with the numbers of anchors and designs."""

    name = "kde-time"
    description = "The time of the noise map against the numbers of anchors and designs."

    def make_tasks(self, size: ExperimentSize) -> Sequence[KdeTimeTask]:
        """Return one task per repeat."""
        repeats = size.seeds or (3 if size.quick else 10)
        return [KdeTimeTask(seed, 1024 if size.quick else MAP_SIZES[-1]) for seed in range(repeats)]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean, spread and interval of the time by numbers of anchors and designs, and of both exponents."""
        rows = records.filter(pl.col("kind") == KdeTimeTask.kind)
        times = summarise_over_seeds(rows, ["anchors", "designs"], ["seconds"])
        fits = _fit_repeats(rows).rename({column: f"exponent of {symbol}" for column, symbol in SYMBOLS.items()})
        slopes = summarise_over_seeds(fits, [], [f"exponent of {symbol}" for symbol in SYMBOLS.values()])
        return pl.concat([times, slopes], how="diagonal_relaxed")

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge that each exponent is at most 1, up to the cost of caches and calls."""
        rows = records.filter(pl.col("kind") == KdeTimeTask.kind)
        fits = _fit_repeats(rows)
        largest = rows.filter(
            pl.col("anchors") == pl.col("anchors").max(), pl.col("designs") == pl.col("designs").max()
        )
        pair = (largest["seconds"] / (largest["anchors"] * largest["designs"])).to_numpy().mean()
        claims = []
        for column, symbol in SYMBOLS.items():
            over = Interval.of_mean(fits[column].to_numpy())
            found, interval = f"{over.mean:.3f}, {1e9 * pair:.1f} ns a pair", f"{over.low:.3f} to {over.high:.3f}"
            setting, verdict = f"{column} {symbol}", over.judge_below(MAX_EXPONENT)
            claims.append(Claim(_CLAIM_TEXT, "Appendix A, time", found, interval, verdict, setting))
        return claims


_CLAIM_TEXT = "The time of N anchors at M designs grows no faster than N M: exponent of either number, at most 1.1."


def _fit_repeats(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the exponents of each repeat."""
    return pl.DataFrame([fit_exponents(repeat) for repeat in rows.partition_by("seed", maintain_order=True)])
