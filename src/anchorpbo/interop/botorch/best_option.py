"""Risk-averse expected utility of the best option of a duel (eq. raeubo), on any BoTorch model.

    RAEUBO(x1, x2) = E max(f(x1) - alpha n(x1), f(x2) - alpha n(x2)) = max(m1, m2) + s phi(z) - |m1 - m2| Phi(-|z|)

with m_i = mean(x_i) - alpha n(x_i), s^2 = Var(f(x1) - f(x2)) from the joint posterior and z = (m1 - m2) / s; alpha is
`risk_aversion`. See `anchorpbo.acquisition.best_option`.
"""

from __future__ import annotations

import torch
from botorch.acquisition.analytic import AnalyticAcquisitionFunction
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

from anchorpbo.errors import ShapeError
from anchorpbo.interop.botorch.noise import NoiseMap, as_noise
from anchorpbo.interop.botorch.tensors import as_designs
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap

_SMALLEST_VARIANCE = 1e-24
"""Below this the difference of a pair is taken as known; its root has no slope at 0."""


class RAEUBO(AnalyticAcquisitionFunction):
    """Risk-averse expected utility of the best option.

    Parameters
    ----------
    model, posterior_transform
        A model with a joint posterior over two designs, and what makes one output of several.
    noise
        The noise map, of designs as the acquisition sees them.
    risk_aversion
        alpha, at least 0; 0 gives EUBO.
    previous_winner
        A design, 1 x d, that takes part in every duel: then X has q = 1. The value is the same as for the pair, where
        BoTorch's EUBO leaves out the winner's mean.
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
        """Values, b, of pairs X, b x 2 x d, or of designs against the previous winner, b x 1 x d."""
        X = self._pairs(X)
        posterior = self.model.posterior(X, posterior_transform=self.posterior_transform)
        noise = self.noise(X)
        # An ensemble has a dimension of its own before q.
        noise = noise.unsqueeze(-2) if is_ensemble(self.model) else noise
        means = posterior.mean.squeeze(-1) - self.risk_aversion * noise
        covariance = posterior.distribution.covariance_matrix
        variance = covariance[..., 0, 0] + covariance[..., 1, 1] - 2.0 * covariance[..., 0, 1]
        return _best_of_two(means[..., 0], means[..., 1], variance.clamp_min(_SMALLEST_VARIANCE).sqrt())

    def _pairs(self, X: Tensor) -> Tensor:
        expected = 2 if self.previous_winner is None else 1
        if X.shape[-2] != expected:
            kind = "pairs" if expected == 2 else "one design beside the previous winner"
            rule = f"RAEUBO scores {kind}, so X must have shape b x {expected} x d"
            raise ShapeError(rule, tuple(X.shape), f"search with q={expected}")
        if self.previous_winner is None:
            return X
        return torch.cat([X, match_batch_shape(self.previous_winner.to(X), X)], dim=-2)


def _best_of_two(m1: Tensor, m2: Tensor, s: Tensor) -> Tensor:
    """E max of two Gaussians: the larger mean, and a gain that is computed without cancellation."""
    margin = (m1 - m2).abs()
    z = margin / s
    return torch.maximum(m1, m2) + (s * phi(z) - margin * ndtr(-z)).clamp_min(0.0)
