"""Accuracy of noise maps: each kind of map against truths of each kind, matched and mismatched.

::

    n(x)         true noise, a map with anchors of known structure; its scale is 1 and its strength 3
    n^(x)        the map under test: it has the anchors, but must choose its bandwidths itself
    X            2,000 random designs, uniform in the unit cube
    b            mean over X of log n(x) - log n^(x), the best constant offset
    error        root of the mean over X of (log n^(x) + b - log n(x))^2
    loss         mean over 1,000 random pairs of KL(p | p^), in nats per 100 answers
    p            Phi(g / sqrt(n(x) + n(x'))), g ~ N(0, 6): the probability of an answer; p^ the same with e^b n^

g has the variance of the difference of two utilities under the median output scale of the default preset, 3. The loss
is the expected log-likelihood that an answer loses under the map instead of the truth, with the utilities known. The
offset is free, because a study learns or fixes the scale apart from the shape of the map.

Each truth has ten anchors, of which six are negative anchors in one of the truths:

    isotropic       one bandwidth between a tenth and a fifth of the diagonal, 3 dimensions
    adaptive        a narrow and a wide cluster with bandwidths of 0.08 and 0.3, 2 dimensions
    per dimension   widths from 0.12 to 0.6, around a cluster of these proportions, 4 dimensions
    irrelevant      2 of 6 dimensions matter, with a bandwidth of 0.2; the anchors are uniform in the others
    negative        four anchors, and six negative anchors elsewhere, 3 dimensions
    constant        the same noise everywhere; the anchors are uniform, 3 dimensions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from scipy.special import log_ndtr, ndtr

from anchorpbo.reliability import BoundedReliability, EuclideanMetric, NoiseMap
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.figures.text_table import Cell, TextTable
from anchorpbo.typing import Array

SEEDS = 40
ANCHORS = 10
DESIGNS, PAIRS = 2_000, 1_000
DIFFERENCE_VARIANCE = 6.0
"""Variance of the difference of two utilities, in units of the noise far from all anchors."""
_FLAT = 100.0
"""Length-scale of a coordinate that does not matter."""


@dataclass(frozen=True, eq=False)
class Truth:
    """A true noise map and what a user tells of it."""

    noise: NoiseMap
    anchors: Array
    """Designs the user knows well, (n, d)."""
    negative: Array
    """Designs the user cannot judge, (k, d)."""
    lengthscales: Array
    """Length-scales that a kernel would learn, (d,)."""


def _draw_isotropic(rng: np.random.Generator) -> Truth:
    anchors, h = _draw_cluster(rng, np.full(3, 0.2)), _draw_bandwidth(rng, 3)
    return _tell(NoiseMap.bounded(anchors, h), anchors)


def _draw_adaptive(rng: np.random.Generator) -> Truth:
    half, widths = ANCHORS // 2, np.array([0.08, 0.3])
    clusters = [_draw_cluster(rng, np.full(2, 0.5 * width), half) for width in widths]
    anchors, h = np.concatenate(clusters), float(np.sqrt(widths.prod()))
    score = BoundedReliability(anchors, h, factors=np.repeat(widths / h, half))
    return _tell(NoiseMap(score, strength=3.0), anchors)


def _draw_per_dimension(rng: np.random.Generator) -> Truth:
    widths = rng.permutation(np.geomspace(0.12, 0.6, 4))
    anchors = _draw_cluster(rng, 0.7 * widths)
    return _tell(NoiseMap.bounded(anchors, widths), anchors)


def _draw_irrelevant(rng: np.random.Generator) -> Truth:
    anchors = rng.random((ANCHORS, 6))
    anchors[:, :2] = _draw_cluster(rng, np.full(2, 0.2))
    metric = EuclideanMetric(lengthscales=(1.0, 1.0, _FLAT, _FLAT, _FLAT, _FLAT))
    return _tell(NoiseMap.bounded(anchors, 0.2, metric=metric), anchors, lengthscales=np.array([0.3] * 2 + [3.0] * 4))


def _draw_negative(rng: np.random.Generator) -> Truth:
    anchors, negative = _draw_cluster(rng, np.full(3, 0.15), 4), _draw_cluster(rng, np.full(3, 0.15), ANCHORS - 4)
    return _tell(NoiseMap.bounded(anchors, _draw_bandwidth(rng, 3), negative=negative), anchors, negative)


def _draw_constant(rng: np.random.Generator) -> Truth:
    return _tell(NoiseMap.constant(1.0), rng.random((ANCHORS, 3)))


def _draw_cluster(rng: np.random.Generator, spreads: Array, n: int = ANCHORS) -> Array:
    """Return n normal designs, (n, d), about a random centre, inside the cube."""
    return np.clip(rng.uniform(0.2, 0.8, len(spreads)) + spreads * rng.standard_normal((n, len(spreads))), 0.0, 1.0)


def _draw_bandwidth(rng: np.random.Generator, d: int) -> float:
    lower, upper = EuclideanMetric().default_bandwidths(d)
    return float(np.exp(rng.uniform(np.log(lower), np.log(upper))))


def _tell(noise: NoiseMap, anchors: Array, negative: Array | None = None, lengthscales: Array | None = None) -> Truth:
    d = anchors.shape[1]
    none, same = np.empty((0, d)), np.full(d, 0.3)
    return Truth(noise, anchors, none if negative is None else negative, same if lengthscales is None else lengthscales)


TRUTHS: Mapping[str, Callable[[np.random.Generator], Truth]] = {
    "isotropic": _draw_isotropic,
    "adaptive": _draw_adaptive,
    "per dimension": _draw_per_dimension,
    "irrelevant": _draw_irrelevant,
    "negative": _draw_negative,
    "constant": _draw_constant,
}
"""Truths by name."""

MAPS: Mapping[str, Callable[[Truth], NoiseMap]] = {
    "bounded": lambda truth: NoiseMap.bounded(truth.anchors),
    "adaptive": lambda truth: NoiseMap.bounded(truth.anchors, adaptive=True),
    "per dimension": lambda truth: NoiseMap.bounded(truth.anchors, "loo-per-dimension"),
    "learnt metric": lambda truth: NoiseMap.bounded(
        truth.anchors, metric=EuclideanMetric().with_lengthscales(truth.lengthscales)
    ),
    "negative anchors": lambda truth: NoiseMap.bounded(truth.anchors, negative=truth.negative),
    "constant": lambda truth: NoiseMap.constant(1.0),
}
"""Maps by name, as functions of what the user tells. The learnt metric has the true length-scales. Without negative
anchors the fifth is the first, and with equal length-scales so is the fourth."""
BASELINE = "bounded"


def measure_error(truth: NoiseMap, noise: NoiseMap, designs: Array) -> tuple[float, float]:
    """Return the error of a map at designs, (n, d), and the offset b of its logarithm."""
    gaps = np.log(truth(designs)) - np.log(noise(designs))
    return float(gaps.std()), float(gaps.mean())


def measure_loss(truth: NoiseMap, noise: NoiseMap, offset: float, pairs: Array, differences: Array) -> float:
    """Return the mean of KL(p | p^) over pairs, (m, 2, d), whose utilities differ by (m,), in nats per 100 answers."""
    margins = [
        differences / np.sqrt(factor * (noisy(pairs[:, 0]) + noisy(pairs[:, 1])))
        for noisy, factor in ((truth, 1.0), (noise, np.exp(offset)))
    ]
    sides = (ndtr(sign * margins[0]) * (log_ndtr(sign * margins[0]) - log_ndtr(sign * margins[1])) for sign in (1, -1))
    return 100.0 * float(np.mean(sum(sides)))


@dataclass(frozen=True)
class MapAccuracyTask(ExperimentTask):
    """The error and the loss of each map under one truth; one row per map."""

    kind: ClassVar[str] = "map-accuracy"
    truth: str
    """Name of the truth."""
    seed: int

    def run(self) -> RecordColumns:
        """Measure the maps; all have the same designs, pairs and utilities."""
        rng = np.random.default_rng([self.seed, list(TRUTHS).index(self.truth)])
        truth = TRUTHS[self.truth](rng)
        d = truth.anchors.shape[1]
        designs, pairs = rng.random((DESIGNS, d)), rng.random((PAIRS, 2, d))
        differences = np.sqrt(DIFFERENCE_VARIANCE) * rng.standard_normal(PAIRS)
        rows = []
        for make in MAPS.values():
            noise = make(truth)
            error, offset = measure_error(truth.noise, noise, designs)
            rows.append((error, measure_loss(truth.noise, noise, offset, pairs, differences)))
        errors, losses = zip(*rows, strict=True)
        return {"map": list(MAPS), "error": list(errors), "loss": list(losses)}


def make_map_tasks(seeds: int = SEEDS, first_seed: int = 0) -> list[MapAccuracyTask]:
    """Return the tasks for this many seeds of each truth."""
    return [MapAccuracyTask(truth, seed) for seed in range(first_seed, first_seed + seeds) for truth in TRUTHS]


# -- summary and tables ------------------------------------------------------------------------------------------------

MEASURES: Mapping[str, tuple[str, int]] = {
    "error": ("Error of the log noise", 2),
    "loss": ("Loss of log-likelihood, in nats per 100 answers", 2),
}
"""Title and digits of each measure."""


def summarise_maps(records: pl.DataFrame) -> pl.DataFrame:
    """Return mean and 95 % interval over seeds for each truth, map and measure.

    ``gap`` is the mean of the map less the bounded one in pairs of one seed, with its interval.
    """
    rows = []
    for truth in [name for name in TRUTHS if name in set(records["truth"])]:
        part = records.filter(pl.col("truth") == truth).sort("seed", maintain_order=True)
        for measure in MEASURES:
            base = part.filter(pl.col("map") == BASELINE)[measure].to_numpy()
            for name in MAPS:
                values = part.filter(pl.col("map") == name)[measure].to_numpy()
                over, gap = Interval.of_mean(values), Interval.of_mean(values - base)
                rows.append(
                    (truth, name, measure, len(values), over.mean, over.low, over.high, gap.mean, gap.low, gap.high)
                )
    schema = ["truth", "map", "measure", "seeds", "mean", "low", "high", "gap", "gap_low", "gap_high"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def tabulate_maps(summary: pl.DataFrame, measure: str = "error") -> TextTable:
    """Return the table of a measure: a row per truth and a column per map; the smallest mean of a row is bold."""
    title, digits = MEASURES[measure]
    part, rows = summary.filter(pl.col("measure") == measure), []
    for truth in part["truth"].unique(maintain_order=True):
        found = {row["map"]: row for row in part.filter(pl.col("truth") == truth).to_dicts()}
        texts = {
            name: Interval(row["mean"], row["low"], row["high"]).format_half_width(digits)
            for name, row in found.items()
        }
        best = min(f"{row['mean']:.{digits}f}" for row in found.values())
        cells = [Cell(texts[name], f"{found[name]['mean']:.{digits}f}" == best) for name in MAPS]
        rows.append((Cell(truth), *cells))
    seeds = int(part["seeds"].to_numpy().max())
    note = (
        f"Rows: truth. Columns: map. Mean over {seeds} seeds with half of its 95 % interval; the "
        "smallest of a row is bold."
    )
    return TextTable(title, ("truth", *MAPS), tuple(rows), ("l", *("r" * len(MAPS))), note)
