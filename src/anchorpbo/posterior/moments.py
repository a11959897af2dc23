"""The posterior at given designs, with the way back to them.

Each view computes k(x, P) once and serves both the moments and, through `gradient`, the chain rule: the gradient in x
of any function whose partial derivatives in the moments are known. What is not asked for is not computed: the mean
alone needs no product with the root of G, and values alone need no slopes of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.posterior.posterior import Posterior

Pull = Callable[[Array], Array]
"""From weights of covariances to the gradient in x, (n, d)."""
_AGAINST = np.array([[-2.0], [2.0]])


@dataclass(frozen=True, eq=False)
class DesignMoments:
    """mean(x) and variance(x), (n,) each."""

    posterior: Posterior
    X: Array
    k: Array
    """k(x, P), (n, u)."""
    pull: Pull

    @classmethod
    def of(cls, posterior: Posterior, X: Array, *, slopes: bool = False) -> DesignMoments:
        """Look at X, (n, d), which is taken as valid; with slopes, if `gradient` will be asked for."""
        return cls(posterior, X, *_look(posterior, X, slopes))

    @cached_property
    def mean(self) -> Array:
        """E f(x)."""
        return self.k @ self.posterior.beta

    @cached_property
    def variance(self) -> Array:
        """Var f(x); rounding below zero is cut off."""
        return np.maximum(self.posterior.kernel.diagonal(self.X) - self._through.quadratic, 0.0)

    @property
    def covariance(self) -> Array:
        """Cov(f(x_i), f(x_j)), (n, n)."""
        through = self._through
        covariance = self.posterior.kernel(self.X, self.X) - through.within @ through.within.T
        return covariance if through.spread is None else covariance + through.spread @ through.spread.T

    def gradient(self, by_mean: Array, by_variance: Array | None = None) -> Array:
        """by_mean d mean / dx + by_variance d variance / dx, (n, d), for weights (n,)."""
        weights = by_mean[:, None] * self.posterior.beta
        if by_variance is None:
            return self.pull(weights)
        weights -= (2.0 * by_variance)[:, None] * self._through.product
        return self.pull(weights) + self.posterior.kernel.diagonal_gradient(self.X, by_variance)

    @cached_property
    def _through(self) -> RootProduct:
        return RootProduct.of(self.posterior, self.k)


@dataclass(frozen=True, eq=False)
class PairMoments:
    """The two means and the variance of f(x) - f(y)."""

    posterior: Posterior
    X: Array
    """Pairs of designs (x, y), (n, 2, d)."""
    through: RootProduct
    """k(x, P) - k(y, P) on its way through G."""
    pull: Pull
    """For k of x and y in turn, (2 n, u)."""
    pull_between: Pull
    """For k(x, y) and k(y, x) in turn, (2 n,)."""
    mean: Array
    """E f(x) and E f(y), (n, 2)."""
    variance: Array
    """Var(f(x) - f(y)), (n,); rounding below zero is cut off."""

    @classmethod
    def of(cls, posterior: Posterior, X: Array, *, slopes: bool = False) -> PairMoments:
        """Look at pairs X, (n, 2, d), which are taken as valid; with slopes, if `gradient` will be asked for."""
        kernel, designs = posterior.kernel, X.reshape(-1, X.shape[2])
        k, pull = _look(posterior, designs, slopes)
        between, pull_between = kernel.paired_with_pullback(designs, X[:, ::-1].reshape(designs.shape))
        through = RootProduct.of(posterior, k[::2] - k[1::2])
        own = kernel.diagonal(designs)
        variance = np.maximum(own[::2] + own[1::2] - 2.0 * between[::2] - through.quadratic, 0.0)
        return cls(posterior, X, through, pull, pull_between, (k @ posterior.beta).reshape(-1, 2), variance)

    def gradient(self, by_mean: Array, by_variance: Array) -> Array:
        """The chain rule in x and in y, (n, 2, d), for weights of the means, (n, 2), and of the variance, (n,)."""
        posterior, designs = self.posterior, self.X.reshape(-1, self.X.shape[2])
        # The variance is that of a difference: what moves it up in k(x, P) moves it down in k(y, P).
        against = by_variance[:, None, None] * _AGAINST
        weights = by_mean[:, :, None] * posterior.beta + against * self.through.product[:, None]
        twice = np.repeat(by_variance, 2)
        gradient = self.pull(weights.reshape(len(designs), len(posterior.beta))) + self.pull_between(-2.0 * twice)
        return (gradient + posterior.kernel.diagonal_gradient(designs, twice)).reshape(self.X.shape)


@dataclass(frozen=True, eq=False)
class RootProduct:
    """Rows k, (n, u), times the roots of G: what the moments and the chain rule both need."""

    posterior: Posterior
    within: Array
    """k root', (n, r)."""
    spread: Array | None
    """k spread', (n, r'), of a mixture."""

    @classmethod
    def of(cls, posterior: Posterior, k: Array) -> RootProduct:
        """Multiply."""
        within = k @ posterior.root.T if posterior.factors is None else posterior.factors.multiply_transpose(k)
        return cls(posterior, within, None if posterior.spread is None else k @ posterior.spread.T)

    @property
    def quadratic(self) -> Array:
        """Diagonal of k G k', (n,)."""
        within = _squares(self.within)
        return within if self.spread is None else within - _squares(self.spread)

    @property
    def product(self) -> Array:
        """k G, (n, u)."""
        factors, spread = self.posterior.factors, self.posterior.spread
        within = self.within @ self.posterior.root if factors is None else factors.multiply(self.within)
        return within if spread is None or self.spread is None else within - self.spread @ spread


def _look(posterior: Posterior, X: Array, slopes: bool) -> tuple[Array, Pull]:
    kernel, points = posterior.kernel, posterior.points
    if slopes:
        return kernel.value_with_input_pullback(X, points)
    return kernel(X, points), partial(kernel.input_gradient, X, points)


def _squares(rows: Array) -> Array:
    """Their sum over each row, (n,)."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
