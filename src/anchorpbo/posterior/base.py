"""The interface of posteriors of the utility, which acquisition functions, searches and studies use.

A posterior is a weighted mixture of Gaussian processes: one component for fixed hyper-parameters (`gaussian_posterior`)
and several, each with its own kernel, if the hyper-parameters are integrated over (`posterior_mixture`). With weights
w_s, and m_s(x) and C_s(x, x') the mean and covariance of component s,

    mean(x)     = sum_s w_s m_s(x)
    cov(x, x')  = sum_s w_s [C_s(x, x') + (m_s(x) - mean(x)) (m_s(x') - mean(x'))]        law of total covariance

Utilities have no natural zero: the means of two components may differ by a constant. The constant adds to the variance
of f(x) but cancels in that of a difference f(x) - f(y) or f(x) - average, since cov is bilinear. The law of total
covariance therefore gives the variance of every difference exactly, and nothing has to be aligned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, final

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import ShapeError
from anchorpbo.numerics.normal import cdf
from anchorpbo.numerics.validation import as_points
from anchorpbo.posterior.functional import LinearFunctional
from anchorpbo.typing import Array

if TYPE_CHECKING:
    from anchorpbo.posterior.gaussian_posterior import GaussianPosterior

MarginFunction: TypeAlias = Callable[[Array, Array], Array]
"""Function of the means and variances of margins, (n,) each."""


class UtilityMoments(Protocol):
    """Moments of the utility at designs X, (n, d), see `Posterior.at`."""

    @property
    def mean(self) -> Array:
        """Posterior mean E f(x), (n,)."""

    @property
    def variance(self) -> Array:
        """Posterior variance Var f(x), (n,)."""

    @property
    def covariance(self) -> Array:
        """Posterior covariance Cov(f(x_i), f(x_j)), (n, n)."""

    def gradient(self, by_mean: Array, by_variance: Array | None = None) -> Array:
        """Return by_mean d mean / dx + by_variance d variance / dx, (n, d), for weights (n,)."""


class DifferenceMoments(Protocol):
    """Moments of the utilities at pairs of designs (x, y), and of f(x) - f(y), see `Posterior.at_pairs`."""

    @property
    def mean(self) -> Array:
        """Means E f(x) and E f(y), (n, 2)."""

    @property
    def variance(self) -> Array:
        """Variance Var(f(x) - f(y)), (n,)."""

    def gradient(self, by_mean: Array, by_variance: Array) -> Array:
        """Return the gradient in x and in y, (n, 2, d), for weights of the means, (n, 2), and of the variance, (n,)."""


class Posterior(ABC):
    """The posterior of the utility given the duels: a weighted mixture of Gaussian processes; immutable."""

    points: Array
    """Distinct designs P, (u, d); with a sparse approximation, the inducing points and the best designs."""

    @property
    @abstractmethod
    def components(self) -> Sequence[tuple[float, GaussianPosterior]]:
        """Weights, which sum to one, and components, one per node of the hyper-parameters."""

    @property
    @abstractmethod
    def means(self) -> Array:
        """Posterior mean at the distinct designs P, (u,), computed once."""

    @abstractmethod
    def at(self, X: npt.ArrayLike) -> UtilityMoments:
        """Return the mean, the variance and their gradients at designs X, (n, d)."""

    @abstractmethod
    def at_pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> DifferenceMoments:
        """Return the means, the variance of the difference and their gradients at pairs of designs, (n, d) each."""

    @abstractmethod
    def covariance(self, X: npt.ArrayLike, Y: npt.ArrayLike | None = None) -> Array:
        """Return the posterior covariance Cov(f(x_i), f(y_j)), (n, p); Y is X by default."""

    @abstractmethod
    def functional(self, Y: npt.ArrayLike, weights: Array) -> LinearFunctional:
        """Return sum_j w_j f(y_j) for designs Y, (p, d), and weights (p,), with its moments and covariances."""

    @abstractmethod
    def sample(self, X: npt.ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Return n joint draws of f at X, (n, len(X)); in a mixture, each is from a random component."""

    @abstractmethod
    def average_over_margins(self, function: MarginFunction, X: Array, Y: Array, a: Array, b: Array) -> Array:
        """Return the average over components of a function of the mean and variance of a_i f(x_i) - b_i f(y_i), (n,).

        With function(mean, variance) = E h(g) for g ~ N(mean, variance), this is the posterior expectation of h.
        """

    @abstractmethod
    def without_duels(self) -> Posterior:
        """Return the prior: the same components without duels."""

    @property
    @abstractmethod
    def differentiable(self) -> bool:
        """Whether the moments have gradients in x."""

    @property
    @final
    def dimension(self) -> int:
        """Number of coordinates of a design, d."""
        return int(self.points.shape[1])

    @final
    def mean(self, X: npt.ArrayLike) -> Array:
        """Return the posterior mean E f(x), (n,)."""
        return self.at(X).mean

    @final
    def variance(self, X: npt.ArrayLike) -> Array:
        """Return the posterior variance Var f(x), (n,); negative rounding errors are set to 0."""
        return self.at(X).variance

    @final
    def mean_gradient(self, X: npt.ArrayLike) -> Array:
        """Return d mean / dx, (n, d)."""
        return self.at(X).gradient(np.ones(len(np.asarray(X))))

    @final
    def variance_gradient(self, X: npt.ArrayLike) -> Array:
        """Return d variance / dx, (n, d)."""
        n = len(np.asarray(X))
        return self.at(X).gradient(np.zeros(n), np.ones(n))

    @final
    def prob_prefer(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> Array:
        """Return P(f(x_i) > f(y_i)), (n,), without noise; one half for equal designs."""
        X, Y = self._pairs(X, Y)
        return self.average_over_margins(_prob_positive, X, Y, np.ones(len(X)), np.ones(len(X)))

    @final
    def _designs(self, name: str, X: npt.ArrayLike) -> Array:
        return as_points(name, X, self.dimension)

    @final
    def _pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> tuple[Array, Array]:
        X, Y = self._designs("X", X), self._designs("Y", Y)
        if X.shape != Y.shape:
            raise ShapeError("X and Y must have the same shape", f"{X.shape} and {Y.shape}", "pair them row by row")
        return X, Y


def _prob_positive(mean: Array, variance: Array) -> Array:
    """Return P(g > 0), (n,), for g ~ N(mean, variance)."""
    # With variance 0 the sign of the mean decides, and 0 / 0 is a coin flip.
    certain = np.select([mean > 0, mean < 0], [np.inf, -np.inf], 0.0)
    return cdf(np.divide(mean, np.sqrt(variance), out=certain, where=variance > 0))
