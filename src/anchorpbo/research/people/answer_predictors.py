"""Models that learn from some answers of a person and predict others.

Symbols: u(x) the utility of a design x; p the probability that x is preferred to y.

    study         the model behind `Optimizer.recommend`
    PairwiseGP    p = Phi(E[u(x) - u(y)] / sqrt(2 + Var[u(x) - u(y)])), BoTorch's model with a probit likelihood
    linear        p = 1 / (1 + exp(-b'(x - y))), b = argmax sum log p - (ridge / 2) |b|^2
    chance        p = 1/2
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from anchorpbo.problems import PairAnswers
from anchorpbo.research.answers.contenders import AnswerLog
from anchorpbo.research.answers.one_hot import OneHotCoding
from anchorpbo.research.answers.pairwise_gp import fit_pairwise_gp, joint_posterior, make_pairwise_gp, seed_torch
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

_NEWTON_STEPS = 100
_logger = logging.getLogger(__name__)


class AnswerPredictor(ABC):
    """Abstract model of one person's answers."""

    @abstractmethod
    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return the probability, (n,), that the person prefers the first of each pair, (n, 2, d).

        Parameters
        ----------
        told
            Answers to learn from.
        pairs
            Coordinates of the designs to compare.
        """


@dataclass(frozen=True)
class StudyPredictor(AnswerPredictor):
    """The model of a study, after it has been told the answers."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `Optimizer`."""

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return the predictions of the model behind `Optimizer.recommend`."""
        study = Optimizer(told.space, **self.options)
        for winner, loser in zip(told.winners, told.losers, strict=True):
            study.tell_preference(told.space.decode(winner), told.space.decode(loser))
        return study.model.prob_choose(pairs[:, 0], pairs[:, 1])


class BoTorchPredictor(AnswerPredictor):
    """BoTorch's `PairwiseGP` with a probit likelihood.

    If BoTorch's fit fails, its initial hyper-parameters are kept, and the failure is logged.
    """

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Fit the hyper-parameters and return the predictions, noise included."""
        import torch
        from botorch.exceptions import ModelFittingError

        torch.set_num_threads(1)
        coding, log = OneHotCoding.of(told.space), AnswerLog(told.space.dimension)
        for pair, first_won in zip(told.pairs, told.first_won.tolist(), strict=True):
            log.add(pair, first_won)
        make_model = partial(make_pairwise_gp, coding.encode(log.points), log.winners, log.losers, "probit")
        with seed_torch(len(log)):
            model = make_model()
            try:
                fit_pairwise_gp(model)
            except ModelFittingError as error:
                _logger.warning("BoTorch could not fit %d answers: %s", len(log), error)
                model = make_model()
            flat = coding.encode(pairs.reshape(-1, pairs.shape[-1]))
            mean, covariance = joint_posterior(model.eval(), flat.reshape(len(pairs), 2, -1))
        variance = covariance[:, 0, 0] + covariance[:, 1, 1] - 2.0 * covariance[:, 0, 1]
        return np.asarray(ndtr((mean[:, 0] - mean[:, 1]) / np.sqrt(2.0 + np.maximum(variance, 0.0))))


@dataclass(frozen=True)
class LinearPredictor(AnswerPredictor):
    """Linear utility with a logit link and a ridge; Bradley-Terry for categories."""

    ridge: float

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Fit the weights and return the predictions."""
        encode = OneHotCoding.of(told.space).encode
        weights = fit_linear_utility(encode(told.winners) - encode(told.losers), self.ridge)
        return np.asarray(expit((encode(pairs[:, 0]) - encode(pairs[:, 1])) @ weights))


class ChancePredictor(AnswerPredictor):
    """No knowledge: one half for every answer."""

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return one half."""
        return np.full(len(pairs), 0.5)


def fit_linear_utility(differences: Array, ridge: float) -> Array:
    """Return the weights b, (d,), of a linear utility, from winner minus loser, (m, d), by Newton's method.

    With one coordinate per item this is the Bradley-Terry model.
    """
    weights = np.zeros(differences.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = expit(-differences @ weights)
        gradient = differences.T @ p - ridge * weights
        hessian = (differences.T * (p * (1.0 - p))) @ differences + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        # The objective is concave with curvature of at least the ridge; a step is limited for large differences.
        weights = weights + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    return weights
