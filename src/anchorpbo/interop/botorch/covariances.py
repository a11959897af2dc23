"""Covariances of our kernels as differentiable torch functions.

Symbols: X (..., q, d) designs, P (u, d) the designs compared, k a `Kernel`:

    cross_covariance(k, X, P)    k(x_i, p_j), (..., q, u)
    self_covariance(k, X)        k(x_i, x_j), (..., q, q)

Values and gradients come from the kernel's public methods, so user-defined kernels work too. k is symmetric, so for
weights A of k(x_i, x_j) the gradient in x_i is

    sum_j (A + A')_ij dk(x_i, x_j) / dx_i

On the diagonal this is twice the slope in the first argument, as required.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from anchorpbo.errors import UnsupportedError
from anchorpbo.interop.botorch.tensors import check_first_derivative, to_array, to_tensor
from anchorpbo.kernels import Kernel
from anchorpbo.typing import Array


def cross_covariance(kernel: Kernel, X: Tensor, points: Array) -> Tensor:
    """Return k(x_i, p_j), (..., q, u), for float64 X, (..., q, d)."""
    slopes = _needs_gradient(kernel, X)
    values = _CrossCovariance.apply(X.reshape(-1, X.shape[-1]), kernel, points, slopes)
    return values.reshape(*X.shape[:-1], len(points))


def self_covariance(kernel: Kernel, X: Tensor) -> Tensor:
    """Return k(x_i, x_j), (..., q, q), for float64 X, (..., q, d)."""
    q, d = X.shape[-2:]
    slopes = _needs_gradient(kernel, X)
    # The number of batches is explicit, because it cannot be inferred without designs.
    batches = int(np.prod(X.shape[:-2], dtype=np.intp))
    return _SelfCovariance.apply(X.reshape(batches, q, d), kernel, slopes).reshape(*X.shape[:-2], q, q)


def _needs_gradient(kernel: Kernel, X: Tensor) -> bool:
    """Return whether autograd needs the gradient in X."""
    wanted = bool(X.requires_grad and torch.is_grad_enabled())
    if wanted and not kernel.differentiable:
        rule = "a posterior has a gradient in X only if its kernel has one"
        remedy = "search a list with optimize_acqf_discrete; for categories write RBF(..., categorical=[column])"
        raise UnsupportedError(rule, repr(kernel), remedy)
    return wanted


class _CrossCovariance(torch.autograd.Function):
    """Covariance between designs, (n, d), and the compared designs."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, kernel: Kernel, points: Array, slopes: bool) -> Tensor:
        x = to_array(X)
        if not slopes:
            return to_tensor(kernel(x, points), X)
        values, ctx.pull = kernel.value_with_input_pullback(x, points)
        return to_tensor(values, X)

    @staticmethod
    def backward(ctx: Any, A: Tensor) -> tuple[Tensor | None, ...]:
        check_first_derivative()
        return to_tensor(ctx.pull(to_array(A)), A), None, None, None


class _SelfCovariance(torch.autograd.Function):
    """Covariance among the designs of each batch, (b, q, d)."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, kernel: Kernel, slopes: bool) -> Tensor:
        values, pull = _evaluate_within(kernel, to_array(X), slopes)
        ctx.pull = pull
        return to_tensor(values, X)

    @staticmethod
    def backward(ctx: Any, A: Tensor) -> tuple[Tensor | None, ...]:
        check_first_derivative()
        return to_tensor(ctx.pull(to_array(A + A.mT)), A), None, None


def _evaluate_within(kernel: Kernel, x: Array, slopes: bool) -> tuple[Array, Callable[[Array], Array] | None]:
    """Return k(x_i, x_j), (b, q, q), and a function from symmetric weights to the gradient, (b, q, d)."""
    b, q, d = x.shape
    if b == 1:  # one matrix rather than a list of pairs
        if not slopes:
            return kernel(x[0], x[0])[None], None
        values, pull = kernel.value_with_input_pullback(x[0], x[0])
        return values[None], lambda S: pull(S[0])[None]
    first = np.repeat(x, q, axis=1).reshape(-1, d)
    second = np.tile(x, (1, q, 1)).reshape(-1, d)
    if not slopes:
        return kernel.paired(first, second).reshape(b, q, q), None
    values, pull = kernel.paired_with_pullback(first, second)
    return values.reshape(b, q, q), lambda S: pull(S.ravel()).reshape(b, q, q, d).sum(axis=2)
