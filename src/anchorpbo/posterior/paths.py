"""Draws of the utility as functions: paths of the posterior that can be evaluated and differentiated anywhere.

Symbols: P (u, d), beta and G = root' root as in `gaussian_posterior`; K = k(P, P); f0 a draw from the prior. By
Matheron's rule

    f(x) = f0(x) + k(x, P) (beta - G f0(P) - e)          e ~ N(0, G - G K G)                            [Wilson2020]

is a draw from the posterior: its mean is k(x, P) beta and its covariance k(x, y) - k(x, P) G k(P, y). With root = R,
G - G K G = R' (I - R K R') R. The prior draw f0 is a sum of random Fourier features; the update uses the exact kernel,
so that a path follows the answers to the accuracy of the posterior itself.

References
----------
[Wilson2020] J. T. Wilson, V. Borovitskiy, A. Terenin, P. Mostowsky and M. P. Deisenroth. Efficiently sampling
    functions from Gaussian process posteriors. International Conference on Machine Learning, 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.kernels import Kernel
from anchorpbo.kernels.fourier_features import FloatArray, FourierFeatures
from anchorpbo.numerics.linalg import square_root
from anchorpbo.posterior.base import Posterior
from anchorpbo.posterior.gaussian_posterior import GaussianPosterior
from anchorpbo.typing import Array, IntArray

FEATURES = 512
"""Number of Fourier features of a prior draw."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Functions drawn from one Gaussian process; immutable."""

    kernel: Kernel
    points: Array
    """P, (u, d)."""
    features: FourierFeatures
    prior_weights: FloatArray
    """Weights z of the features, (s, D), one row per path, in single precision like the features."""
    point_weights: Array
    """Weights beta - G f0(P) - e of the kernel, (s, u)."""

    def __len__(self) -> int:
        return len(self.prior_weights)

    def __call__(self, X: Array) -> Array:
        """Return every path at every design X, (s, n)."""
        return self.prior_weights @ self.features(X).T + self.point_weights @ self.kernel(self.points, X)

    def slopes(self, rows: IntArray, X: Array) -> tuple[Array, Array]:
        """Return path rows_i at x_i, (n,), and its gradient there, (n, d)."""
        values, gradient = self.features.weighted_gradient(X, self.prior_weights[rows])
        weights = self.point_weights[rows]
        k, pull = self.kernel.value_with_input_pullback(X, self.points)
        return values + np.einsum("ij,ij->i", weights, k), gradient + pull(weights)


def draw_paths(
    posterior: Posterior, count: int, grids: Mapping[int, Array], rng: np.random.Generator
) -> Sequence[Paths] | None:
    """Draw functions from a posterior, from each of its components in proportion to its weight.

    Return ``None`` if a kernel's spectral density is not known.

    Parameters
    ----------
    posterior
        The posterior.
    count
        Number of functions in total.
    grids
        All values of each categorical coordinate, increasing.
    rng
        Random generator.
    """
    parts = [
        (weight / len(process.parts), process, *part)
        for weight, process in posterior.components
        for part in process.parts
    ]
    # Systematic sampling: the number of paths of each component differs from its share by less than one.
    ends = np.floor(count * np.cumsum([weight for weight, *_ in parts]) + 0.5).astype(int)
    found = []
    for (_, process, beta, root), size in zip(parts, np.diff(ends, prepend=0), strict=True):
        features = FourierFeatures.draw(process.kernel, grids, process.dimension, FEATURES, rng)
        if features is None:
            return None
        if size:
            found.append(_draw_part(process, beta, root, features, int(size), rng))
    return found


def _draw_part(
    process: GaussianPosterior,
    beta: Array,
    root: Array,
    features: FourierFeatures,
    count: int,
    rng: np.random.Generator,
) -> Paths:
    """Draw functions from one Gaussian process with weights beta, (u,), and root, (r, u)."""
    kernel, points = process.kernel, process.points
    prior = rng.standard_normal((count, len(features)), dtype=np.float32)
    within = np.eye(len(root)) - root @ kernel(points, points) @ root.T
    E = square_root(0.5 * (within + within.T))
    noise = rng.standard_normal((count, E.shape[1])) @ E.T
    weights = beta - ((prior @ features(points).T) @ root.T + noise) @ root
    return Paths(kernel, points, features, prior, weights)
