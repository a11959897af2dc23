"""Checked conversion between tensors and arrays."""

from __future__ import annotations

import torch
from torch import Tensor

from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.typing import Array


def as_designs(X: Tensor, dimension: int | None = None, name: str = "X") -> Tensor:
    """Return the tensor, ... x d; raise unless it has finite floats and the right d."""
    if not isinstance(X, Tensor) or not X.is_floating_point():
        kind = f"a tensor of {X.dtype}" if isinstance(X, Tensor) else type(X).__name__
        raise InputError(f"{name} must be a tensor of floats", kind, "write torch.tensor(..., dtype=torch.double)")
    expected = "... x d" if dimension is None else f"... x {dimension}"
    if X.dim() < 2 or (dimension is not None and X.shape[-1] != dimension):
        raise ShapeError(f"{name} must have shape {expected}", tuple(X.shape), "give one design per row")
    if not bool(torch.isfinite(X).all()):
        raise InputError(f"{name} must be finite", X[~torch.isfinite(X)][0].item(), "drop or repair it")
    return X


def to_array(values: Tensor) -> Array:
    """Return the values as a float64 array on the CPU, detached from autograd."""
    return values.detach().to("cpu", torch.float64).contiguous().numpy()


def to_tensor(values: Array, like: Tensor | None = None) -> Tensor:
    """Return a new float64 tensor on the device of `like`."""
    return torch.tensor(values, dtype=torch.float64, device=None if like is None else like.device)


def check_first_derivative() -> None:
    """Raise if autograd requests second derivatives of numpy code, which would silently be incomplete."""
    if torch.is_grad_enabled():
        rule = "functions computed in numpy have only first derivatives"
        raise UnsupportedError(rule, "create_graph=True", "leave it out, or take differences of gradients")
