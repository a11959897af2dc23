"""Risk-averse acquisition functions of `anchorpbo.acquisition` in torch, for any BoTorch model.

    NoisePenalised(x)  = base(x) - risk_aversion penalty(noise(x))       penalty(n) = sqrt(n), "std", or n, "variance"
    ANPEI(x)           = the same on expected improvement (eq. anpei)
    RAHBO(x)           = the same on an upper confidence bound, with the penalty n (eq. rucb)
    RAEUBO(x1, x2)     = E max(f(x1) - alpha n(x1), f(x2) - alpha n(x2)) (eq. raeubo)
                       = max(m1, m2) + s phi(z) - |m1 - m2| Phi(-|z|)

with m_i = mean(x_i) - alpha n(x_i), s^2 = Var(f(x1) - f(x2)) from the joint posterior and z = (m1 - m2) / s; alpha is
`risk_aversion`. The base is BoTorch's own acquisition function, which handles transforms, ensembles and batches of
models.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from botorch.acquisition.analytic import AnalyticAcquisitionFunction, LogExpectedImprovement, UpperConfidenceBound
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.utils.probability.utils import ndtr, phi
from botorch.utils.transforms import (
    average_over_ensemble_models,
    is_ensemble,
    match_batch_shape,
    t_batch_mode_transform,
)
from torch import Tensor

from anchorpbo.errors import InputError, ShapeError, UnknownNameError
from anchorpbo.interop.botorch.noise import NoiseMap, as_noise
from anchorpbo.interop.botorch.tensors import as_designs
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap

_PENALTIES: dict[str, Callable[[Tensor], Tensor]] = {"std": torch.sqrt, "variance": lambda noise: noise}
_MIN_VARIANCE = 1e-24
"""Below this variance, the difference of a pair is treated as known, because the square root has no slope at 0."""


class NoisePenalised(AnalyticAcquisitionFunction):
    """Any analytic acquisition function of one design, minus a penalty for the noise there.

    Parameters
    ----------
    base
        The acquisition function, with its model. With ``PosteriorMean(model)`` the result is the paper's risk-adjusted
        value.
    noise
        The noise map, in the coordinates of X.
    risk_aversion
        Weight of the penalty, at least 0.
    penalty
        ``"variance"``, the noise itself, or ``"std"``, its root.
    """

    def __init__(
        self,
        base: AnalyticAcquisitionFunction,
        noise: NoiseMap | NumpyNoiseMap,
        risk_aversion: float = 10.0,
        penalty: str = "variance",
    ) -> None:
        if not isinstance(base, AnalyticAcquisitionFunction):
            rule, remedy = (
                "base must be an analytic acquisition function",
                "write UpperConfidenceBound(model, beta=4.0)",
            )
            raise InputError(rule, type(base).__name__, remedy)
        if penalty not in _PENALTIES:
            raise UnknownNameError.of("penalty", penalty, _PENALTIES)
        # The base has checked its outputs; with constraints it has several.
        super().__init__(base.model, base.posterior_transform, allow_multi_output=True)
        self.base = base
        self.noise = as_noise(noise)
        self.risk_aversion = as_non_negative("risk_aversion", risk_aversion)
        self.penalty = penalty
        self._penalty = _PENALTIES[penalty]

    @t_batch_mode_transform(expected_q=1)
    def forward(self, X: Tensor) -> Tensor:
        """Return the values, b, at designs X, b x 1 x d."""
        return self._value(self.base(X)) - self.risk_aversion * self._penalty(self.noise(X)).squeeze(-1)

    def _value(self, value: Tensor) -> Tensor:
        """Return the value that the penalty is subtracted from."""
        return value


class ANPEI(NoisePenalised):
    """Aleatoric noise-penalised expected improvement.

    Parameters
    ----------
    model, posterior_transform
        As in `LogExpectedImprovement`.
    noise
        The noise map, in the coordinates of X.
    best_f
        The value to improve on: a number, or a tensor with one number per model of a batch. For comparisons it is the
        best posterior mean over the compared designs, ``AnchoredPairwiseModel.best_f``.
    risk_aversion
        gamma, at least 0; 0 gives EI.
    penalty
        ``"std"``, the root of the noise, or ``"variance"``, the noise itself.
    log
        Whether to use log EI instead of EI; the penalty is then subtracted from a logarithm.
    """

    def __init__(
        self,
        model: Model,
        noise: NoiseMap | NumpyNoiseMap,
        best_f: float | Tensor,
        risk_aversion: float = 10.0,
        penalty: str = "std",
        log: bool = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> None:
        # A plain number would become a float32.
        best_f = best_f if isinstance(best_f, Tensor) else torch.tensor(best_f, dtype=torch.float64)
        super().__init__(LogExpectedImprovement(model, best_f, posterior_transform), noise, risk_aversion, penalty)
        self.log = bool(log)

    def _value(self, value: Tensor) -> Tensor:
        return value if self.log else value.exp()


class RAHBO(NoisePenalised):
    """Risk-averse upper confidence bound.

    Parameters
    ----------
    model, posterior_transform
        As in `UpperConfidenceBound`.
    noise
        The noise map, in the coordinates of X.
    exploration
        eta, at least 0: number of standard deviations; BoTorch's beta is its square.
    risk_aversion
        gamma, at least 0; 0 gives UCB.
    """

    def __init__(
        self,
        model: Model,
        noise: NoiseMap | NumpyNoiseMap,
        exploration: float = 2.0,
        risk_aversion: float = 10.0,
        posterior_transform: PosteriorTransform | None = None,
    ) -> None:
        exploration = as_non_negative("exploration", exploration)
        beta = torch.tensor(exploration**2, dtype=torch.float64)
        super().__init__(UpperConfidenceBound(model, beta, posterior_transform), noise, risk_aversion)
        self.exploration = exploration


class RAEUBO(AnalyticAcquisitionFunction):
    """Risk-averse expected utility of the best option.

    Parameters
    ----------
    model, posterior_transform
        A model with a joint posterior over two designs, and a transform to one output.
    noise
        The noise map, in the coordinates of X.
    risk_aversion
        alpha, at least 0; 0 gives EUBO.
    previous_winner
        A design, 1 x d, that is part of every duel; X then has q = 1. The value is the value of the pair; BoTorch's
        EUBO leaves out the winner's mean instead.
    """

    def __init__(
        self,
        model: Model,
        noise: NoiseMap | NumpyNoiseMap,
        risk_aversion: float = 10.0,
        previous_winner: Tensor | None = None,
        posterior_transform: PosteriorTransform | None = None,
    ) -> None:
        super().__init__(model, posterior_transform)
        self.noise = as_noise(noise)
        self.risk_aversion = as_non_negative("risk_aversion", risk_aversion)
        if previous_winner is not None and as_designs(previous_winner, name="previous_winner").shape[-2] != 1:
            rule, remedy = "previous_winner must have shape 1 x d", "give one design, winner.unsqueeze(0)"
            raise ShapeError(rule, tuple(previous_winner.shape), remedy)
        self.register_buffer("previous_winner", previous_winner)

    @t_batch_mode_transform()
    @average_over_ensemble_models
    def forward(self, X: Tensor) -> Tensor:
        """Return the values, b, of pairs X, b x 2 x d, or of designs against the previous winner, b x 1 x d."""
        X = self._as_pairs(X)
        posterior = self.model.posterior(X, posterior_transform=self.posterior_transform)
        noise = self.noise(X)
        # An ensemble has an extra dimension before q.
        noise = noise.unsqueeze(-2) if is_ensemble(self.model) else noise
        means = posterior.mean.squeeze(-1) - self.risk_aversion * noise
        covariance = posterior.distribution.covariance_matrix
        variance = covariance[..., 0, 0] + covariance[..., 1, 1] - 2.0 * covariance[..., 0, 1]
        return _expected_maximum(means[..., 0], means[..., 1], variance.clamp_min(_MIN_VARIANCE).sqrt())

    def _as_pairs(self, X: Tensor) -> Tensor:
        expected = 2 if self.previous_winner is None else 1
        if X.shape[-2] != expected:
            kind = "pairs" if expected == 2 else "one design beside the previous winner"
            rule = f"RAEUBO scores {kind}, so X must have shape b x {expected} x d"
            raise ShapeError(rule, tuple(X.shape), f"search with q={expected}")
        if self.previous_winner is None:
            return X
        return torch.cat([X, match_batch_shape(self.previous_winner.to(X), X)], dim=-2)


def _expected_maximum(m1: Tensor, m2: Tensor, s: Tensor) -> Tensor:
    """Return E max of two Gaussians: the larger mean plus a gain computed without cancellation."""
    margin = (m1 - m2).abs()
    z = margin / s
    return torch.maximum(m1, m2) + (s * phi(z) - margin * ndtr(-z)).clamp_min(0.0)
