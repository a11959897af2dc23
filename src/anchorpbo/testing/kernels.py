"""Contract of kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import UnsupportedError
from anchorpbo.kernels import Kernel
from anchorpbo.numerics.validation import as_points, freeze
from anchorpbo.testing.contract import (
    Contract,
    differentiate,
    differentiate_items,
    ensure,
    ensure_close,
    ensure_finite,
    ensure_immutable,
    ensure_raises,
    ensure_same_bits,
    ensure_shape,
    pickle_and_load,
)
from anchorpbo.typing import Array

_SEED = 20240
_SLOPES = 1e-6
"""Tolerance of derivatives, relative to the largest one: the precision of five-point differences."""


class KernelContract(Contract):
    """Checks of a kernel.

    Parameters
    ----------
    kernel
        The kernel, at any hyper-parameters.
    dimension
        Number of coordinates of a design, d.
    designs
        Designs to check the kernel at, (n, d). By default some are drawn from the unit cube and some from
        {0, 1/2, 1}^d, so that coordinates and whole designs repeat. Give your own if the kernel needs other designs.
    """

    def __init__(self, kernel: Kernel, dimension: int, designs: npt.ArrayLike | None = None) -> None:
        super().__init__(kernel)
        self.kernel: Kernel = kernel
        self.dimension: int = dimension
        rng = np.random.default_rng(_SEED)
        if designs is None:
            grid = rng.integers(0, 3, size=(6, dimension)) / 2.0
            designs = np.vstack([rng.uniform(size=(8, dimension)), grid])
        self.X = as_points("designs", designs, dimension)
        # No row of Y is a row of X, because a kernel may have a kink at equal designs.
        self.Y = freeze(rng.uniform(size=(5, dimension)))
        self.A = freeze(rng.standard_normal((len(self.X), len(self.Y))))

    @property
    def scale(self) -> float:
        """Largest prior variance, the scale of tolerances."""
        return float(np.max(self.kernel.diagonal(self.X)))

    def check_shapes(self) -> None:
        """Values are (n, p), (n,) and (n,), even without designs."""
        k, X, Y = self.kernel, self.X, self.Y
        n, none = len(X), X[:0]
        ensure_shape("kernel(X, Y)", k(X, Y), (n, len(Y)))
        ensure_shape("kernel(none, Y)", k(none, Y), (0, len(Y)))
        ensure_shape("kernel(X, none)", k(X, none), (n, 0))
        ensure_shape("paired(X, X)", k.paired(X, X), (n,))
        ensure_shape("paired(none, none)", k.paired(none, none), (0,))
        ensure_shape("diagonal(X)", k.diagonal(X), (n,))
        ensure_shape("diagonal(none)", k.diagonal(none), (0,))
        ensure_shape("log_parameters", k.log_parameters, (len(k.parameter_names),))
        ensure_shape("parameter_gradient", k.parameter_gradient(X, np.eye(n)), (len(k.parameter_names),))

    def check_symmetric(self) -> None:
        """k(x, y) = k(y, x)."""
        ensure_close("kernel(Y, X)'", self.kernel(self.Y, self.X).T, self.kernel(self.X, self.Y), rtol=1e-14)

    def check_positive_semidefinite(self) -> None:
        """All eigenvalues of a kernel matrix are at least 0, up to rounding."""
        every = np.vstack([self.X, self.Y, self.X[:3], self.X[:3] + 1e-12])
        smallest = float(np.linalg.eigvalsh(self.kernel(every, every))[0])
        ensure(
            smallest >= -1e-10 * self.scale,
            f"a kernel matrix must be positive semi-definite; its smallest eigenvalue is {smallest:.3g}",
        )

    def check_paired_agrees(self) -> None:
        """`paired` is the diagonal of the matrix of two lists."""
        X, Y = self.X, self._shuffle_designs()
        ensure_close("paired(X, Y)", self.kernel.paired(X, Y), np.diagonal(self.kernel(X, Y)), atol=1e-13 * self.scale)

    def check_diagonal_agrees(self) -> None:
        """`diagonal` is the diagonal of the matrix, and positive."""
        diagonal = self.kernel.diagonal(self.X)
        ensure_close("diagonal(X)", diagonal, np.diagonal(self.kernel(self.X, self.X)), atol=1e-13 * self.scale)
        ensure((diagonal > 0).all(), "diagonal(X) must be above 0")

    def check_diagonal_gradient(self) -> None:
        """`diagonal_gradient` agrees with finite differences; non-stationary kernels must override it."""
        if self.kernel.differentiable:
            a = self.A[:, 0]
            expected = differentiate_items(lambda Z: a * self.kernel.diagonal(Z), self.X)
            _ensure_slopes("diagonal_gradient", self.kernel.diagonal_gradient(self.X, a), expected)

    def check_input_gradient(self) -> None:
        """`input_gradient` agrees with finite differences, or raises `UnsupportedError`."""
        k, X, Y, A = self.kernel, self.X, self.Y, self.A
        if not k.differentiable:
            ensure_raises(UnsupportedError, "input_gradient", lambda: k.input_gradient(X, Y, A))
            return
        expected = differentiate_items(lambda Z: (A * k(Z, Y)).sum(axis=1), X)
        _ensure_slopes("input_gradient", k.input_gradient(X, Y, A), expected)

    def check_paired_gradient(self) -> None:
        """`paired_gradient` agrees with finite differences, or raises `UnsupportedError`."""
        k, Y = self.kernel, self.Y
        X, a = self.X[: len(Y)], self.A[: len(Y), 0]
        if not k.differentiable:
            ensure_raises(UnsupportedError, "paired_gradient", lambda: k.paired_gradient(X, Y[: len(X)], a))
            return
        Y = Y[: len(X)]
        expected = differentiate_items(lambda Z: a * k.paired(Z, Y), X)
        _ensure_slopes("paired_gradient", k.paired_gradient(X, Y, a), expected)

    def check_parameter_gradient(self) -> None:
        """`parameter_gradient` agrees with finite differences, for random symmetric weights."""
        k, X, theta = self.kernel, self.X, self.kernel.log_parameters
        weights = np.random.default_rng(_SEED).standard_normal((len(X), len(X)))
        weights = weights + weights.T
        expected, step = np.empty(len(theta)), 1e-4
        for p in range(len(theta)):
            shift = np.zeros(len(theta))
            shift[p] = step

            def total(t: float, shift: Array = shift) -> Array:
                return np.asarray(np.vdot(weights, k.with_log_parameters(theta + t * shift)(X, X)))

            expected[p] = differentiate(total, step)
        size = float(np.abs(weights * k(X, X)).sum())
        ensure_close("parameter_gradient", k.parameter_gradient(X, weights), expected, 1e-6, 1e-9 * size)

    def check_value_with_pullback(self) -> None:
        """`value_with_pullback` returns the kernel matrix and the `parameter_gradient` of any symmetric weights."""
        k, X = self.kernel, self.X
        K, pull = k.value_with_pullback(X)
        ensure_close("the value of value_with_pullback", K, k(X, X), atol=1e-13 * self.scale)
        for seed in (_SEED, _SEED + 1):  # the function can be called with several weights
            weights = np.random.default_rng(seed).standard_normal((len(X), len(X)))
            weights = weights + weights.T
            size = float(np.abs(weights * K).sum())
            ensure_close("the pullback", pull(weights), k.parameter_gradient(X, weights), 1e-9, 1e-11 * size)

    def check_parameters_round_trip(self) -> None:
        """`with_log_parameters` sets `log_parameters`, and changes neither the kernel nor theta."""
        k, theta = self.kernel, self.kernel.log_parameters
        before = k(self.X, self.Y)
        ensure_close("kernel at its own parameters", k.with_log_parameters(theta)(self.X, self.Y), before, rtol=1e-12)
        other = theta + np.linspace(-0.4, 0.7, len(theta))
        given = other.copy()
        moved = k.with_log_parameters(other)
        ensure_close("log_parameters after with_log_parameters", moved.log_parameters, given, 1e-12, 1e-12)
        ensure(type(moved) is type(k), f"with_log_parameters must return a {type(k).__name__}")
        ensure(moved.parameter_names == k.parameter_names, "with_log_parameters must keep the names")
        ensure_same_bits("theta given to with_log_parameters", other, given)
        ensure_same_bits("the kernel with_log_parameters was called on", k(self.X, self.Y), before)

    def check_parameter_names(self) -> None:
        """There is one distinct name per entry of theta."""
        names = self.kernel.parameter_names
        count = len(self.kernel.log_parameters)
        ensure(len(names) == count, f"there must be {count} parameter names, one per parameter; there are {len(names)}")
        ensure(len(set(names)) == len(names), f"parameter names must differ; they are {names}")

    def check_finite_where_designs_meet(self) -> None:
        """Values and gradients are finite at equal designs and at designs 1e-12 apart."""
        k, X = self.kernel, self.X
        for name, Y in (("equal designs", X), ("designs 1e-12 apart", X + 1e-12)):
            ensure_finite(f"the kernel at {name}", k(X, Y))
            ensure_finite(f"paired at {name}", k.paired(X, Y))
            ensure_close(f"paired at {name}", k.paired(X, Y), np.diagonal(k(X, Y)), atol=1e-10 * self.scale)
            if k.differentiable:
                ensure_finite(f"input_gradient at {name}", k.input_gradient(X, Y, np.ones((len(X), len(Y)))))
                ensure_finite(f"paired_gradient at {name}", k.paired_gradient(X, Y, np.ones(len(X))))
        both = np.vstack([X, X + 1e-12])
        ensure_finite(
            "parameter_gradient at designs 1e-12 apart", k.parameter_gradient(both, np.ones((len(both),) * 2))
        )

    def check_rows_are_independent(self) -> None:
        """The value at two designs does not depend on the other designs in the call."""
        k, X, Y = self.kernel, self.X, self.Y
        ensure_close("kernel of single designs", np.vstack([k(x[None], Y) for x in X]), k(X, Y), rtol=1e-13)

    def check_dimension_accepted(self) -> None:
        """`check_dimension` accepts the dimension of the designs."""
        self.kernel.check_dimension(self.dimension)

    def check_immutable(self) -> None:
        """Fields cannot be set, their arrays are read-only, and calls do not change their arguments."""
        ensure_immutable(self.kernel)
        X, Y, A = self.X.copy(), self.Y.copy(), self.A.copy()
        self.kernel(X, Y)
        if self.kernel.differentiable:
            self.kernel.input_gradient(X, Y, A)
        for name, given, kept in (("X", X, self.X), ("Y", Y, self.Y), ("A", A, self.A)):
            ensure_same_bits(f"{name} after the calls", given, kept)

    def check_pickles(self) -> None:
        """A pickled kernel returns the same values."""
        ensure_same_bits("a pickled kernel", pickle_and_load(self.kernel)(self.X, self.Y), self.kernel(self.X, self.Y))

    def _shuffle_designs(self) -> Array:
        return self.X[::-1]


def _ensure_slopes(what: str, actual: Array, expected: Array) -> None:
    largest = float(np.abs(expected).max(initial=0.0))
    ensure_close(what, actual, expected, atol=_SLOPES * largest + 1e-12)
