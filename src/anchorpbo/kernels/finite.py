"""Kernels for fingerprints and categories, that is, for designs from a finite catalogue. They have no gradient in x.

Tanimoto   k(x, y) = s x.y / (|x|^2 + |y|^2 - x.y)            1 for two empty fingerprints
Hamming    k(x, y) = s exp(-1/d sum_c [x_c != y_c] / lengthscale_c)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from anchorpbo.errors import UnsupportedError
from anchorpbo.kernels.base import Kernel
from anchorpbo.kernels.scaled_kernel import ScaledKernel
from anchorpbo.numerics.bit_vectors import count_bits, count_shared_bits, pack_bits
from anchorpbo.numerics.validation import as_positive
from anchorpbo.typing import Array


class NonDifferentiableKernel(Kernel):
    """A kernel for discrete designs, without a gradient in x."""

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Raise `UnsupportedError`."""
        raise self._no_gradient()

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """Raise `UnsupportedError`."""
        raise self._no_gradient()

    @property
    def differentiable(self) -> bool:
        """False: there is no gradient in x."""
        return False

    def _no_gradient(self) -> UnsupportedError:
        rule = f"the {type(self).__name__} kernel has no gradient in x"
        return UnsupportedError(rule, None, "search over the list of designs instead")


@dataclass(frozen=True)
class Tanimoto(NonDifferentiableKernel):
    """Tanimoto similarity of fingerprints, which are bits or non-negative counts."""

    outputscale: float = 1.0
    """Prior variance of the utility."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputscale", as_positive("outputscale", self.outputscale))

    def __call__(self, X: Array, Y: Array) -> Array:
        """Return s x.y / (|x|^2 + |y|^2 - x.y), (n, p)."""
        bits_x, bits_y = pack_bits(X), pack_bits(Y)
        if bits_x is not None and bits_y is not None:
            return self._similarity(count_shared_bits(bits_x, bits_y), count_bits(bits_x)[:, None], count_bits(bits_y))
        return self._similarity(X @ Y.T, _squares(X)[:, None], _squares(Y))

    def paired(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_i), (n,)."""
        return self._similarity(np.einsum("ic,ic->i", X, Y), _squares(X), _squares(Y))

    def _similarity(self, shared: Array, size_x: Array, size_y: Array) -> Array:
        union = size_x + size_y - shared
        similarity = np.divide(shared, union, out=np.ones_like(union), where=union > 0)
        similarity *= self.outputscale
        return similarity

    def diagonal(self, X: Array) -> Array:
        """Return the output scale, (n,)."""
        return np.full(len(X), self.outputscale)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The name ``outputscale``."""
        return ("outputscale",)

    @property
    def log_parameters(self) -> Array:
        """The log output scale."""
        return np.log([self.outputscale])

    def with_log_parameters(self, theta: Array) -> Self:
        """Return this kernel with another output scale."""
        return replace(self, outputscale=float(np.exp(theta[0])))

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Return sum_ij A_ij K_ij, (1,)."""
        return np.array([np.vdot(A, self(X, X))])

    def check_dimension(self, dimension: int) -> None:
        """Accept any number of bits."""


def _squares(X: Array) -> Array:
    """Return |x|^2, (n,)."""
    return np.asarray(np.einsum("ic,ic->i", X, X))


class Hamming(NonDifferentiableKernel, ScaledKernel):
    """Hamming similarity of categories: it depends only on which coordinates are equal."""

    def __call__(self, X: Array, Y: Array) -> Array:
        """Return s exp(-1/d sum_c [x_c != y_c] / lengthscale_c), (n, p)."""
        differing = sum(w * (X[:, c, None] != Y[:, c]) for c, w in enumerate(self._weights(X)))
        return np.asarray(self.outputscale * np.exp(-np.asarray(differing)))

    def paired(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_i), (n,)."""
        return np.asarray(self.outputscale * np.exp(-((X != Y) @ self._weights(X))))

    def _weights(self, X: Array) -> Array:
        return np.asarray(np.broadcast_to(1.0 / self.lengths, X.shape[1:]) / X.shape[1])

    def _length_gradient(self, X: Array, A: Array) -> tuple[Array, float]:
        B = A * self(X, X)
        by_coordinate = [w * B[X[:, c, None] != X[:, c]].sum() for c, w in enumerate(self._weights(X))]
        return np.array(by_coordinate), float(B.sum())
