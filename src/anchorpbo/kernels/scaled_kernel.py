"""Base class of kernels with length-scales and an output scale."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels.base import Kernel
from anchorpbo.numerics.validation import as_positive, as_vector, freeze
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False, init=False)
class ScaledKernel(Kernel):
    """A kernel with an output scale and one length-scale, or one length-scale per coordinate.

    `lengthscale` is one number or an array, (d,), one per coordinate; `outputscale` is the prior variance.
    The vector theta holds the log length-scales, then the log output scale.
    """

    lengthscale: float | Array
    """One number for all coordinates, or an array, (d,), one per coordinate."""
    outputscale: float
    """Prior variance of the utility."""

    def __init__(self, lengthscale: npt.ArrayLike = 0.3, outputscale: float = 1.0) -> None:
        lengths = as_vector("lengthscale", lengthscale)
        if not lengths.size or (lengths <= 0).any():
            raise InputError("lengthscale must be above 0", lengthscale, "choose positive values")
        # A number stays a number, so that `kernel.lengthscale` is what the user passed.
        object.__setattr__(self, "lengthscale", float(lengths[0]) if np.ndim(lengthscale) == 0 else lengths)
        object.__setattr__(self, "outputscale", as_positive("outputscale", outputscale))

    @property
    def lengths(self) -> Array:
        """Length-scales as an array, (1,) or (d,)."""
        return np.atleast_1d(np.asarray(self.lengthscale, dtype=np.float64))

    @property
    def _shared(self) -> bool:
        return np.ndim(self.lengthscale) == 0

    def diagonal(self, X: Array) -> Array:
        """Return the output scale for every x, (n,)."""
        return np.full(len(X), self.outputscale)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """``lengthscale`` or ``lengthscale[0]``..., then ``outputscale``."""
        lengths = ["lengthscale"] if self._shared else [f"lengthscale[{i}]" for i in range(len(self.lengths))]
        return (*lengths, "outputscale")

    @property
    def log_parameters(self) -> Array:
        """Log length-scales, then the log output scale."""
        return np.asarray(np.log(np.append(self.lengths, self.outputscale)))

    def with_log_parameters(self, theta: Array) -> Self:
        """Return this kernel with other hyper-parameters."""
        # A copy, so that other attributes of a subclass are kept.
        new, lengths = copy(self), np.exp(theta[:-1])
        object.__setattr__(new, "lengthscale", float(lengths[0]) if self._shared else freeze(lengths))
        object.__setattr__(new, "outputscale", float(np.exp(theta[-1])))
        return new

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Return the gradient in the log length-scales, then in the log output scale, which is sum_ij A_ij K_ij."""
        by_coordinate, total = self._length_gradient(X, A)
        lengths = [by_coordinate.sum()] if self._shared else by_coordinate
        return np.append(lengths, total)

    @abstractmethod
    def _length_gradient(self, X: Array, A: Array) -> tuple[Array, float]:
        """Return sum_ij A_ij dK_ij / d log lengthscale_c for each coordinate c, (d,), and sum_ij A_ij K_ij."""

    def check_dimension(self, dimension: int) -> None:
        """Raise `ShapeError` unless there is one length-scale or one per coordinate."""
        if not self._shared and len(self.lengths) != dimension:
            raise ShapeError(
                f"lengthscale must be one number or {dimension}, one per coordinate",
                f"{len(self.lengths)} of them",
                "match the designs",
            )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # Other attributes of a subclass are compared too.
        mine, theirs = vars(self), vars(other)
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__: ClassVar[None]  # type: ignore[assignment]
