"""Scores of predicted answers and their calibration, with intervals over people.

Symbols: p_k the probability that a model gave to answer k, the answer that a person did give; i the person of the
answer. An answer to a pair has no first side, so the only calibration to test is that of the probability itself.

    log likelihood     log p_k
    Brier score        (1 - p_k)^2
    slope              b = argmax sum_k log s(b logit p_k), s the logistic function: 1 is calibrated, below 1 too sure,
                       above 1 too unsure
    its variance       sum_i S_i^2 / H^2, S_i = sum_{k of i} x_k (1 - s(b x_k)), H = sum_k x_k^2 s (1 - s), x = logit p:
                       the sandwich estimate, because answers of one person are not independent
    calibration error  sum_b (n_b / n) |accuracy_b - confidence_b| over ten bins b of the confidence max(p, 1 - p)
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, stdtrit

from anchorpbo.research.experiments.confidence_intervals import BOOTSTRAP_RESAMPLES, Interval
from anchorpbo.typing import Array, IntArray

SMALLEST = 1e-12
"""Smallest probability that counts, so that one confident error does not make a mean infinite."""
BIN_EDGES = np.linspace(0.5, 1.0, 11)
_NEWTON_STEPS, _TOLERANCE = 50, 1e-10


def score_log_likelihood(p: Array) -> Array:
    """Return log p of the answers given, (n,)."""
    return np.log(np.clip(p, SMALLEST, 1.0))


def score_brier(p: Array) -> Array:
    """Return the Brier scores (1 - p)^2 of the answers given, (n,)."""
    return np.asarray((1.0 - p) ** 2)


def estimate_calibration_slope(p: Array, people: IntArray) -> Interval:
    """Return the calibration slope with its 95 % t interval over people; 0 to infinity if it does not exist.

    Parameters
    ----------
    p
        Probabilities of the answers given, (n,).
    people
        Person of each answer, (n,).
    """
    x = logit(np.clip(p, SMALLEST, 1.0 - SMALLEST))
    _, codes = np.unique(people, return_inverse=True)
    count, slope = int(codes.max()) + 1, 1.0
    for _ in range(_NEWTON_STEPS):
        miss = expit(-slope * x)
        curvature = float(x * x @ (miss * (1.0 - miss)))
        if curvature < SMALLEST:
            return Interval(slope, 0.0, np.inf)
        step = float(x @ miss) / curvature
        slope += float(np.clip(step, -1.0, 1.0))
        if abs(step) < _TOLERANCE:
            break
    scores = np.bincount(codes, x * expit(-slope * x), minlength=count)
    half = float(stdtrit(max(count - 1, 1), 0.975) * np.sqrt(scores @ scores) / curvature)
    return Interval(slope, slope - half, slope + half)


def estimate_calibration_error(p: Array, people: IntArray) -> Interval:
    """Return the expected calibration error with a bootstrap interval over people.

    The estimate is above 0 even for a calibrated model, because the accuracy of a bin varies by chance; the interval
    is for comparisons of models on the same answers.

    Parameters
    ----------
    p
        Probabilities of the answers given, (n,).
    people
        Person of each answer, (n,).
    """
    confidence = np.maximum(p, 1.0 - p)
    right = (p > 0.5) + 0.5 * (p == 0.5)
    bins = np.clip(np.searchsorted(BIN_EDGES, confidence, side="right") - 1, 0, len(BIN_EDGES) - 2)
    _, codes = np.unique(people, return_inverse=True)
    count, width = int(codes.max()) + 1, len(BIN_EDGES) - 1
    gaps = np.bincount(codes * width + bins, right - confidence, minlength=count * width).reshape(count, width)
    sizes = np.bincount(codes, minlength=count)
    rng, draws = np.random.default_rng(0), []
    for _ in range(BOOTSTRAP_RESAMPLES):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        draws.append(np.abs(times @ gaps).sum() / (times @ sizes))
    low, high = np.quantile(draws, [0.025, 0.975])
    return Interval(float(np.abs(gaps.sum(axis=0)).sum() / sizes.sum()), float(low), float(high))


def bootstrap_correlation(x: Array, y: Array) -> Interval:
    """Return the correlation of two measures of the same people, (n,) each, with a bootstrap interval over people."""
    picks = np.random.default_rng(0).integers(len(x), size=(BOOTSTRAP_RESAMPLES, len(x)))
    draws = _correlate(x[picks], y[picks])
    low, high = np.nanquantile(draws, [0.025, 0.975]) if np.isfinite(draws).any() else (np.nan, np.nan)
    return Interval(float(_correlate(x[None], y[None])[0]), float(low), float(high))


def _correlate(x: Array, y: Array) -> Array:
    """Return the correlations of rows, (m, n) each; NaN for a row of equal values."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))
