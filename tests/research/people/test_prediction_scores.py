"""Scores and calibration of predictions: formulas by loops, and simulated answers whose calibration is known."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from anchorpbo.research.people.calibration import (
    bootstrap_correlation,
    estimate_calibration_error,
    estimate_calibration_slope,
    score_brier,
    score_log_likelihood,
)


def answer(p_first, rng, slope=1.0):
    """Probability that a model gave to the answers of people whose true logit is ``slope`` times the model's."""
    won = rng.random(len(p_first)) < expit(slope * logit(p_first))
    return np.where(won, p_first, 1.0 - p_first)


def test_scores_of_three_answers():
    p = np.array([0.9, 0.5, 0.2])
    np.testing.assert_allclose(score_log_likelihood(p), np.log(p))
    np.testing.assert_allclose(score_brier(p), [0.01, 0.25, 0.64])
    assert np.isfinite(score_log_likelihood(np.zeros(1))).all()


def test_the_slope_maximises_the_likelihood_and_has_the_sandwich_variance():
    rng = np.random.default_rng(0)
    p, people = answer(rng.uniform(0.1, 0.9, 60), rng), np.repeat(np.arange(12), 5)
    x = logit(p)
    best = minimize_scalar(
        lambda b: -np.log(expit(b * x)).sum(), bounds=(0, 5), method="bounded", options={"xatol": 1e-9}
    ).x
    found = estimate_calibration_slope(p, people)
    assert found.mean == pytest.approx(best, abs=1e-5)
    curvature = sum(x[k] ** 2 * expit(best * x[k]) * (1 - expit(best * x[k])) for k in range(60))
    scores = [sum(x[k] * (1 - expit(best * x[k])) for k in range(60) if people[k] == i) for i in range(12)]
    half = 2.2009851601 * np.sqrt(sum(s**2 for s in scores)) / curvature  # t quantile of 11 degrees of freedom
    assert found.high - found.mean == pytest.approx(half, rel=1e-4)


@pytest.mark.parametrize("slope", [0.5, 1.0, 1.6])
def test_the_slope_of_simulated_answers_is_found(slope):
    rng = np.random.default_rng(3)
    p = answer(rng.uniform(0.05, 0.95, 4000), rng, slope)
    found = estimate_calibration_slope(p, np.arange(4000))
    assert found.low < slope < found.high
    assert found.high - found.low < 0.25


def test_predictions_of_one_half_have_no_slope():
    found = estimate_calibration_slope(np.full(10, 0.5), np.arange(10))
    assert (found.low, found.high) == (0.0, np.inf)


def test_the_calibration_error_by_loops():
    rng = np.random.default_rng(1)
    p, people = answer(rng.uniform(0.02, 0.98, 200), rng), np.repeat(np.arange(40), 5)
    total = 0.0
    for low in np.arange(0.5, 1.0, 0.05):
        inside = [q for q in p if low <= max(q, 1 - q) < low + 0.05]
        if inside:
            accuracy = np.mean([q > 0.5 for q in inside])
            total += len(inside) / 200 * abs(accuracy - np.mean([max(q, 1 - q) for q in inside]))
    found = estimate_calibration_error(p, people)
    assert found.mean == pytest.approx(total)
    assert found.low < found.high


def test_a_model_that_is_too_sure_has_a_larger_calibration_error():
    rng, people = np.random.default_rng(2), np.arange(3000)
    p_first = rng.uniform(0.05, 0.95, 3000)
    calibrated, sure = (estimate_calibration_error(answer(p_first, rng, slope), people) for slope in (1.0, 0.4))
    assert calibrated.high < sure.low


def test_the_correlation_and_its_interval():
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    y = 0.6 * x + 0.8 * rng.normal(size=200)
    found = bootstrap_correlation(x, y)
    assert found.mean == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert found.low < 0.6 < found.high
    assert np.isnan(bootstrap_correlation(np.ones(5), np.arange(5.0)).mean)
