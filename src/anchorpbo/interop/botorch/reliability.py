"""Reliabilities in torch: the formulas of `anchorpbo.reliability` on tensors.

Symbols: X (..., d) designs, a_j anchors (n, d), h the bandwidth, s_j = |x - a_j|^2 / h^2. A categorical coordinate adds
1 / h^2 to s_j if the two differ:

    bounded      q = 1 - prod_j (1 - exp(-s_j / 2))
    density      q = 1/n sum_j exp(log_peak - d log h - rate s_j)
    signed       q = q+ - q-, the bounded reliabilities of the anchors and of the negative anchors

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
    SignedReliability,
)
from anchorpbo.reliability.profile import GaussianLike


class ReliabilityModule(Module, ABC):
    """A reliability q(x) as a torch module."""

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
    if isinstance(reliability, SignedReliability):
        return SignedReliabilityModule(reliability)
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
    lengthscales: Tensor | None
    factors: Tensor | None

    def __init__(self, given: BoundedReliability | DensityReliability, metric: EuclideanMetric) -> None:
        super().__init__()
        self._given = given
        self.register_buffer("anchors", to_tensor(given.anchors))
        self.register_buffer("bandwidth", torch.tensor(given.bandwidth, dtype=torch.float64))
        categorical = torch.zeros(given.anchors.shape[1], dtype=torch.bool)
        categorical[list(metric.categorical)] = True
        self.register_buffer("categorical", categorical)
        scales = metric.lengthscales
        factors = given.factors if isinstance(given, BoundedReliability) else None
        self.register_buffer("factors", None if factors is None else to_tensor(factors))
        self.register_buffer("lengthscales", None if scales is None else torch.tensor(scales, dtype=torch.float64))

    def squared_ratios(self, X: Tensor) -> Tensor:
        """Return s, (..., n)."""
        apart = X.unsqueeze(-2) - self.anchors
        apart = torch.where(self.categorical, (apart != 0).to(apart), apart)
        widths = self.bandwidth if self.lengthscales is None else self.bandwidth * self.lengthscales
        squared = (apart / widths).square().sum(-1)
        return squared if self.factors is None else squared / self.factors.square()

    @property
    def reliability(self) -> Reliability:
        """Return the same reliability in numpy, with the current buffers."""
        metric = self._given.metric
        if self.lengthscales is not None:
            assert isinstance(metric, EuclideanMetric)
            metric = replace(metric, lengthscales=tuple(self.lengthscales.tolist()))
        changes: dict[str, Any] = {} if self.factors is None else {"factors": to_array(self.factors)}
        return replace(
            self._given, anchors=to_array(self.anchors), bandwidth=self.bandwidth.item(), metric=metric, **changes
        )


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
        self._dimension = given.dimension

    def forward(self, X: Tensor) -> Tensor:
        """Return 1/n sum_j exp(log_peak - d log h - rate s_j)."""
        peak = self.log_peak - self._dimension * self.bandwidth.log()
        return torch.exp(peak - self.rate * self.squared_ratios(X)).mean(-1)


class SignedReliabilityModule(ReliabilityModule):
    """Signed reliability: that of the anchors minus that of the negative anchors."""

    good: ReliabilityModule | None
    poor: ReliabilityModule

    def __init__(self, given: SignedReliability) -> None:
        super().__init__()
        self.good = None if given.good is None else to_module(given.good)
        self.poor = to_module(given.poor)

    def forward(self, X: Tensor) -> Tensor:
        """Return q+ - q-."""
        against = self.poor(X)
        return -against if self.good is None else self.good(X) - against

    @property
    def reliability(self) -> Reliability:
        """Return the same reliability in numpy, with the current buffers."""
        good, poor = None if self.good is None else self.good.reliability, self.poor.reliability
        assert isinstance(good, BoundedReliability | None)
        assert isinstance(poor, BoundedReliability)
        return SignedReliability(good, poor)


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
