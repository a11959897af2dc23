"""Sample paths: draws of the utility as functions that can be maximised.

Symbols: P, beta and G are those of `posterior`, S (n, d) are support designs, V = Cov(f(S)) under the posterior. A draw
of the utilities at S is E f(S) + L xi with L L' = V and xi standard normal. Between the support designs the path is the
conditional mean given the draw, which has the gradient of the kernel for any kernel:

    path(x) = k(x, P) beta + Cov(f(x), f(S)) V^-1 L xi
            = k(x, P) (beta - G k(P, S) a) + k(x, S) a,      a = L^-T xi

So a path has the distribution of f at S, and less variance the further x is from S in length-scales.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from anchorpbo.kernels import Kernel
from anchorpbo.numerics.linalg import cholesky
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.typing import Array

NUGGET = 1e-8
"""Variance added to each utility, as a share of the largest prior variance: near designs have equal utilities."""


@dataclass(frozen=True, eq=False)
class SamplePath:
    """A function on designs: a weighted sum of covariances. Immutable."""

    kernel: Kernel
    points: Array
    """(n, d)."""
    weights: Array
    """(n,)."""

    @classmethod
    def draw(
        cls, kernel: Kernel, points: Array, beta: Array, root: Array, support: Array, rng: np.random.Generator
    ) -> SamplePath:
        """Draw a path of the Gaussian process with weights beta and root on points, exact at the support, (n, d)."""
        with one_blas_thread(len(points) + len(support)):
            within = root @ kernel(points, support)
            V = kernel(support, support) - within.T @ within
            V.reshape(-1)[:: len(V) + 1] += NUGGET * kernel.diagonal(support).max(initial=0.0)
            a = linalg.solve_triangular(cholesky(V), rng.standard_normal(len(V)), lower=True, trans="T")
            weights = np.concatenate([beta - root.T @ (within @ a), a])
        return cls(kernel, np.vstack([points, support]), weights)

    def values(self, X: Array) -> Array:
        """Return the path, (n,), at designs X, (n, d), without validating X."""
        return self.kernel(X, self.points) @ self.weights

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the path, (n,), and its gradient, (n, d), at X, (n, d), without validating X."""
        k, pull = self.kernel.value_with_input_pullback(X, self.points)
        return k @ self.weights, pull(np.tile(self.weights, (len(X), 1)))
