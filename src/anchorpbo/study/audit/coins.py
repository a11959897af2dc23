"""Coin flips: whether the choices of a study say more about its designs than coin flips would.

Symbols: n choices; ties are left out. Z is the probability of the choices under the model of the study, integrated over
the hyper-parameters of its kernel (`PreferenceGP.integrate_evidence`). Coin flips have the probability 2^-n.

    B = Z / 2^-n        Bayes factor of the model against coin flips

If the choices are coin flips, the expectation of B is 1, so that B reaches b with a probability of at most 1 / b
(Markov's inequality). This holds for any questions, also if they depend on earlier answers, as those of a study do.
Hyper-parameters must be integrated over for it: at fitted ones, Z is too large.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.model import PreferenceGP
from anchorpbo.model.fitting import base_name
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.selection import select_evenly

MAX_CHOICES = 150
"""Largest number of choices that are compared; of more, an even selection."""
MAX_LOG_FACTOR = 50.0
"""Largest absolute logarithm of the Bayes factor."""


def compare_with_coins(answers: AnswerTable) -> float:
    """Return the Bayes factor of the model against coin flips."""
    assert answers.model is not None
    chosen = select_evenly(np.flatnonzero(answers.chosen), MAX_CHOICES)
    n, every, generative = len(chosen), np.arange(len(chosen)), answers.model.components[0].generative
    kernel = generative.kernel
    names = {*kernel.parameter_names, *map(base_name, kernel.parameter_names)}
    learn = {name: spec for name, spec in answers.learn.items() if name in names}
    likelihood = generative.likelihood.with_threshold(0.0)
    # The search for the mode starts at the fitted hyper-parameters, which are near.
    model = PreferenceGP(kernel, likelihood, "laplace", generative.noise, learn=learn, starts=1)
    points = answers.pairs[chosen].reshape(2 * n, -1)
    log_factor = model.integrate_evidence(Duels(points, 2 * every, 2 * every + 1, bounds=None)) + n * np.log(2.0)
    return float(np.exp(np.clip(log_factor, -MAX_LOG_FACTOR, MAX_LOG_FACTOR)))
