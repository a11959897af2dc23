"""Composite kernels: sums, products, and a kernel on some of the coordinates.

    Sum        k = left + right           Product   k = left * right          OnColumns   k(x, y) = inner(x_c, y_c)

``RBF(0.3).on([0, 1]) * Hamming(1.0).on([2])`` is a kernel for two numbers and a category.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels.base import Kernel
from anchorpbo.typing import Array


@dataclass(frozen=True)
class _Composite(Kernel):
    """Base class of sums and products; theta is the concatenation of both kernels' theta."""

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        for side in (self.left, self.right):
            if not isinstance(side, Kernel):
                rule = "a kernel can only be combined with another kernel"
                raise InputError(rule, repr(side), "use outputscale to scale one")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of both kernels' hyper-parameters, prefixed by ``left.`` and ``right.``."""
        sides = (("left", self.left), ("right", self.right))
        return tuple(f"{side}.{name}" for side, kernel in sides for name in kernel.parameter_names)

    @property
    def log_parameters(self) -> Array:
        """The vector theta of the left kernel, followed by that of the right one."""
        return np.concatenate([self.left.log_parameters, self.right.log_parameters])

    def with_log_parameters(self, theta: Array) -> Self:
        """Return this kernel with other hyper-parameters."""
        split = len(self.left.parameter_names)
        left, right = self.left.with_log_parameters(theta[:split]), self.right.with_log_parameters(theta[split:])
        return replace(self, left=left, right=right)

    @property
    def differentiable(self) -> bool:
        """Whether both kernels are differentiable."""
        return self.left.differentiable and self.right.differentiable

    def check_dimension(self, dimension: int) -> None:
        """Raise `ShapeError` unless both kernels accept designs of this many coordinates."""
        self.left.check_dimension(dimension)
        self.right.check_dimension(dimension)

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Return the sum of the two kernels' gradients, with the weights of the sum or product rule."""
        for_left, for_right = self._weights(A, self.left(X, Y), self.right(X, Y))
        return self.left.input_gradient(X, Y, for_left) + self.right.input_gradient(X, Y, for_right)

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """Return the gradient of `paired`, by the sum or product rule."""
        for_left, for_right = self._weights(a, self.left.paired(X, Y), self.right.paired(X, Y))
        return self.left.paired_gradient(X, Y, for_left) + self.right.paired_gradient(X, Y, for_right)

    def diagonal_gradient(self, X: Array, a: Array) -> Array:
        """Return the gradient of `diagonal`, by the sum or product rule."""
        for_left, for_right = self._weights(a, self.left.diagonal(X), self.right.diagonal(X))
        return self.left.diagonal_gradient(X, for_left) + self.right.diagonal_gradient(X, for_right)

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Return both kernels' gradients, with the weights of the sum or product rule."""
        for_left, for_right = self._weights(A, self.left(X, X), self.right(X, X))
        return np.concatenate([self.left.parameter_gradient(X, for_left), self.right.parameter_gradient(X, for_right)])

    @abstractmethod
    def _join(self, left: Array, right: Array) -> Array:
        """Return k from the values of the two kernels."""

    @abstractmethod
    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        """Return the weights times the derivative of k in the left value, and in the right value."""

    def __call__(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_j), (n, p)."""
        return self._join(self.left(X, Y), self.right(X, Y))

    def paired(self, X: Array, Y: Array) -> Array:
        """Return k(x_i, y_i), (n,)."""
        return self._join(self.left.paired(X, Y), self.right.paired(X, Y))

    def diagonal(self, X: Array) -> Array:
        """Return k(x_i, x_i), (n,)."""
        return self._join(self.left.diagonal(X), self.right.diagonal(X))


class Sum(_Composite):
    """The kernel left + right: the utility is a sum of two independent functions."""

    def _join(self, left: Array, right: Array) -> Array:
        return left + right

    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        return weights, weights


class Product(_Composite):
    """The kernel left * right: two designs are similar only if both kernels say so."""

    def _join(self, left: Array, right: Array) -> Array:
        return left * right

    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        return weights * right, weights * left


@dataclass(frozen=True)
class OnColumns(Kernel):
    """A kernel on some of the coordinates."""

    inner: Kernel
    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        columns = self.columns
        whole = all(isinstance(c, int | np.integer) and not isinstance(c, bool) and c >= 0 for c in columns)
        if not columns or not whole or len(set(columns)) < len(columns):
            raise InputError("columns must be one or more distinct whole numbers from 0", columns, "list each once")
        columns = tuple(int(c) for c in columns)
        object.__setattr__(self, "columns", columns)
        self.inner.check_dimension(len(columns))

    def __call__(self, X: Array, Y: Array) -> Array:
        """Return the inner kernel on the chosen coordinates, (n, p)."""
        return self.inner(X[:, self.columns], Y[:, self.columns])

    def paired(self, X: Array, Y: Array) -> Array:
        """Return the inner kernel's `paired` on the chosen coordinates, (n,)."""
        return self.inner.paired(X[:, self.columns], Y[:, self.columns])

    def diagonal(self, X: Array) -> Array:
        """Return the inner kernel's diagonal, (n,)."""
        return self.inner.diagonal(X[:, self.columns])

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Return the inner kernel's gradient in the chosen coordinates and zero in the others, (n, d)."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.input_gradient(X[:, self.columns], Y[:, self.columns], A)
        return gradient

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """Return the inner kernel's gradient in the chosen coordinates and zero in the others, (n, d)."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.paired_gradient(X[:, self.columns], Y[:, self.columns], a)
        return gradient

    def diagonal_gradient(self, X: Array, a: Array) -> Array:
        """Return the inner kernel's gradient in the chosen coordinates and zero in the others, (n, d)."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.diagonal_gradient(X[:, self.columns], a)
        return gradient

    @property
    def differentiable(self) -> bool:
        """Whether the inner kernel is differentiable."""
        return self.inner.differentiable

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the inner kernel's hyper-parameters."""
        return self.inner.parameter_names

    @property
    def log_parameters(self) -> Array:
        """The vector theta of the inner kernel."""
        return self.inner.log_parameters

    def with_log_parameters(self, theta: Array) -> Self:
        """Return this kernel with other hyper-parameters of the inner kernel."""
        return replace(self, inner=self.inner.with_log_parameters(theta))

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Return the inner kernel's gradient."""
        return self.inner.parameter_gradient(X[:, self.columns], A)

    def check_dimension(self, dimension: int) -> None:
        """Raise `ShapeError` unless designs have all chosen coordinates."""
        if max(self.columns) >= dimension:
            raise ShapeError(
                f"columns must be below the {dimension} coordinates of a design", self.columns, "match the designs"
            )
