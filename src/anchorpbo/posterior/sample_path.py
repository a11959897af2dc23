"""Sample paths: draws of the utility as functions that can be maximised.

Symbols: P, beta and G are those of `posterior`, S (n, d) are support designs, V = Cov(f(S)) under the posterior. A draw
of the utilities at S is mean(S) + E xi with E E' = V from its eigenvalues, E' E = diag(e), and xi standard normal.
Between the support designs the path is the conditional mean given the draw, which has a gradient if the kernel has:

    path(x) = k(x, P) beta + Cov(f(x), f(S)) V^+ E xi
            = k(x, P) (beta - G k(P, S) a) + k(x, S) a,      a = E (xi / e)

So a path has the distribution of f at S, and less variance the further x is from S in length-scales.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.kernels import Kernel
from anchorpbo.numerics.linalg import square_root
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.typing import Array


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
            E = square_root(kernel(support, support) - within.T @ within)
            a = E @ (rng.standard_normal(E.shape[1]) / np.einsum("ij,ij->j", E, E))
            weights = np.concatenate([beta - root.T @ (within @ a), a])
        return cls(kernel, np.vstack([points, support]), weights)

    def values(self, X: Array) -> Array:
        """Return the path, (n,), at designs X, (n, d), without validating X."""
        return self.kernel(X, self.points) @ self.weights

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the path, (n,), and its gradient, (n, d), at X, (n, d), without validating X."""
        k, pull = self.kernel.value_with_input_pullback(X, self.points)
        return k @ self.weights, pull(np.tile(self.weights, (len(X), 1)))
