"""Between tensors and arrays, with the checks of both sides."""

from __future__ import annotations

import torch
from torch import Tensor

from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.typing import Array


def as_designs(X: Tensor, dimension: int | None = None, name: str = "X") -> Tensor:
    """The same tensor, ... x d, once it is known to be finite floats and of the right d."""
    if not isinstance(X, Tensor) or not X.is_floating_point():
        kind = f"a tensor of {X.dtype}" if isinstance(X, Tensor) else type(X).__name__
        raise InputError(f"{name} must be a tensor of floats", kind, "write torch.tensor(..., dtype=torch.double)")
    expected = "... x d" if dimension is None else f"... x {dimension}"
    if X.dim() < 2 or (dimension is not None and X.shape[-1] != dimension):
        raise ShapeError(f"{name} must have shape {expected}", tuple(X.shape), "give one design a row")
    if not bool(torch.isfinite(X).all()):
        raise InputError(f"{name} must be finite", X[~torch.isfinite(X)][0].item(), "drop or repair it")
    return X


def to_array(values: Tensor) -> Array:
    """The numbers as a float64 array, wherever they are; for autograd this is the end."""
    return values.detach().to("cpu", torch.float64).contiguous().numpy()


def to_tensor(values: Array, like: Tensor | None = None) -> Tensor:
    """A float64 tensor of its own, where `like` is."""
    return torch.tensor(values, dtype=torch.float64, device=None if like is None else like.device)


def check_first_derivative() -> None:
    """Raise in the backward pass of numpy code if a second derivative is to follow; it would silently lack a part."""
    if torch.is_grad_enabled():
        rule = "what numpy computes has first derivatives only"
        raise UnsupportedError(rule, "create_graph=True", "leave it out, or take differences of gradients")
