"""Stationary kernels: k(x, y) = s * shape(r^2), r^2 = sum_c ((x_c - y_c) / lengthscale_c)^2.

A stationary kernel defines two scalar functions of r^2, its shape and the shape's derivative; the rest is implemented
here. A coordinate can be categorical: then (x_c - y_c)^2 is replaced by 1 if the two values differ and 0 if they are
equal, and the gradient in that coordinate is 0.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels import stationary_matrices as matrices
from anchorpbo.kernels.scaled_kernel import ScaledKernel
from anchorpbo.typing import Array


class Stationary(ScaledKernel):
    """A stationary kernel, which is a function of the scaled distance between two designs."""

    family: ClassVar[int | None] = None
    """Code of the shape in `anchorpbo.kernels.stationary_matrices`; ``None`` for a shape that is not compiled."""
    categorical: tuple[int, ...]
    """Categorical coordinates: only whether two values are equal matters."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        order = [next(c for c in cls.__mro__ if name in vars(c)) for name in ("family", "shape")]
        if cls.__mro__.index(order[1]) < cls.__mro__.index(order[0]):
            cls.family = None  # the subclass overrides the shape of the family

    def __init__(
        self, lengthscale: npt.ArrayLike = 0.3, outputscale: float = 1.0, *, categorical: Iterable[int] = ()
    ) -> None:
        super().__init__(lengthscale, outputscale)
        columns = tuple(categorical)
        whole = all(isinstance(c, int | np.integer) and not isinstance(c, bool) and c >= 0 for c in columns)
        if not whole or len(set(columns)) < len(columns):
            raise InputError("categorical must be distinct column numbers from 0", columns, "list each once")
        object.__setattr__(self, "categorical", tuple(int(c) for c in columns))

    def __repr__(self) -> str:
        columns = f", categorical={self.categorical}" if self.categorical else ""
        return f"{type(self).__name__}(lengthscale={self.lengthscale!r}, outputscale={self.outputscale!r}{columns})"

    def check_dimension(self, dimension: int) -> None:
        """Raise `ShapeError` unless the length-scales and categorical columns fit the dimension."""
        super().check_dimension(dimension)
        if self.categorical and max(self.categorical) >= dimension:
            rule = f"categorical columns must be below the {dimension} coordinates of a design"
            raise ShapeError(rule, self.categorical, "match the designs")

    @abstractmethod
    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return shape(r^2), which is 1 at 0, and its derivative in r^2."""

    def __call__(self, X: Array, Y: Array) -> Array:
        """Return s * shape(r^2), (n, p)."""
        if self.family is not None:
            return matrices.cross_matrix(
                X, Y, self.lengths, self.categorical, self.family, self.outputscale, slopes=False
            )[0]
        return self.outputscale * self.shape(self._squared_distances(X, Y))[0]

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """Return sum_j A_ij 2 s shape'(r_ij^2) (x_i - y_j) / lengthscale^2, (n, d)."""
        return self.value_with_input_pullback(X, Y)[1](A)

    def value_with_input_pullback(self, X: Array, Y: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the matrix and `input_gradient`, computing the distances once."""
        if self.family is not None:
            lengths, categorical = self.lengths, self.categorical
            K, slopes = matrices.cross_matrix(X, Y, lengths, categorical, self.family, self.outputscale, slopes=True)
            return K, lambda A: matrices.cross_gradient(A, slopes, X, Y, lengths, categorical)
        value, slope = self.shape(self._squared_distances(X, Y))

        def pull(A: Array) -> Array:
            B = A * slope
            # Relative to one of the designs, so that a common offset does not cost precision.
            origin = Y[:1].sum(axis=0)
            total = B.sum(axis=1)[:, None] * (X - origin) - B @ (Y - origin)
            return self._zero_categorical(2.0 * self.outputscale * total / self.lengths**2)

        return self.outputscale * value, pull

    def paired(self, X: Array, Y: Array) -> Array:
        """Return s * shape(r^2) for each pair (x_i, y_i), (n,)."""
        return self.outputscale * self.shape(self._paired_squared_distances(X, Y))[0]

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """Return a_i 2 s shape'(r_i^2) (x_i - y_i) / lengthscale^2, (n, d)."""
        return self.paired_with_pullback(X, Y)[1](a)

    def paired_with_pullback(self, X: Array, Y: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the values and `paired_gradient`, computing the distances once."""
        if self.family is not None:
            values, gradient = matrices.paired_values(
                X, Y, self.lengths, self.categorical, self.family, self.outputscale
            )
            return values, lambda a: a[:, None] * gradient
        value, slope = self.shape(self._paired_squared_distances(X, Y))

        def pull(a: Array) -> Array:
            weights = (2.0 * self.outputscale) * a * slope
            return self._zero_categorical(weights[:, None] * (X - Y) / self.lengths**2)

        return self.outputscale * value, pull

    def value_with_pullback(self, X: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the matrix k(x_i, x_j) and `parameter_gradient`, computing each distance once."""
        if self.family is None:
            return super().value_with_pullback(X)
        d, categorical = X.shape[1], list(self.categorical)
        Z = np.ascontiguousarray(self._zero_categorical(X / self.lengths).T)
        codes = np.ascontiguousarray(X[:, categorical].T)
        weights = np.array([self._weight(c) for c in categorical])
        K, slope = np.empty((2, len(X), len(X)))
        matrices.symmetric_matrix(Z, codes, weights, self.family, self.outputscale, K, slope, np.empty((3, len(X))))

        def pull(A: Array) -> Array:
            out = np.empty(d + len(categorical) + 1)
            matrices.length_gradient(
                Z, codes, weights, K, slope, np.ascontiguousarray(A), np.zeros((len(out) + 1, len(X))), out
            )
            out[categorical] = out[d:-1]
            lengths = out[:d].sum(keepdims=True) if self._shared else out[:d]
            return np.append(lengths, out[-1])

        return K, pull

    def _length_gradient(self, X: Array, A: Array) -> tuple[Array, float]:
        # d r^2 / d log lengthscale_c = -2 ((x_c - y_c) / lengthscale_c)^2
        value, slope = self.shape(self._squared_distances(X, X))
        B = -2.0 * self.outputscale * A * slope
        Z = (X - X[:1]) / self.lengths
        by_coordinate = 2.0 * (B.sum(axis=1) @ Z**2 - np.einsum("ic,ic->c", Z, B @ Z))
        for c in self.categorical:
            by_coordinate[c] = B[X[:, c, None] != X[:, c]].sum() * self._weight(c)
        return by_coordinate, self.outputscale * float(np.vdot(A, value))

    def _squared_distances(self, X: Array, Y: Array) -> Array:
        from scipy.spatial.distance import cdist  # used only for shapes that are not compiled

        # One coordinate at a time: expanding the square would lose the difference of designs 1e-9 apart.
        r2 = np.asarray(
            cdist(self._zero_categorical(X / self.lengths), self._zero_categorical(Y / self.lengths), "sqeuclidean")
        )
        for c in self.categorical:
            r2 += self._weight(c) * (X[:, c, None] != Y[:, c])
        return r2

    def _paired_squared_distances(self, X: Array, Y: Array) -> Array:
        r2 = np.asarray((self._zero_categorical((X - Y) / self.lengths) ** 2).sum(axis=1))
        for c in self.categorical:
            r2 += self._weight(c) * (X[:, c] != Y[:, c])
        return r2

    def _zero_categorical(self, Z: Array) -> Array:
        """Return Z, (n, d), with zeros in the categorical columns; Z itself if there are none."""
        if self.categorical:
            Z = Z.copy()
            Z[:, self.categorical] = 0.0
        return Z

    def _weight(self, column: int) -> float:
        """Return 1 / lengthscale^2 of a column."""
        return float(self.lengths[0 if self._shared else column] ** -2)


class RBF(Stationary):
    """Squared exponential kernel, shape(r^2) = exp(-r^2 / 2): infinitely differentiable utilities.

    `lengthscale` is one number or an array, (d,), one per coordinate; `outputscale` is the prior variance.
    """

    family: ClassVar[int | None] = matrices.RBF

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return exp(-r^2 / 2) and its derivative."""
        e = np.exp(-0.5 * r2)
        return e, -0.5 * e


class Matern32(Stationary):
    """Matern-3/2 kernel, shape(r^2) = (1 + a) exp(-a), a = sqrt(3) r: once differentiable utilities.

    `lengthscale` is one number or an array, (d,), one per coordinate; `outputscale` is the prior variance.
    """

    family: ClassVar[int | None] = matrices.MATERN_32

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return (1 + a) exp(-a) and its derivative -3/2 exp(-a)."""
        a = np.sqrt(3.0 * r2)
        e = np.exp(-a)
        return (1.0 + a) * e, -1.5 * e


class Matern52(Stationary):
    """Matern-5/2 kernel, shape(r^2) = (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r: twice differentiable utilities.

    `lengthscale` is one number or an array, (d,), one per coordinate; `outputscale` is the prior variance.
    """

    family: ClassVar[int | None] = matrices.MATERN_52

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return (1 + a + a^2 / 3) exp(-a) and its derivative -5/6 (1 + a) exp(-a)."""
        a = np.sqrt(5.0 * r2)
        e = np.exp(-a)
        return (1.0 + a + a * a / 3.0) * e, -5.0 / 6.0 * (1.0 + a) * e
