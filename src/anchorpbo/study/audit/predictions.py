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
from anchorpbo.study.audit.finding import Density, Finding, FindingLevel
from anchorpbo.study.audit.posteriors import share_density
from anchorpbo.study.audit.words import explain_missing, format_numbers, format_percent, format_range
from anchorpbo.study.calibration import summarise_predictions

MIN_CHOICES = 10
"""Smallest number of choices for a statement about predictions or sides."""
SLOPES, BIASES = np.linspace(-2.0, 6.0, 801), np.linspace(-6.0, 6.0, 601)
"""Values of the calibration slope and of the side bias b."""
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
    if interval[1] < expected:
        sentence += " That is less than it should be: do not rely on its probabilities."
    elif interval[0] <= 0.5:
        sentence += " They may predict no better than a coin."
    level: FindingLevel = "warning" if interval[1] < expected else "note" if interval[0] <= 0.5 else "good"
    data = share_density(k, n, expected, "share of choices predicted")
    return Finding("accuracy", k / n, interval, sentence, level, data)


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
    else:
        sentence += "predicted probabilities agree with your answers."
    sentence += f" The Brier score is {format_fixed(summary.brier, 3)}; that of a coin is 0.25."
    level: FindingLevel = "warning" if interval[1] < 1.0 else "note" if interval[0] > 1.0 else "good"
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
    biased = interval[0] > 0.5 or interval[1] < 0.5
    side = "first" if share > 0.5 else "second"
    sentence = (
        f"Between two equally good designs you choose the first in {format_percent(share)} of cases "
        f"({format_range(interval)}); you chose the first {k} times in {n}."
    )
    if biased:
        sentence += f" You favour the {side} side: look at both designs before you answer."
    data = Density.of(posterior, 0.5, "first choices, equal designs")
    return Finding("side_bias", share, interval, sentence, "warning" if biased else "good", data)
