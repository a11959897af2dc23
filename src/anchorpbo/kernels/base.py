"""The interface of kernels.

Symbols: X (n, d) and Y (p, d) are designs, k(x, y) is the prior covariance of their utilities (the paper's l).
Hyper-parameters are positive, are passed as the vector theta of their logarithms, and are named by `parameter_names`.

Derivatives are never formed as three-dimensional arrays. Each is needed only in a product with known weights, so a
kernel returns the product:

    input_gradient(X, Y, A)_i        = sum_j A_ij  d k(x_i, y_j) / d x_i             (n, d)
    paired_gradient(X, Y, a)_i       = a_i         d k(x_i, y_i) / d x_i             (n, d)
    parameter_gradient(X, A)_p       = sum_ij A_ij d k(x_i, x_j) / d theta_p         A symmetric
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.kernels.composite import OnColumns, Product, Sum


class Kernel(ABC):
    """A covariance function on designs; immutable."""

    @abstractmethod
    def __call__(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_j), (n, p)."""

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """Return k(x_i, x_i), (n,)."""

    @abstractmethod
    def paired(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_i), (n,), for X and Y of equal length."""

    @abstractmethod
    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Return sum_j A_ij d k(x_i, y_j) / d x_i, (n, d), for weights A, (n, p)."""

    @abstractmethod
    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """Return a_i d k(x_i, y_i) / d x_i, (n, d), for weights a, (n,)."""

    @property
    @abstractmethod
    def parameter_names(self) -> tuple[str, ...]:
        """Name of each entry of theta, such as ``lengthscale[0]`` or ``left.outputscale``."""

    @property
    @abstractmethod
    def log_parameters(self) -> Array:
        """The vector theta, the logarithms of the hyper-parameters."""

    @abstractmethod
    def with_log_parameters(self, theta: Array) -> Kernel:
        """Return this kernel with other hyper-parameters."""

    @abstractmethod
    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Return sum_ij A_ij d k(x_i, x_j) / d theta, one entry per hyper-parameter, for symmetric A, (n, n)."""

    def value_with_pullback(self, X: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return k(x_i, x_j), (n, n), and `parameter_gradient` at X as a function of A.

        A kernel may override this method to compute the parts that the two share only once.
        """
        return self(X, X), lambda A: self.parameter_gradient(X, A)

    def value_with_input_pullback(self, X: Array, Y: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return k(x_i, y_j), (n, p), and `input_gradient` at X and Y as a function of A; see `value_with_pullback`."""
        return self(X, Y), lambda A: self.input_gradient(X, Y, A)

    def paired_with_pullback(self, X: Array, Y: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return k(x_i, y_i), (n,), and `paired_gradient` at X and Y as a function of a; see `value_with_pullback`."""
        return self.paired(X, Y), lambda a: self.paired_gradient(X, Y, a)

    @abstractmethod
    def check_dimension(self, dimension: int) -> None:
        """Raise `ShapeError` unless the kernel accepts designs of this many coordinates."""

    def diagonal_gradient(self, X: Array, a: Array) -> Array:
        """Return a_i d k(x_i, x_i) / d x_i, (n, d), for weights a, (n,); zero by default."""
        return np.zeros_like(X)

    @property
    def differentiable(self) -> bool:
        """Whether the kernel has an `input_gradient`; kernels of fingerprints and categories have none."""
        return True

    def __add__(self, other: Kernel) -> Sum:
        from anchorpbo.kernels.composite import Sum

        return Sum(self, other)

    def __mul__(self, other: Kernel) -> Product:
        from anchorpbo.kernels.composite import Product

        return Product(self, other)

    def on(self, columns: Iterable[int]) -> OnColumns:
        """Return this kernel restricted to the given coordinates, such as ``[0, 2]``."""
        from anchorpbo.kernels.composite import OnColumns

        return OnColumns(self, tuple(columns) if isinstance(columns, Iterable) else (columns,))
