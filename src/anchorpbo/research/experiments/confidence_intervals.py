"""Means, slopes and ratios with confidence intervals over seeds, and verdicts from them.

::

    interval    mean +- t_{n-1, 0.975} s / sqrt(n)

Strategies are compared in pairs: runs with one seed share their anchors, initial duels and the user's random numbers,
so the difference of two runs varies less than either run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import betaincinv, stdtrit

from anchorpbo.research.experiments.verdicts import Verdict
from anchorpbo.typing import Array

BOOTSTRAP_RESAMPLES = 2000
MIN_SEEDS = 10
"""Smallest number of seeds for which a bootstrap interval decides a verdict."""
MIN_SLOPE = 0.1
"""A log slope flatter than this counts as zero."""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of_mean(cls, values: npt.ArrayLike) -> Interval:
        """Return the mean of independent values, (n,), with its interval; a single value has no bounds."""
        sample = np.asarray(values, dtype=np.float64)
        mean, n = float(sample.mean()), len(sample)
        half = float(stdtrit(n - 1, 0.975)) * float(sample.std(ddof=1)) / np.sqrt(n) if n > 1 else np.inf
        return cls(mean, mean - half, mean + half)

    @classmethod
    def of_slope(cls, x: npt.ArrayLike, y: npt.ArrayLike) -> Interval:
        """Return the least-squares slope of y in x, (n,) each with n at least 3, and its t interval."""
        at, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        centred = at - at.mean()
        slope = float(centred @ values / (centred @ centred))
        residuals = values - values.mean() - slope * centred
        error = np.sqrt(residuals @ residuals / (len(at) - 2) / (centred @ centred))
        half = float(stdtrit(len(at) - 2, 0.975) * error)
        return cls(slope, slope - half, slope + half)

    def format_half_width(self, digits: int = 2, *, signed: bool = False) -> str:
        """Return the mean and half of the interval as text, such as ``0.71 ± 0.02``; the mean alone without bounds."""
        mean = f"{self.mean:{'+' if signed else ''}.{digits}f}"
        return f"{mean} ± {self.mean - self.low:.{digits}f}" if np.isfinite(self.low) else mean

    def format_bounds(self, digits: int = 3) -> str:
        """Return the bounds as text for a table."""
        return f"{self.low:+.{digits}f} to {self.high:+.{digits}f}"

    def judge_above(self, threshold: float = 0.0) -> Verdict:
        """Judge the claim that the mean is above a threshold."""
        return "agrees" if self.low > threshold else "differs" if self.high < threshold else "open"

    def judge_below(self, threshold: float = 0.0) -> Verdict:
        """Judge the claim that the mean is below a threshold."""
        return "agrees" if self.high < threshold else "differs" if self.low > threshold else "open"

    def judge_not_above(self, margin: float) -> Verdict:
        """Judge the claim of no improvement: differs above zero, agrees below the margin, open otherwise."""
        return "differs" if self.low > 0.0 else "agrees" if self.high < margin else "open"


def summarise_over_seeds(rows: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Return mean, standard deviation and 95 % interval of values over seeds; one row per group and value."""
    long = rows.unpivot(on=list(values), index=list(by), variable_name="measure", value_name="value")
    value = pl.col("value")
    table = long.group_by(*by, "measure", maintain_order=True).agg(
        mean=value.mean(), std=value.std(), seeds=value.len()
    )
    seeds = table["seeds"].to_numpy()
    half = stdtrit(np.maximum(seeds - 1, 1), 0.975) / np.sqrt(seeds)
    reach = pl.Series(half) * table["std"]
    return table.with_columns(low=table["mean"] - reach, high=table["mean"] + reach)


def fit_slope(rows: pl.DataFrame, x: str, y: str, *, log_x: bool = True, above: float = 0.0) -> dict[str, float]:
    """Fit the slope of log(mean of y over seeds - ``above``) in (log) x, with a bootstrap interval over seeds."""
    return _estimate_slope(*_bootstrap_slopes(rows, x, y, log_x, above))


def fit_slope_difference(rows: pl.DataFrame, other: pl.DataFrame, x: str, y: str) -> dict[str, float]:
    """Fit the log-log slope of y minus that of other rows; the shared seeds are resampled together."""
    (slopes, seeds), (others, _) = (
        _bootstrap_slopes(each.sort("seed", maintain_order=True), x, y) for each in (rows, other)
    )
    return _estimate_slope(slopes - others, seeds)


def _bootstrap_slopes(rows: pl.DataFrame, x: str, y: str, log_x: bool = True, above: float = 0.0) -> tuple[Array, int]:
    """Return the slope followed by those of resampled seeds, and the number of seeds."""
    table = rows.pivot(on=x, index="seed", values=y, sort_columns=False).drop("seed")
    at = np.array([float(name) for name in table.columns])
    at = np.log(at) if log_x else at
    values = table.to_numpy() - above
    picks = np.random.default_rng(0).integers(len(values), size=(BOOTSTRAP_RESAMPLES, len(values)))
    means = np.concatenate([values.mean(axis=0, keepdims=True), values[picks].mean(axis=1)])
    centred = at - at.mean()
    # If every seed reaches the limit exactly, the logarithm is clipped, far below any measured value.
    return np.log(np.maximum(means, 1e-300)) @ centred / (centred @ centred), len(values)


def _estimate_slope(slopes: Array, seeds: int) -> dict[str, float]:
    low, high = np.quantile(slopes[1:], [0.025, 0.975]) if seeds > 2 else (np.nan, np.nan)
    return {"mean": float(slopes[0]), "low": float(low), "high": float(high), "seeds": seeds}


def bootstrap_ratio(first: Array, second: Array) -> tuple[float, float, float]:
    """Return mean(first) / mean(second), paired by seed, with a bootstrap interval over seeds."""
    picks = np.random.default_rng(0).integers(len(first), size=(BOOTSTRAP_RESAMPLES, len(first)))
    low, high = np.quantile(first[picks].mean(axis=1) / second[picks].mean(axis=1), [0.025, 0.975])
    return float(first.mean() / second.mean()), float(low), float(high)


def judge_bootstrap_bound(low: float, high: float, limit: float, seeds: int, least: float = 0.0) -> Verdict:
    """Judge the claim that a number is below a limit, given its bootstrap interval; open if there are few seeds.

    It differs if the interval excludes values below the limit by ``least``, the smallest difference that counts.
    """
    if seeds < MIN_SEEDS:
        return "open"
    # The slope of equal values is 0 up to rounding.
    return "agrees" if high < limit - 1e-9 else "differs" if low > limit - least - 1e-9 else "open"


def compute_exact_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a probability (Clopper and Pearson)."""
    low = float(betaincinv(successes, trials - successes + 1, 0.025)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 0.975)) if successes < trials else 1.0
    return low, high
