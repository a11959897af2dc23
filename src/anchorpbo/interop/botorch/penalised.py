"""Acquisitions of one design, less a penalty for the noise there (eq. anpei, eq. rucb), on any BoTorch model.

    NoisePenalised(x)  = base(x) - risk_aversion penalty(noise(x))       penalty(n) = sqrt(n), "std", or n, "variance"
    ANPEI(x)           = the same on expected improvement
    RAHBO(x)           = the same on an upper confidence bound, with the penalty n

The base is BoTorch's own acquisition, so that transforms, ensembles and batches of models are treated as there.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from botorch.acquisition.analytic import AnalyticAcquisitionFunction, LogExpectedImprovement, UpperConfidenceBound
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.interop.botorch.noise import NoiseMap, as_noise
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap

_PENALTIES: dict[str, Callable[[Tensor], Tensor]] = {"std": torch.sqrt, "variance": lambda noise: noise}


class NoisePenalised(AnalyticAcquisitionFunction):
    """Any analytic acquisition of one design, less a penalty for the noise there.

    Parameters
    ----------
    base
        The acquisition; it brings the model. On ``PosteriorMean(model)`` this is the paper's risk-adjusted value.
    noise
        The noise map, of designs as the acquisition sees them.
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
            rule, remedy = "base must be an analytic acquisition", "write UpperConfidenceBound(model, beta=4.0)"
            raise InputError(rule, type(base).__name__, remedy)
        if penalty not in _PENALTIES:
            raise UnknownNameError.of("penalty", penalty, _PENALTIES)
        # The base has made sure of its outputs: one with constraints has several.
        super().__init__(base.model, base.posterior_transform, allow_multi_output=True)
        self.base = base
        self.noise = as_noise(noise)
        self.risk_aversion = as_non_negative("risk_aversion", risk_aversion)
        self.penalty = penalty
        self._penalty = _PENALTIES[penalty]

    @t_batch_mode_transform(expected_q=1)
    def forward(self, X: Tensor) -> Tensor:
        """Values, b, of designs X, b x 1 x d."""
        return self._value(self.base(X)) - self.risk_aversion * self._penalty(self.noise(X)).squeeze(-1)

    def _value(self, value: Tensor) -> Tensor:
        """What the penalty is taken from."""
        return value


class ANPEI(NoisePenalised):
    """Aleatoric noise-penalised expected improvement.

    Parameters
    ----------
    model, posterior_transform
        As in `LogExpectedImprovement`.
    noise
        The noise map, of designs as the acquisition sees them.
    best_f
        The value to improve on: a number, or a tensor with one for each model of a batch. For comparisons it is the
        best posterior mean over the designs asked about, ``AnchoredPairwiseModel.best_f``.
    risk_aversion
        gamma, at least 0; 0 gives EI.
    penalty
        ``"std"``, the root of the noise, or ``"variance"``, the noise itself.
    log
        Whether log EI takes the place of EI; the penalty is then weighed against a logarithm.
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
        The noise map, of designs as the acquisition sees them.
    exploration
        eta, at least 0: how many standard deviations; BoTorch's beta is its square.
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
