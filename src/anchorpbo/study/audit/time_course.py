"""Drift and fatigue: whether the taste moves during the study, and whether answers become noisier.

`evidence` has the model: rho is the correlation of the taste at the end with that at the beginning, r = exp(beta) the
ratio of the noise at the end to that at the beginning. The two are told apart by the other answers: if the taste moves,
late answers agree with each other; if attention fades, they agree with nothing. The one that explains the answers
better is computed alone, and the other one given the first at its highest evidence, so that a drift is not taken for a
fatigue as well.

rho has a uniform prior, and beta is normal with mean 0. The evidence for a fault is a Bayes factor,

    drift      P(answers | rho uniform in [0, 1]) / P(answers | rho = 1)
    fatigue    P(answers | beta half-normal, above 0) / P(answers | beta = 0)

If the model of a steady user is right, a Bayes factor reaches B with a probability of at most 1 / B (Markov's
inequality); docs/decisions/0049-audit.md has the rates that were measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import logsumexp

from anchorpbo.formatting import format_fixed
from anchorpbo.numerics.shares import GridPosterior, Interval
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.evidence import VariantEvidence
from anchorpbo.study.audit.finding import Course, Density, Finding, FindingLevel
from anchorpbo.study.audit.words import ask_for_more, describe_factor, explain_missing, format_numbers
from anchorpbo.typing import Array

MIN_ANSWERS = 20
"""Smallest number of answers for a statement about changes over the study."""
CORRELATIONS = (0.03, 0.25, 0.5, 0.75, 0.92, 1.0)
"""Values of rho with an evidence."""
LOG_RATIOS = np.linspace(-3.0, 3.0, 9)
"""Values of beta with an evidence; the noise changes by a factor of at most 20."""
LOG_RATIO_SPREAD = 1.5
"""Standard deviation of the prior of beta."""
_AGREEMENTS: Mapping[FindingLevel, str] = {
    "warning": "contradict each other", "note": "may contradict each other", "good": "agree",
    "unknown": "agree as far as can be told",
}  # fmt: skip
ANY_RATIO: Interval = (float(np.exp(LOG_RATIOS[0])), float(np.exp(LOG_RATIOS[-1])))
DRIFT_FACTOR, FATIGUE_FACTOR, NOTE_SHARE = 10.0, 3.0, 0.5
"""Bayes factors of a warning, and the share of them of a note."""
MOVED_CORRELATION, TIRED_RATIO = 0.3, 3.0
"""Correlation of the tastes, and ratio of the noise, that are faults."""


@dataclass(frozen=True, eq=False)
class TimeCourse:
    """Posteriors of the changes over a study."""

    correlation: GridPosterior
    """Posterior of rho."""
    log_ratio: GridPosterior
    """Posterior of beta."""
    drift_factor: float
    """Bayes factor of a drift."""
    fatigue_factor: float
    """Bayes factor of a fatigue."""


def compare_times(answers: AnswerTable) -> TimeCourse:
    """Compute the posteriors of rho and beta."""
    evidence = VariantEvidence.of(answers)

    def vary_rho(beta: float) -> Array:
        return np.array([evidence.average_scales(rho=each, beta=beta) for each in CORRELATIONS])

    def vary_beta(rho: float) -> Array:
        return np.array([evidence.average_scales(rho=rho, beta=float(each)) for each in LOG_RATIOS])

    by_rho, by_beta = vary_rho(0.0), vary_beta(1.0)
    if by_rho.max() >= by_beta.max():
        by_beta = vary_beta(CORRELATIONS[int(np.argmax(by_rho))])
    else:
        by_rho = vary_rho(float(LOG_RATIOS[int(np.argmax(by_beta))]))
    rho, beta = np.linspace(CORRELATIONS[0], 1.0, 195), np.linspace(LOG_RATIOS[0], LOG_RATIOS[-1], 241)
    of_rho, of_beta = PchipInterpolator(CORRELATIONS, by_rho)(rho), PchipInterpolator(LOG_RATIOS, by_beta)(beta)
    log_prior, above = -0.5 * (beta / LOG_RATIO_SPREAD) ** 2, beta >= 0.0
    drift = logsumexp(of_rho) - np.log(len(rho)) - of_rho[-1]
    fatigue = logsumexp((of_beta + log_prior)[above]) - logsumexp(log_prior[above]) - of_beta[len(beta) // 2]
    return TimeCourse(
        GridPosterior.from_log_density(rho, of_rho),
        GridPosterior.from_log_density(beta, of_beta + log_prior),
        float(np.exp(np.clip(drift, -50.0, 50.0))),
        float(np.exp(np.clip(fatigue, -50.0, 50.0))),
    )


def find_drift(answers: AnswerTable, course: TimeCourse | None) -> Finding:
    """Return the correlation of the taste at the end of the study with that at its beginning."""
    if course is None:
        return Finding("drift", None, (0.0, 1.0), explain_missing(MIN_ANSWERS, "answers", len(answers)), "unknown")
    value, interval = course.correlation.median, course.correlation.highest_interval()
    level = _judge(course.drift_factor, DRIFT_FACTOR, excluded=interval[0] > MOVED_CORRELATION)
    agreement = _AGREEMENTS[level]
    sentence = (
        f"Early and late answers {agreement}: your taste at the end has a correlation of {format_fixed(value, 2)} "
        f"with that at the beginning ({format_numbers(interval)}). "
        f"{describe_factor(course.drift_factor, 'a taste that moved', 'a taste that stayed')}"
    )
    if level == "warning":
        sentence += " The recommendation averages both; start a new study with what you like now."
    elif level == "unknown":
        sentence += ask_for_more(f"a correlation of {MOVED_CORRELATION}")
    data = Density.of(course.correlation, 1.0, "correlation of last taste with first")
    return Finding("drift", value, interval, sentence, level, data)


def find_fatigue(answers: AnswerTable, course: TimeCourse | None) -> Finding:
    """Return the ratio of the noise of the last answers to that of the first."""
    if course is None:
        sentence = explain_missing(MIN_ANSWERS, "answers", len(answers))
        return Finding("fatigue", None, ANY_RATIO, sentence, "unknown")
    posterior = course.log_ratio
    value, interval = float(np.exp(posterior.median)), as_interval(np.exp(posterior.interval()))
    level = _judge(course.fatigue_factor, FATIGUE_FACTOR, excluded=interval[1] < TIRED_RATIO)
    sentence = (
        f"Your last answers are {format_fixed(value, 1)} times as noisy as your first ones "
        f"({format_numbers(interval, 1)}). "
        f"{describe_factor(course.fatigue_factor, 'noise that grew', 'noise that did not grow')}"
    )
    if level == "warning":
        sentence += " Take breaks, and answer the last pairs again."
    elif level == "unknown":
        sentence += ask_for_more(f"noise that becomes {TIRED_RATIO:g} times as large")
    hits = (answers.prob_first > 0.5) + 0.5 * (answers.prob_first == 0.5)
    favourite = np.maximum(answers.prob_first, 1.0 - answers.prob_first)
    width = max(len(answers) // 5, 5)
    observed, expected = (average_around(each[answers.chosen], width) for each in (hits, favourite))
    data = Course(tuple(observed.tolist()), tuple(expected.tolist()), "share of choices predicted")
    return Finding("fatigue", value, interval, sentence, level, data)


def average_around(values: Array, width: int) -> Array:
    """Return the mean of the values within half a width of each, (n,); at the ends, of fewer values."""
    if not len(values):
        return values
    totals, half = np.concatenate([[0.0], np.cumsum(values)]), width // 2
    every = np.arange(len(values))
    low, high = np.maximum(every - half, 0), np.minimum(every + half + 1, len(values))
    return np.asarray((totals[high] - totals[low]) / (high - low))


def as_interval(ends: Array) -> Interval:
    """Return two numbers as an interval."""
    return float(ends[0]), float(ends[1])


def _judge(factor: float, warning: float, *, excluded: bool) -> FindingLevel:
    """Return the level of a Bayes factor; if it is small, the fault may be excluded by the interval or not."""
    if factor >= NOTE_SHARE * warning:
        return "warning" if factor >= warning else "note"
    return "good" if excluded else "unknown"
