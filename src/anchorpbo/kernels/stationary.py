"""Kernels of the scaled distance: k(x, y) = s * shape(r^2), r^2 = sum_c ((x_c - y_c) / lengthscale_c)^2.

A stationary kernel is two scalar functions of r^2, its shape and the shape's derivative; everything else is here once.
"""

from abc import abstractmethod

import numpy as np
from scipy.spatial.distance import cdist

from anchorpbo.kernels.scales import ScaledKernel
from anchorpbo.typing import Array


class Stationary(ScaledKernel):
    """A kernel of the scaled distance between two designs."""

    @abstractmethod
    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return shape(r^2), which is 1 at 0, and its derivative in r^2."""

    def __call__(self, X: Array, Y: Array) -> Array:
        """S * shape(r^2), (n, p)."""
        return self.outputscale * self.shape(self._squared_distances(X, Y))[0]

    def input_gradient(self, X: Array, Y: Array, A: Array) -> Array:
        """sum_j A_ij 2 s shape'(r_ij^2) (x_i - y_j) / lengthscale^2, (n, d)."""
        B = A * self.shape(self._squared_distances(X, Y))[1]
        # Measured from one of the designs, so that nothing is lost to a common offset.
        origin = Y[:1].sum(axis=0)
        pull = B.sum(axis=1)[:, None] * (X - origin) - B @ (Y - origin)
        return np.asarray(2.0 * self.outputscale * pull / self.lengths**2)

    def paired(self, X: Array, Y: Array) -> Array:
        """s * shape(r^2) of designs side by side, (n,)."""
        return self.outputscale * self.shape(self._paired_squared_distances(X, Y))[0]

    def paired_gradient(self, X: Array, Y: Array, a: Array) -> Array:
        """a_i 2 s shape'(r_i^2) (x_i - y_i) / lengthscale^2, (n, d)."""
        slope = a * self.shape(self._paired_squared_distances(X, Y))[1]
        return np.asarray(2.0 * self.outputscale * slope[:, None] * (X - Y) / self.lengths**2)

    def _length_gradient(self, X: Array, A: Array) -> tuple[Array, float]:
        # d r^2 / d log lengthscale_c = -2 ((x_c - y_c) / lengthscale_c)^2
        value, slope = self.shape(self._squared_distances(X, X))
        B = -2.0 * self.outputscale * A * slope
        Z = (X - X[:1]) / self.lengths
        by_coordinate = 2.0 * (B.sum(axis=1) @ Z**2 - np.einsum("ic,ic->c", Z, B @ Z))
        return by_coordinate, self.outputscale * float(np.vdot(A, value))

    def _squared_distances(self, X: Array, Y: Array) -> Array:
        # Coordinate by coordinate: expanding the square would lose designs 1e-9 apart.
        return np.asarray(cdist(X / self.lengths, Y / self.lengths, "sqeuclidean"))

    def _paired_squared_distances(self, X: Array, Y: Array) -> Array:
        return np.asarray((((X - Y) / self.lengths) ** 2).sum(axis=1))


class RBF(Stationary):
    """shape(r^2) = exp(-r^2 / 2): utilities without kinks.

    `lengthscale` is a number for all coordinates or one each, (d,); `outputscale` is the prior variance of the utility.
    """

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return exp(-r^2 / 2) and its derivative."""
        e = np.exp(-0.5 * r2)
        return e, -0.5 * e


class Matern32(Stationary):
    """shape(r^2) = (1 + a) exp(-a), a = sqrt(3) r: once differentiable utilities.

    `lengthscale` is a number for all coordinates or one each, (d,); `outputscale` is the prior variance of the utility.
    """

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return (1 + a) exp(-a) and its derivative -3/2 exp(-a)."""
        a = np.sqrt(3.0 * r2)
        e = np.exp(-a)
        return (1.0 + a) * e, -1.5 * e


class Matern52(Stationary):
    """shape(r^2) = (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r: twice differentiable utilities.

    `lengthscale` is a number for all coordinates or one each, (d,); `outputscale` is the prior variance of the utility.
    """

    def shape(self, r2: Array) -> tuple[Array, Array]:
        """Return (1 + a + a^2 / 3) exp(-a) and its derivative -5/6 (1 + a) exp(-a)."""
        a = np.sqrt(5.0 * r2)
        e = np.exp(-a)
        return (1.0 + a + a * a / 3.0) * e, -5.0 / 6.0 * (1.0 + a) * e
