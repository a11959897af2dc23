"""Kernels made of kernels: sums, products, and a kernel on some of the coordinates.

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
    """What sums and products share: their hyper-parameters, side by side."""

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        for side in (self.left, self.right):
            if not isinstance(side, Kernel):
                raise InputError("kernels can be joined with kernels only", repr(side), "use outputscale to scale one")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of both, with ``left.`` and ``right.`` before them."""
        sides = (("left", self.left), ("right", self.right))
        return tuple(f"{side}.{name}" for side, kernel in sides for name in kernel.parameter_names)

    @property
    def log_parameters(self) -> Array:
        """Those of the left kernel, then those of the right."""
        return np.concatenate([self.left.log_parameters, self.right.log_parameters])

    def with_log_parameters(self, theta: Array) -> Self:
        """Both kernels at other hyper-parameters."""
        split = len(self.left.parameter_names)
        left, right = self.left.with_log_parameters(theta[:split]), self.right.with_log_parameters(theta[split:])
        return replace(self, left=left, right=right)

    @property
    def differentiable(self) -> bool:
        """Whether both are."""
        return self.left.differentiable and self.right.differentiable

    def check_dimension(self, dimension: int) -> None:
        """Ask both."""
        self.left.check_dimension(dimension)
        self.right.check_dimension(dimension)

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Each kernel's gradient, with the weights the rule of sums or products gives it."""
        for_left, for_right = self._weights(A, self.left(X, Y), self.right(X, Y))
        return self.left.input_gradient(X, Y, for_left) + self.right.input_gradient(X, Y, for_right)

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """The same for designs side by side."""
        for_left, for_right = self._weights(a, self.left.paired(X, Y), self.right.paired(X, Y))
        return self.left.paired_gradient(X, Y, for_left) + self.right.paired_gradient(X, Y, for_right)

    def diagonal_gradient(self, X: Array, a: Array) -> Array:
        """The same for the diagonal."""
        for_left, for_right = self._weights(a, self.left.diagonal(X), self.right.diagonal(X))
        return self.left.diagonal_gradient(X, for_left) + self.right.diagonal_gradient(X, for_right)

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """Each kernel's gradient, with the weights the rule of sums or products gives it."""
        for_left, for_right = self._weights(A, self.left(X, X), self.right(X, X))
        return np.concatenate([self.left.parameter_gradient(X, for_left), self.right.parameter_gradient(X, for_right)])

    @abstractmethod
    def _join(self, left: Array, right: Array) -> Array:
        """The value of k from the two values."""

    @abstractmethod
    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        """The weights times the derivative of k in the left value, and in the right."""

    def __call__(self, X: Array, Y: Array) -> Array:
        """The two joined, (n, p)."""
        return self._join(self.left(X, Y), self.right(X, Y))

    def paired(self, X: Array, Y: Array) -> Array:
        """The two joined, (n,)."""
        return self._join(self.left.paired(X, Y), self.right.paired(X, Y))

    def diagonal(self, X: Array) -> Array:
        """The two joined, (n,)."""
        return self._join(self.left.diagonal(X), self.right.diagonal(X))


class Sum(_Composite):
    """left + right: a utility that is a sum of two."""

    def _join(self, left: Array, right: Array) -> Array:
        return left + right

    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        return weights, weights


class Product(_Composite):
    """left * right: designs are alike only if both kernels find them alike."""

    def _join(self, left: Array, right: Array) -> Array:
        return left * right

    def _weights(self, weights: Array, left: Array, right: Array) -> tuple[Array, Array]:
        return weights * right, weights * left


@dataclass(frozen=True)
class OnColumns(Kernel):
    """A kernel that sees only some coordinates."""

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
        """The inner kernel of the chosen coordinates."""
        return self.inner(X[:, self.columns], Y[:, self.columns])

    def paired(self, X: Array, Y: Array) -> Array:
        """The inner kernel of the chosen coordinates, side by side."""
        return self.inner.paired(X[:, self.columns], Y[:, self.columns])

    def diagonal(self, X: Array) -> Array:
        """The inner diagonal."""
        return self.inner.diagonal(X[:, self.columns])

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """The inner gradient in the chosen coordinates, zero in the others."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.input_gradient(X[:, self.columns], Y[:, self.columns], A)
        return gradient

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """The same for designs side by side."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.paired_gradient(X[:, self.columns], Y[:, self.columns], a)
        return gradient

    def diagonal_gradient(self, X: Array, a: Array) -> Array:
        """The inner gradient in the chosen coordinates, zero in the others."""
        gradient = np.zeros_like(X)
        gradient[:, self.columns] = self.inner.diagonal_gradient(X[:, self.columns], a)
        return gradient

    @property
    def differentiable(self) -> bool:
        """Whether the inner kernel is."""
        return self.inner.differentiable

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Those of the inner kernel."""
        return self.inner.parameter_names

    @property
    def log_parameters(self) -> Array:
        """Those of the inner kernel."""
        return self.inner.log_parameters

    def with_log_parameters(self, theta: Array) -> Self:
        """The inner kernel at other hyper-parameters."""
        return replace(self, inner=self.inner.with_log_parameters(theta))

    def parameter_gradient(self, X: Array, A: Array) -> Array:
        """The inner gradient."""
        return self.inner.parameter_gradient(X[:, self.columns], A)

    def check_dimension(self, dimension: int) -> None:
        """Raise unless every chosen coordinate is there."""
        if max(self.columns) >= dimension:
            raise ShapeError(
                f"columns must be below the {dimension} coordinates of a design", self.columns, "match the designs"
            )
