"""A weighted sum of utilities under a posterior: its moments, and its covariance with the utility anywhere.

Symbols: Y (p, d) are the designs of the sum, w (p,) their weights, g = sum_j w_j f(y_j); P, beta, G as in
`gaussian_posterior`:

    c = k(P, Y) w                                   h = G c
    E g          = c' beta
    Var g        = w' k(Y, Y) w - c' h              each pair of designs is visited once, since k is symmetric
    Cov(f(x), g) = k(x, Y) w - k(x, P) h

c, h and the two moments do not depend on x, so they are computed once for many designs x.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.kernels import Kernel
from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.posterior.base import Posterior
    from anchorpbo.posterior.gaussian_posterior import GaussianPosterior

# Approximate maximal number of covariances in memory.
_MAX_COVARIANCES = 2_000_000


class LinearFunctional(ABC):
    """A weighted sum of utilities g under a posterior; immutable."""

    posterior: Posterior

    @property
    @abstractmethod
    def components(self) -> Sequence[GaussianFunctional]:
        """The sum under each component of the posterior."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Mean E g."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance Var g; negative rounding errors are set to 0."""

    @abstractmethod
    def covariance(self, X: Array) -> Array:
        """Return Cov(f(x_i), g), (n,), for designs X, (n, d)."""


@dataclass(frozen=True, eq=False)
class GaussianFunctional(LinearFunctional):
    """A weighted sum of utilities under a posterior with one kernel, with cached moments."""

    posterior: GaussianPosterior
    Y: Array
    """Designs, (p, d)."""
    weights: Array
    """Weights, (p,)."""

    @property
    def components(self) -> Sequence[GaussianFunctional]:
        """The sum itself: its posterior has one component."""
        return (self,)

    @cached_property
    def mean(self) -> float:
        """Mean E g."""
        return float(self._with_points @ self.posterior.beta)

    @cached_property
    def variance(self) -> float:
        """Variance Var g; negative rounding errors are set to 0."""
        prior = _quadratic_form(self.posterior.kernel, self.Y, self.weights)
        return max(prior - float(self._with_points @ self._product), 0.0)

    def covariance(self, X: Array) -> Array:
        """Return Cov(f(x_i), g), (n,), for designs X, (n, d)."""
        kernel, points, total = self.posterior.kernel, self.posterior.points, np.empty(len(X))
        step = _step(max(len(self.Y), len(points)))
        for start in range(0, len(X), step):
            batch = X[start : start + step]
            total[start : start + step] = kernel(batch, self.Y) @ self.weights - kernel(batch, points) @ self._product
        return total

    @cached_property
    def _with_points(self) -> Array:
        """Prior covariance c of g with the utility at the posterior's points, (u,)."""
        kernel, points, c = self.posterior.kernel, self.posterior.points, np.zeros(len(self.posterior.points))
        step = _step(len(points))
        for start in range(0, len(self.Y), step):
            c += kernel(points, self.Y[start : start + step]) @ self.weights[start : start + step]
        return c

    @cached_property
    def _product(self) -> Array:
        """h = G c, (u,), by the roots of G, since G itself loses digits at small noise."""
        posterior, c = self.posterior, self._with_points
        within = posterior.root.T @ (posterior.root @ c)
        return within if posterior.spread is None else within - posterior.spread.T @ (posterior.spread @ c)


def _quadratic_form(kernel: Kernel, Y: Array, weights: Array) -> float:
    """Return w' k(Y, Y) w, from the pairs on and above the diagonal."""
    total, step = 0.0, _step(len(Y))
    for start in range(0, len(Y), step):
        w, later = weights[start : start + step], weights[start:].copy()
        later[len(w) :] *= 2.0
        total += float(w @ (kernel(Y[start : start + step], Y[start:]) @ later))
    return total


def _step(width: int) -> int:
    return max(_MAX_COVARIANCES // max(width, 1), 1)
