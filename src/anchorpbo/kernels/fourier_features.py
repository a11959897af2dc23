"""Random Fourier features: a stationary kernel as the covariance of a finite sum of waves.

Symbols: x (d,) a design, D the number of features, s the output scale. With w_j drawn from the kernel's spectral
density and b_j uniform in [0, 2 pi),

    phi_j(x) = sqrt(2 s / D) cos(w_j . x + b_j)          E sum_j phi_j(x) phi_j(y) = k(x, y)               [RR2007]

so f(x) = sum_j z_j phi_j(x) with independent standard normal z_j is approximately a draw from the prior, as a function.

The spectral density of the RBF kernel is normal, with standard deviation 1 / lengthscale_c in coordinate c. That of a
Matern kernel is the multivariate t distribution with 2 nu degrees of freedom: the same normal vector, multiplied by
sqrt(2 nu / chi^2_{2 nu}). A category of a categorical coordinate is a vertex of a simplex whose vertices are 1 apart,
because any two categories differ equally. So each category has a phase of its own, with variance
1 / (2 lengthscale_c^2).

References
----------
[RR2007] A. Rahimi and B. Recht. Random features for large-scale kernel machines. Advances in Neural Information
    Processing Systems 20, 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from anchorpbo.kernels.base import Kernel
from anchorpbo.kernels.stationary import Stationary
from anchorpbo.kernels.stationary_matrices import MATERN_32, MATERN_52, RBF
from anchorpbo.numerics.sobol import sobol
from anchorpbo.typing import Array

FloatArray: TypeAlias = npt.NDArray[np.float32]
_DEGREES: dict[int, float] = {RBF: np.inf, MATERN_32: 3.0, MATERN_52: 5.0}
"""Degrees of freedom of the spectral density of each family."""


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """Random Fourier features of a kernel."""

    frequencies: Array
    """w, (D, d); 0 in categorical coordinates."""
    phases: Array
    """b, (D,)."""
    levels: Mapping[int, tuple[Array, Array]]
    """For each categorical coordinate: its values, (v,), increasing, and their phases, (v, D)."""
    amplitude: float
    """sqrt(2 s / D)."""

    @classmethod
    def draw(
        cls, kernel: Kernel, grids: Mapping[int, Array], dimension: int, count: int, rng: np.random.Generator
    ) -> FourierFeatures | None:
        """Draw the features of a kernel; ``None`` if its spectral density is not known.

        Parameters
        ----------
        kernel
            Kernel.
        grids
            All values of each discrete coordinate, increasing; categorical ones must be among them.
        dimension
            Number of coordinates of a design, d.
        count
            Number of features, D.
        rng
            Random generator; frequencies are scrambled Sobol' points, for a smaller error than independent ones.
        """
        if not isinstance(kernel, Stationary) or kernel.family is None or not grids.keys() >= {*kernel.categorical}:
            return None
        lengths = np.broadcast_to(kernel.lengths, dimension)
        sizes = {c: len(grids[c]) for c in kernel.categorical}
        # A Sobol' point may be 0, whose normal quantile is infinite.
        points = np.clip(sobol(count, dimension + 2 + sum(sizes.values()), rng), 2.0**-33, None)
        normal = special.ndtri(points[:, 2:])
        normal *= _scale(_DEGREES[kernel.family], points[:, 1])[:, None]
        frequencies, levels, used = normal[:, :dimension] / lengths, {}, dimension
        frequencies[:, list(kernel.categorical)] = 0.0
        for c, size in sizes.items():
            levels[c] = grids[c], normal[:, used : used + size].T / (np.sqrt(2.0) * lengths[c])
            used += size
        return cls(frequencies, 2.0 * np.pi * points[:, 0], levels, float(np.sqrt(2.0 * kernel.outputscale / count)))

    def __len__(self) -> int:
        return len(self.phases)

    def __call__(self, X: Array) -> FloatArray:
        """Return phi_j(x_i), (n, D), in single precision."""
        return np.cos(self._angles(X)) * np.float32(self.amplitude)

    def weighted_gradient(self, X: Array, weights: FloatArray) -> tuple[Array, Array]:
        """Return sum_j weights_ij phi_j(x_i), (n,), and its gradient in x_i, (n, d), for weights (n, D)."""
        angles = self._angles(X)
        values = self.amplitude * np.einsum("ij,ij->i", weights, np.cos(angles))
        return values, (weights * np.sin(angles)) @ (-self.amplitude * self.frequencies)

    def _angles(self, X: Array) -> FloatArray:
        angles = X @ self.frequencies.T
        angles += self.phases
        for c, (values, phases) in self.levels.items():
            angles += phases[np.searchsorted(values, X[:, c])]
        # Waves of single precision are thirty times as fast, and exact to 1e-5 of the prior standard deviation.
        return angles.astype(np.float32)


def _scale(degrees: float, uniform: Array) -> Array:
    """Return sqrt(degrees / chi^2), (n,), with chi^2 the quantiles of its distribution at `uniform`, (n,)."""
    if np.isinf(degrees):
        return np.ones(len(uniform))
    return np.asarray(np.sqrt(degrees / (2.0 * special.gammaincinv(0.5 * degrees, uniform))))
