"""The noise map as a torch module: `anchorpbo.NoiseMap` with autograd, devices and a `state_dict`.

    noise(x) = scale min(max(exp(-strength q(x)), 1e-6), 1e6)

The module `anchorpbo.interop.botorch.reliability` has the reliability q.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import torch
from botorch.models.transforms.input import InputTransform
from torch import Tensor
from torch.nn import Module

from anchorpbo.errors import InputError, UnsupportedError
from anchorpbo.interop.botorch.reliability import to_module
from anchorpbo.interop.botorch.tensors import as_designs, to_array
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap
from anchorpbo.reliability.noise import FLOOR, MAX_EXPONENT
from anchorpbo.typing import Array


class NoiseMap(Module):
    """Noise of a comparison as a function of the design, for tensors of any batch shape.

    The constructors `from_anchors`, `bounded` and `constant` correspond to those of `anchorpbo.NoiseMap`; the class
    itself converts an `anchorpbo.NoiseMap`. Buffers are float64; `.float()`, `.double()` and `.to(device)` work as
    usual.

    Parameters
    ----------
    noise
        The numpy map, with anchors in transformed coordinates and without a learnt correction.
    input_transform
        A BoTorch transform applied to designs first, such as a model's ``Normalize``. It is copied with its current
        coefficients.

    Examples
    --------
    >>> noise = NoiseMap.bounded(torch.tensor([[0.2, 0.2], [0.3, 0.1]]), bandwidth=0.2)
    >>> noise(torch.tensor([[0.2, 0.2], [0.9, 0.9]])).round(decimals=2)
    tensor([0.0500, 1.0000], dtype=torch.float64)
    """

    scale: Tensor
    strength: Tensor

    def __init__(self, noise: NumpyNoiseMap, input_transform: InputTransform | None = None) -> None:
        super().__init__()
        if not isinstance(noise, NumpyNoiseMap):
            remedy = "use NoiseMap.bounded(anchors), from_anchors(anchors) or constant(variance)"
            raise InputError("noise must be an anchorpbo.NoiseMap", type(noise).__name__, remedy)
        if noise.correction is not None:
            rule, remedy = "a torch map has no learnt correction", "drop it: noise.with_correction(None)"
            raise UnsupportedError(rule, f"{len(noise.correction.centres)} centres", remedy)
        self.score = to_module(noise.score)
        self.dimension = None if noise.anchors is None else int(noise.anchors.shape[1])
        self.register_buffer("scale", torch.tensor(noise.scale, dtype=torch.float64))
        self.register_buffer("strength", torch.tensor(noise.strength, dtype=torch.float64))
        self.input_transform = freeze_transform(input_transform)

    @classmethod
    def from_anchors(
        cls, anchors: Tensor, *args: Any, input_transform: InputTransform | None = None, **options: Any
    ) -> Self:
        """Return the paper's map; arguments as in `anchorpbo.NoiseMap.from_anchors`, anchors in X's coordinates."""
        transform = freeze_transform(input_transform)
        return cls(NumpyNoiseMap.from_anchors(_anchors(anchors, transform), *args, **options), transform)

    @classmethod
    def bounded(
        cls, anchors: Tensor, *args: Any, input_transform: InputTransform | None = None, **options: Any
    ) -> Self:
        """Return a map for real use; arguments as in `anchorpbo.NoiseMap.bounded`, anchors in X's coordinates."""
        transform = freeze_transform(input_transform)
        if options.get("negative") is not None:
            options["negative"] = _anchors(options["negative"], transform)
        return cls(NumpyNoiseMap.bounded(_anchors(anchors, transform), *args, **options), transform)

    @classmethod
    def constant(cls, variance: float) -> Self:
        """Return a homoscedastic map."""
        return cls(NumpyNoiseMap.constant(variance))

    def reliability(self, X: Tensor) -> Tensor:
        """Return the reliability q, (...), at designs X, (..., d)."""
        if self.input_transform is not None:
            X = self.input_transform(as_designs(X))
        return self.score(as_designs(X, self.dimension))

    def forward(self, X: Tensor) -> Tensor:
        """Return the noise, (...), at designs X, (..., d)."""
        exponents = (-self.strength * self.reliability(X)).clamp_max(MAX_EXPONENT)
        return self.scale * torch.exp(exponents).clamp_min(FLOOR)

    def to_numpy(self) -> NumpyNoiseMap:
        """Return the numpy map with the current buffers, without the input transform."""
        return NumpyNoiseMap(self.score.reliability, self.scale.item(), self.strength.item())

    def train(self, mode: bool = True) -> Self:
        """Set the mode, except that of the input transform, which stays in evaluation mode."""
        super().train(mode)
        if self.input_transform is not None:
            self.input_transform.eval()
        return self


def as_noise(noise: NoiseMap | NumpyNoiseMap) -> NoiseMap:
    """Return the torch module of a map, or the module itself."""
    if not isinstance(noise, NoiseMap | NumpyNoiseMap):
        remedy = "use NoiseMap.bounded(anchors), or model.noise of an AnchoredPairwiseModel"
        raise InputError("noise must be a NoiseMap", repr(noise), remedy)
    return noise if isinstance(noise, NoiseMap) else NoiseMap(noise)


def freeze_transform(transform: InputTransform | None) -> InputTransform | None:
    """Return a copy of a transform in evaluation mode, so that its coefficients no longer change."""
    if transform is None:
        return None
    if not isinstance(transform, InputTransform):
        raise InputError("input_transform must be a BoTorch InputTransform", repr(transform), "use Normalize(d)")
    if transform.is_one_to_many:
        rule, remedy = "input_transform must map one design to one design", "perturb designs in the objective"
        raise UnsupportedError(rule, repr(transform), remedy)
    return deepcopy(transform).eval()


def _anchors(anchors: Tensor, transform: InputTransform | None) -> Array:
    designs = as_designs(torch.atleast_2d(torch.as_tensor(anchors)), name="anchors")
    if transform is None:
        return to_array(designs)
    seen = transform(designs)
    # A transform that has not learnt its range is the identity, which would leave the anchors far from all designs.
    learns = getattr(transform, "learn_coefficients", False)
    if learns and bool((seen == designs).all()) and bool(((designs < 0.0) | (designs > 1.0)).any()):
        rule = "input_transform must have its range before it transforms anchors"
        remedy = "write Normalize(d, bounds=bounds), or create the model that it learns from first"
        raise InputError(rule, f"{type(transform).__name__} without a range", remedy)
    return to_array(seen)
