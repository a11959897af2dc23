"""Reliabilities in torch: the formulas of `anchorpbo.reliability` on tensors.

Symbols: X (..., d) designs, a_j anchors (n, d), h the bandwidth, s_j = |x - a_j|^2 / h^2. A categorical coordinate adds
1 / h^2 to s_j if the two differ:

    bounded      q = 1 - prod_j (1 - exp(-s_j / 2))
    density      q = 1/n sum_j exp(log_peak - d log h - rate s_j)

Anchors and numbers are buffers: `.to` moves them, and the `state_dict` has them. Other reliabilities, such as
user-defined ones or those with a Tanimoto distance, run their own numpy code, including its gradient.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from anchorpbo.interop.botorch.tensors import check_first_derivative, to_array, to_tensor
from anchorpbo.reliability import (
    BoundedReliability,
    ConstantReliability,
    DensityReliability,
    EuclideanMetric,
    Reliability,
)
from anchorpbo.reliability.profile import GaussianLike


class ReliabilityModule(Module, ABC):
    """A reliability q(x) >= 0 as a torch module."""

    @abstractmethod
    def forward(self, X: Tensor) -> Tensor:
        """Return q, (...), at designs X, (..., d)."""

    @property
    @abstractmethod
    def reliability(self) -> Reliability:
        """Return the same reliability in numpy."""


def to_module(reliability: Reliability) -> ReliabilityModule:
    """Return the torch module of a reliability."""
    if isinstance(reliability, ConstantReliability):
        return ConstantReliabilityModule()
    if isinstance(reliability, BoundedReliability) and isinstance(reliability.metric, EuclideanMetric):
        return BoundedReliabilityModule(reliability, reliability.metric)
    if isinstance(reliability, DensityReliability):
        metric, profile = reliability.metric, reliability.profile
        if isinstance(metric, EuclideanMetric) and isinstance(profile, GaussianLike):
            return DensityReliabilityModule(reliability, metric, profile)
    return NumpyReliabilityModule(reliability)


class ConstantReliabilityModule(ReliabilityModule):
    """Constant reliability, q = 0."""

    def forward(self, X: Tensor) -> Tensor:
        """Return zeros, with a zero gradient."""
        return 0.0 * X.sum(-1)

    @property
    def reliability(self) -> Reliability:
        """Return the constant reliability in numpy."""
        return ConstantReliability()


class _AnchoredReliability(ReliabilityModule):
    """Base class of the two reliabilities with Euclidean distances."""

    anchors: Tensor
    bandwidth: Tensor

    def __init__(self, given: BoundedReliability | DensityReliability, metric: EuclideanMetric) -> None:
        super().__init__()
        self._given = given
        self.register_buffer("anchors", to_tensor(given.anchors))
        self.register_buffer("bandwidth", torch.tensor(given.bandwidth, dtype=torch.float64))
        categorical = torch.zeros(given.anchors.shape[1], dtype=torch.bool)
        categorical[list(metric.categorical)] = True
        self.register_buffer("categorical", categorical)

    def squared_ratios(self, X: Tensor) -> Tensor:
        """Return s, (..., n)."""
        apart = X.unsqueeze(-2) - self.anchors
        apart = torch.where(self.categorical, (apart != 0).to(apart), apart)
        return (apart / self.bandwidth).square().sum(-1)

    @property
    def reliability(self) -> Reliability:
        """Return the same reliability in numpy, with the current buffers."""
        return replace(self._given, anchors=to_array(self.anchors), bandwidth=self.bandwidth.item())


class BoundedReliabilityModule(_AnchoredReliability):
    """Bounded reliability: the probability that at least one anchor vouches for x."""

    def forward(self, X: Tensor) -> Tensor:
        """Return 1 - prod_j (1 - exp(-s_j / 2))."""
        # `expm1` is precise near an anchor, and `prod` has a gradient even if a factor is 0.
        return 1.0 - (-torch.expm1(-0.5 * self.squared_ratios(X))).prod(-1)


class DensityReliabilityModule(_AnchoredReliability):
    """Density reliability: the paper's kernel density estimate."""

    def __init__(self, given: DensityReliability, metric: EuclideanMetric, profile: GaussianLike) -> None:
        super().__init__(given, metric)
        self.register_buffer("log_peak", torch.tensor(profile.log_peak(given.dimension), dtype=torch.float64))
        self.register_buffer("rate", torch.tensor(profile.rate, dtype=torch.float64))

    def forward(self, X: Tensor) -> Tensor:
        """Return 1/n sum_j exp(log_peak - d log h - rate s_j)."""
        peak = self.log_peak - self.anchors.shape[1] * self.bandwidth.log()
        return torch.exp(peak - self.rate * self.squared_ratios(X)).mean(-1)


class NumpyReliabilityModule(ReliabilityModule):
    """Any other reliability, computed by its numpy code; it has no buffers."""

    def __init__(self, given: Reliability) -> None:
        super().__init__()
        self._given = given

    def forward(self, X: Tensor) -> Tensor:
        """Return q in float64."""
        slopes = bool(X.requires_grad and torch.is_grad_enabled())
        return _ReliabilityFunction.apply(X.reshape(-1, X.shape[-1]), self._given, slopes).reshape(X.shape[:-1])

    @property
    def reliability(self) -> Reliability:
        """Return the wrapped reliability."""
        return self._given


class _ReliabilityFunction(torch.autograd.Function):
    """Autograd function of q at designs, (n, d)."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, reliability: Reliability, slopes: bool) -> Tensor:
        if not slopes:
            return to_tensor(reliability.value(to_array(X)), X)
        # This raises if the reliability has no gradient.
        values, gradient = reliability.value_and_gradient(to_array(X))
        ctx.save_for_backward(to_tensor(gradient, X).to(X))
        return to_tensor(values, X)

    @staticmethod
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor | None, ...]:
        check_first_derivative()
        (gradient,) = ctx.saved_tensors
        return by_value.to(gradient).unsqueeze(-1) * gradient, None, None
