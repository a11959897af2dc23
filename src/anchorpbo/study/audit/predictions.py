"""Accuracy and calibration of the model's leave-one-out predictions, and side bias.

Symbols: p_k is the probability of the observed winner of answer k given all other answers, q_k = max(p_k, 1 - p_k) that
of the favourite. The calibration slope is b in

    logit P(favourite of k is chosen) = b logit q_k            1: calibrated; below 1: overconfident

and the side bias is b in

    logit P(the design shown first is chosen) = b + logit P(the design shown first wins | all other answers)

reported as the share 1 / (1 + exp(-b)) of first choices between two equally good designs. Both have Jeffreys' prior,
see `anchorpbo.numerics.shares`. Leave-one-out residuals of one study are correlated, but the sides of its duels are
random signs, so the side bias is not affected.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from anchorpbo.formatting import format_fixed
from anchorpbo.numerics.shares import Interval, jeffreys_interval, logit_posterior
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.coins import compare_with_coins
from anchorpbo.study.audit.finding import Density, Finding, FindingLevel
from anchorpbo.study.audit.posteriors import share_density
from anchorpbo.study.audit.words import (
    ask_for_more,
    explain_missing,
    format_numbers,
    format_odds,
    format_percent,
    format_range,
)
from anchorpbo.study.calibration import summarise_predictions

MIN_CHOICES = 10
"""Smallest number of choices for a statement about predictions or sides."""
SLOPES, BIASES = np.linspace(-2.0, 6.0, 801), np.linspace(-6.0, 6.0, 601)
"""Values of the calibration slope and of the side bias b."""
ACCURACY_LOSS = 0.15
"""Accuracy below the expected one that is a fault."""
MIN_COIN_CHOICES = 40
"""Smallest number of choices that are called coin flips: fewer choices of a steady user may look like them."""
COIN_FACTOR, PREFERENCE_FACTOR = 2.0, 10.0
"""Bayes factors against coin flips below which choices are called coin flips, and from which they are not."""
OVERCONFIDENT_SLOPE = 0.5
"""Calibration slope that is a fault."""
SIDE_SHARE = 0.7
"""Share of choices of one side that is a fault."""
SIDE_LEVEL = 0.95
"""Probability of the interval that must exclude 1/2 for a warning."""
LEAVE_ONE_OUT = "each answer predicted from all others"
ANY_SHARE: Interval = (0.0, 1.0)


def find_accuracy(answers: AnswerTable) -> Finding:
    """Return the share of choices that all other answers predict, beside the share that the model expects."""
    p = answers.prob_first[answers.chosen]
    if len(p) < MIN_CHOICES:
        sentence = explain_missing(MIN_CHOICES, "choices", len(p))
        return Finding("accuracy", None, ANY_SHARE, sentence, "unknown")
    summary = summarise_predictions(p, 1.0 - p, LEAVE_ONE_OUT)
    n, k = len(p), int(np.count_nonzero(summary.chosen))
    interval, expected = jeffreys_interval(k, n), float(np.mean(summary.predicted))
    sentence = (
        f"Your other answers predict {k} of your {n} choices ({format_percent(k / n)}, {format_range(interval)}); "
        f"the model expects {format_percent(expected)}, a coin predicts 50 %."
    )
    level, verdict, fault = _judge_accuracy(n, interval, expected, compare_with_coins(answers))
    sentence += f" {verdict}"
    data = share_density(k, n, expected, "share of choices predicted")
    return Finding("accuracy", k / n, interval, sentence, level, data, fault)


def _judge_accuracy(n: int, interval: Interval, expected: float, factor: float) -> tuple[FindingLevel, str, str]:
    """Return the level of an accuracy, its verdict in words, and the fault in a few words.

    `factor` is the Bayes factor against coin flips.
    """
    side = "against" if factor > 1.0 else "for"
    odds = f"the evidence is {format_odds(max(factor, 1.0 / factor))} {side} coin flips."
    if factor < COIN_FACTOR and n >= MIN_COIN_CHOICES:
        verdict = f"Your answers cannot be told from coin flips: {odds} Do not rely on the recommendation."
        return "warning", verdict, "answers that cannot be told from coin flips"
    if interval[1] < expected:
        verdict = "That is less than it should be: do not rely on the probabilities."
        return "warning", f"{verdict} {odds.capitalize()}", ""
    if factor < PREFERENCE_FACTOR:
        return "unknown", f"Your answers cannot be told from coin flips yet: {odds}", ""
    if interval[0] <= expected - ACCURACY_LOSS:
        more = ask_for_more(f"an accuracy of {format_percent(expected - ACCURACY_LOSS)}")
        return "unknown", f"{odds.capitalize()}{more}", ""
    return "good", odds.capitalize(), ""


def find_calibration(answers: AnswerTable) -> Finding:
    """Return the calibration slope; its plot has the bins."""
    p, logits = answers.prob_first[answers.chosen], answers.logits[answers.chosen]
    if len(p) < MIN_CHOICES:
        sentence = explain_missing(MIN_CHOICES, "choices", len(p))
        return Finding("calibration", None, (float(SLOPES[0]), float(SLOPES[-1])), sentence, "unknown")
    summary = summarise_predictions(p, 1.0 - p, LEAVE_ONE_OUT)
    posterior = logit_posterior(np.abs(logits), np.zeros(len(p)), logits > 0.0, SLOPES)
    slope, interval = posterior.median, posterior.interval()
    sentence = f"Calibration slope {format_fixed(slope, 2)} ({format_numbers(interval)}; 1 is calibrated): "
    if interval[1] < 1.0:
        sentence += "the model is overconfident, so that surprises are more frequent than its probabilities say."
    elif interval[0] > 1.0:
        sentence += "the model is too cautious, so that its probabilities understate how well it knows you."
    elif interval[0] > OVERCONFIDENT_SLOPE:
        sentence += "predicted probabilities agree with your answers."
    else:
        sentence += "predicted probabilities agree with your answers as far as can be told."
    sentence += f" The Brier score is {format_fixed(summary.brier, 3)}; that of a coin is 0.25."
    level: FindingLevel = "warning" if interval[1] < 1.0 else "note" if interval[0] > 1.0 else "good"
    if level == "good" and interval[0] <= OVERCONFIDENT_SLOPE:
        level = "unknown"
        sentence += ask_for_more(f"a slope of {OVERCONFIDENT_SLOPE}")
    return Finding("calibration", slope, interval, sentence, level, summary)


def find_side_bias(answers: AnswerTable) -> Finding:
    """Return the share of first choices between two designs that are equally good."""
    shown = answers.sided
    n, k = int(np.count_nonzero(shown)), int(np.count_nonzero(answers.chose_first[shown]))
    if n < MIN_CHOICES:
        sentence = explain_missing(MIN_CHOICES, "choices between two designs that were shown side by side", n)
        return Finding("side_bias", None, ANY_SHARE, sentence, "unknown")
    first = answers.chose_first[shown]
    # The odds of the winner, turned into those of the design shown first.
    offset = np.where(first, 1.0, -1.0) * answers.logits[shown]
    posterior = logit_posterior(np.ones(n), offset, first, BIASES).map_values(expit)
    share, interval = posterior.median, posterior.interval()
    side = "first" if share > 0.5 else "second"
    level: FindingLevel = "good"
    if _excludes_half(posterior.interval(SIDE_LEVEL)):
        level = "warning"
    elif _excludes_half(interval):
        level = "note"
    elif interval[1] >= SIDE_SHARE or interval[0] <= 1.0 - SIDE_SHARE:
        level = "unknown"
    sentence = (
        f"Between two equally good designs you choose the first in {format_percent(share)} of cases "
        f"({format_range(interval)}); you chose the first {k} times in {n}."
    )
    if level in ("warning", "note"):
        may = "may " if level == "note" else ""
        sentence += f" You {may}favour the {side} side: look at both designs before you answer."
    elif level == "unknown":
        sentence += ask_for_more(f"a bias of {format_percent(SIDE_SHARE)}")
    data = Density.of(posterior, 0.5, "first choices, equal designs")
    return Finding("side_bias", share, interval, sentence, level, data)


def _excludes_half(interval: Interval) -> bool:
    return interval[0] > 0.5 or interval[1] < 0.5
