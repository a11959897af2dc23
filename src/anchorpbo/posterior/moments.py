"""Posterior moments at given designs, and their gradients in the designs.

Each class computes k(x, P) once, for both the moments and the chain rule in `gradient`: the gradient in x of a function
with given partial derivatives in the moments. Moments are computed on first use: the mean needs no product with the
root of G, and values without gradients need no slopes of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.posterior.gaussian_posterior import GaussianPosterior

Pull = Callable[[Array], Array]
"""Function from weights of the covariances to the gradient in x, (n, d)."""
_AGAINST = np.array([[-2.0], [2.0]])
# The designs (x, a, y, b) of an item whose covariances are needed, each pair in both orders.
_LEFT = np.array([0, 2, 1, 0, 1, 2, 3, 0, 3, 2])
_RIGHT = np.array([2, 0, 0, 1, 2, 1, 0, 3, 2, 3])
_OF_DESIGN = (np.arange(4)[:, None] == _LEFT).astype(np.float64)
_IN_VARIANCE = np.array([-2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
_IN_COVARIANCE = np.array([0.0, 0.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class DesignMoments:
    """Posterior mean and variance at designs, (n,) each."""

    posterior: GaussianPosterior
    X: Array
    k: Array
    """k(x, P), (n, u)."""
    pull: Pull

    @classmethod
    def of(cls, posterior: GaussianPosterior, X: Array, *, slopes: bool = False) -> DesignMoments:
        """Return the moments at X, (n, d), without validating X; set `slopes` if `gradient` will be called."""
        return cls(posterior, X, *_look(posterior, X, slopes))

    @cached_property
    def mean(self) -> Array:
        """Posterior mean E f(x), (n,)."""
        return self.k @ self.posterior.beta

    @cached_property
    def variance(self) -> Array:
        """Posterior variance Var f(x), (n,); negative rounding errors are set to 0."""
        return np.maximum(self.posterior.kernel.diagonal(self.X) - self._through.quadratic, 0.0)

    @property
    def covariance(self) -> Array:
        """Posterior covariance Cov(f(x_i), f(x_j)), (n, n)."""
        through = self._through
        covariance = self.posterior.kernel(self.X, self.X) - through.within @ through.within.T
        return covariance if through.spread is None else covariance + through.spread @ through.spread.T

    def gradient(self, by_mean: Array, by_variance: Array | None = None) -> Array:
        """Return by_mean d mean / dx + by_variance d variance / dx, (n, d), for weights (n,)."""
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
    """Posterior means of f(x) and f(y), and variance of f(x) - f(y)."""

    posterior: GaussianPosterior
    X: Array
    """Pairs of designs (x, y), (n, 2, d)."""
    through: RootProduct
    """Product of k(x, P) - k(y, P) with the roots of G."""
    pull: Pull
    """Pullback for k(x, P) and k(y, P) in alternating rows, (2 n, u)."""
    pull_between: Pull
    """Pullback for k(x, y) and k(y, x) in alternating entries, (2 n,)."""
    mean: Array
    """Means E f(x) and E f(y), (n, 2)."""
    variance: Array
    """Variance Var(f(x) - f(y)), (n,); negative rounding errors are set to 0."""

    @classmethod
    def of(cls, posterior: GaussianPosterior, X: Array, *, slopes: bool = False) -> PairMoments:
        """Return the moments at pairs X, (n, 2, d), without validating X; set `slopes` if `gradient` will be called."""
        kernel, designs = posterior.kernel, X.reshape(-1, X.shape[2])
        k, pull = _look(posterior, designs, slopes)
        between, pull_between = kernel.paired_with_pullback(designs, X[:, ::-1].reshape(designs.shape))
        through = RootProduct.of(posterior, k[::2] - k[1::2])
        own = kernel.diagonal(designs)
        variance = np.maximum(own[::2] + own[1::2] - 2.0 * between[::2] - through.quadratic, 0.0)
        return cls(posterior, X, through, pull, pull_between, (k @ posterior.beta).reshape(-1, 2), variance)

    def gradient(self, by_mean: Array, by_variance: Array) -> Array:
        """Return the gradient in x and in y, (n, 2, d), for weights of the means, (n, 2), and of the variance, (n,)."""
        posterior, designs = self.posterior, self.X.reshape(-1, self.X.shape[2])
        # The variance is that of a difference, so k(x, P) and k(y, P) have opposite signs.
        against = by_variance[:, None, None] * _AGAINST
        weights = by_mean[:, :, None] * posterior.beta + against * self.through.product[:, None]
        twice = np.repeat(by_variance, 2)
        gradient = self.pull(weights.reshape(len(designs), len(posterior.beta))) + self.pull_between(-2.0 * twice)
        return (gradient + posterior.kernel.diagonal_gradient(designs, twice)).reshape(self.X.shape)


@dataclass(frozen=True, eq=False)
class OutcomeMoments:
    """Posterior moments of a duel of x and y, and of designs a and b to choose after either outcome.

    The four designs of an item are (x, a, y, b); the mean of f(a) after x has won depends on Cov(f(a), f(x) - f(y)).
    """

    posterior: GaussianPosterior
    X: Array
    """Items (x, a, y, b), (n, 4, d)."""
    duel: RootProduct
    """Product of k(x, P) - k(y, P) with the roots of G."""
    choice: RootProduct
    """Product of k(a, P) - k(b, P) with the roots of G."""
    pull: Pull
    """Pullback for k(x, P), k(a, P), k(y, P) and k(b, P) in alternating rows, (4 n, u)."""
    pull_between: Pull
    """Pullback for the covariances between designs of an item, (10 n,)."""
    mean: Array
    """Means of f at x, a, y and b, (n, 4)."""
    variance: Array
    """Var(f(x) - f(y)), (n,); negative rounding errors are set to 0."""
    covariance: Array
    """Cov(f(a) - f(b), f(x) - f(y)), (n,)."""

    @classmethod
    def of(cls, posterior: GaussianPosterior, X: Array, *, slopes: bool = False) -> OutcomeMoments:
        """Return the moments at items X, (n, 4, d), without validating X; set `slopes` if `gradient` will be called."""
        kernel, designs = posterior.kernel, X.reshape(-1, X.shape[2])
        k, pull = _look(posterior, designs, slopes)
        left, right = (X[:, order].reshape(-1, X.shape[2]) for order in (_LEFT, _RIGHT))
        paired, pull_between = kernel.paired_with_pullback(left, right)
        between = paired.reshape(-1, len(_LEFT))
        duel, choice = RootProduct.of(posterior, k[::4] - k[2::4]), RootProduct.of(posterior, k[1::4] - k[3::4])
        own = kernel.diagonal(designs)
        variance = np.maximum(own[::4] + own[2::4] - 2.0 * between[:, 0] - duel.quadratic, 0.0)
        prior = (between[:, 2] - between[:, 4]) - (between[:, 6] - between[:, 8])
        mean = (k @ posterior.beta).reshape(-1, 4)
        covariance = prior - choice.inner(duel)
        return cls(posterior, X, duel, choice, pull, pull_between, mean, variance, covariance)

    def gradient(self, by_mean: Array, by_variance: Array, by_covariance: Array) -> Array:
        """Return the gradient in all designs, (n, 4, d), for weights (n, 4), (n,) and (n,) of the moments."""
        posterior, designs = self.posterior, self.X.reshape(-1, self.X.shape[2])
        duel = by_covariance[:, None] * self.duel.product
        choice = (2.0 * by_variance)[:, None] * self.duel.product + by_covariance[:, None] * self.choice.product
        weights = by_mean[:, :, None] * posterior.beta
        weights[:, 0] -= choice
        weights[:, 1] -= duel
        weights[:, 2] += choice
        weights[:, 3] += duel
        gradient = self.pull(weights.reshape(len(designs), len(posterior.beta))).reshape(self.X.shape)
        between = by_variance[:, None] * _IN_VARIANCE + by_covariance[:, None] * _IN_COVARIANCE
        slopes = self.pull_between(between.ravel()).reshape(len(self.X), len(_LEFT), self.X.shape[2])
        own = np.zeros((len(self.X), 4))
        own[:, ::2] = by_variance[:, None]
        alone = posterior.kernel.diagonal_gradient(designs, own.ravel()).reshape(self.X.shape)
        return np.asarray(gradient + _OF_DESIGN @ slopes + alone)


@dataclass(frozen=True, eq=False)
class RootProduct:
    """Product of rows k, (n, u), with the roots of G, used by the moments and their gradients."""

    posterior: GaussianPosterior
    within: Array
    """Product k root', (n, r)."""
    spread: Array | None
    """Product k spread', (n, r'), for a mixture."""

    @classmethod
    def of(cls, posterior: GaussianPosterior, k: Array) -> RootProduct:
        """Multiply rows k by the roots of G."""
        within = k @ posterior.root.T if posterior.factors is None else posterior.factors.multiply_transpose(k)
        return cls(posterior, within, None if posterior.spread is None else k @ posterior.spread.T)

    @property
    def quadratic(self) -> Array:
        """Diagonal of k G k', (n,)."""
        within = _squares(self.within)
        return within if self.spread is None else within - _squares(self.spread)

    def inner(self, other: RootProduct) -> Array:
        """Return k_i G k'_i, (n,), for the rows k and k' of two products."""
        within = np.einsum("ij,ij->i", self.within, other.within)
        if self.spread is None or other.spread is None:
            return np.asarray(within)
        return np.asarray(within - np.einsum("ij,ij->i", self.spread, other.spread))

    @property
    def product(self) -> Array:
        """Product k G, (n, u)."""
        factors, spread = self.posterior.factors, self.posterior.spread
        within = self.within @ self.posterior.root if factors is None else factors.multiply(self.within)
        return within if spread is None or self.spread is None else within - self.spread @ spread


def _look(posterior: GaussianPosterior, X: Array, slopes: bool) -> tuple[Array, Pull]:
    kernel, points = posterior.kernel, posterior.points
    if slopes:
        return kernel.value_with_input_pullback(X, points)
    return kernel(X, points), partial(kernel.input_gradient, X, points)


def _squares(rows: Array) -> Array:
    """Return the sum of squares of each row, (n,)."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
