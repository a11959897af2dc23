"""The posterior at given designs, with the way back to them.

Each view computes k(x, P) once and serves both the moments and, through `gradient`, the chain rule: the gradient in x
of any function whose partial derivatives in the moments are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class AtDesigns:
    """mean(x) and variance(x), (n,) each."""

    posterior: Posterior
    X: Array
    through: _Through
    """k(x, P) on its way through G."""
    pull: Callable[[Array], Array]
    """From weights of k, (n, u), to the gradient in x, (n, d)."""
    mean: Array
    variance: Array
    """Var f(x); rounding below zero is cut off."""

    @classmethod
    def of(cls, posterior: Posterior, X: Array) -> AtDesigns:
        """Look at X, (n, d)."""
        k, pull = posterior.kernel.value_with_input_pullback(X, posterior.points)
        through = _Through.of(posterior, k)
        variance = posterior.kernel.diagonal(X) - through.quadratic
        return cls(posterior, X, through, pull, k @ posterior.beta, np.maximum(variance, 0.0))

    def gradient(self, by_mean: Array, by_variance: Array) -> Array:
        """by_mean d mean / dx + by_variance d variance / dx, (n, d), for weights (n,)."""
        weights = by_mean[:, None] * self.posterior.beta - 2.0 * by_variance[:, None] * self.through.product
        return self.pull(weights) + self.posterior.kernel.diagonal_gradient(self.X, by_variance)


@dataclass(frozen=True, eq=False)
class AtPairs:
    """The two means and the variance of f(x) - f(y), (n,) each."""

    posterior: Posterior
    X: Array
    Y: Array
    through: _Through
    """k(x, P) - k(y, P), (n, u), on its way through G."""
    pull: Callable[[Array], Array]
    """From weights of k of all x, then all y, (2 n, u), to the gradients in them, (2 n, d)."""
    mean_x: Array
    mean_y: Array
    variance: Array
    """Var(f(x) - f(y)); rounding below zero is cut off."""

    @classmethod
    def of(cls, posterior: Posterior, X: Array, Y: Array) -> AtPairs:
        """Look at the pairs (x_i, y_i), (n, d) each."""
        kernel, beta = posterior.kernel, posterior.beta
        k, pull = kernel.value_with_input_pullback(np.concatenate([X, Y]), posterior.points)
        kx, ky = k[: len(X)], k[len(X) :]
        through = _Through.of(posterior, kx - ky)
        prior = kernel.diagonal(X) + kernel.diagonal(Y) - 2.0 * kernel.paired(X, Y)
        variance = prior - through.quadratic
        return cls(posterior, X, Y, through, pull, kx @ beta, ky @ beta, np.maximum(variance, 0.0))

    def gradient(self, by_mean_x: Array, by_mean_y: Array, by_variance: Array) -> tuple[Array, Array]:
        """The chain rule in x and in y, (n, d) each, for weights (n,)."""
        kernel, beta = self.posterior.kernel, self.posterior.beta
        shared = 2.0 * by_variance[:, None] * self.through.product
        weights = np.concatenate([by_mean_x[:, None] * beta - shared, by_mean_y[:, None] * beta + shared])
        in_x, in_y = np.split(self.pull(weights), 2)
        between = -2.0 * by_variance
        in_x += kernel.paired_gradient(self.X, self.Y, between) + kernel.diagonal_gradient(self.X, by_variance)
        in_y += kernel.paired_gradient(self.Y, self.X, between) + kernel.diagonal_gradient(self.Y, by_variance)
        return in_x, in_y


@dataclass(frozen=True, eq=False)
class _Through:
    """Rows k, (n, u), times the roots of G: what the moments and the chain rule both need."""

    posterior: Posterior
    within: Array
    """k root', (n, r)."""
    spread: Array | None
    """k spread', (n, r'), of a mixture."""

    @classmethod
    def of(cls, posterior: Posterior, k: Array) -> _Through:
        """Multiply."""
        return cls(posterior, k @ posterior.root.T, None if posterior.spread is None else k @ posterior.spread.T)

    @property
    def quadratic(self) -> Array:
        """Diagonal of k G k', (n,)."""
        within: Array = (self.within**2).sum(axis=1)
        return within if self.spread is None else within - (self.spread**2).sum(axis=1)

    @property
    def product(self) -> Array:
        """k G, (n, u)."""
        within = self.within @ self.posterior.root
        spread = self.posterior.spread
        return within if spread is None or self.spread is None else within - self.spread @ spread
