"""A weighted mixture of posteriors, each with its own kernel: the posterior integrated over the hyper-parameters.

Symbols: w_s are the weights, m_s and v_s the mean and variance of a quantity under component s, and m = sum_s w_s m_s:

    v          = sum_s w_s (v_s + (m_s - m)^2)                              law of total variance
    dv / dx    = sum_s w_s (dv_s / dx + 2 (m_s - m) dm_s / dx)              since sum_s w_s (m_s - m) = 0

so the gradient of a function of m and v is a sum of gradients of the components' own moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_generator, as_integer, as_vector, freeze
from anchorpbo.posterior.base import MarginFunction, Posterior
from anchorpbo.posterior.functional import GaussianFunctional, LinearFunctional
from anchorpbo.posterior.gaussian_posterior import GaussianPosterior
from anchorpbo.posterior.moments import DesignMoments, PairMoments
from anchorpbo.typing import Array

WEIGHTS_TOLERANCE = 1e-9
"""Largest difference from 1 of the sum of the weights."""


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorMixture(Posterior):
    """Posteriors with different kernels, and their weights. Immutable and thread-safe."""

    weights: Array
    """Weights w, (s,), above 0, with sum 1."""
    posteriors: tuple[GaussianPosterior, ...]
    """Components; the designs of the first are the mixture's `points`."""
    points: Array = field(init=False)

    def __post_init__(self) -> None:
        weights, posteriors = as_vector("weights", self.weights), tuple(self.posteriors)
        if not posteriors or len(weights) != len(posteriors):
            rule, received = "weights must hold one number per posterior", f"{len(weights)} and {len(posteriors)}"
            raise InputError(rule, received, "give as many weights as posteriors")
        if not (weights > 0).all() or abs(weights.sum() - 1.0) > WEIGHTS_TOLERANCE:
            raise InputError("weights must be above 0 and sum to 1", weights, "divide them by their sum")
        if len({posterior.dimension for posterior in posteriors}) > 1:
            dimensions = [posterior.dimension for posterior in posteriors]
            raise InputError("posteriors must have the same dimension", dimensions, "condition them on the same duels")
        object.__setattr__(self, "weights", freeze(weights.copy()))
        object.__setattr__(self, "posteriors", posteriors)
        object.__setattr__(self, "points", posteriors[0].points)

    def __repr__(self) -> str:
        return f"PosteriorMixture({len(self.posteriors)} components on {len(self.points)} designs, d={self.dimension})"

    @cached_property
    def components(self) -> Sequence[tuple[float, GaussianPosterior]]:
        """Weights and components."""
        return tuple(zip(self.weights.tolist(), self.posteriors, strict=True))

    @cached_property
    def means(self) -> Array:
        """Posterior mean at the designs of the first component, (u,)."""
        return freeze(_average(self.weights, [each.means_at(self.points) for each in self.posteriors]))

    def at(self, X: npt.ArrayLike) -> MixtureMoments:
        """Return the mean, the variance and their gradients at designs X, (n, d)."""
        designs = self._designs("X", X)
        return MixtureMoments(self.weights, [DesignMoments.of(each, designs) for each in self.posteriors])

    def at_pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> MixturePairMoments:
        """Return the means, the variance of the difference and their gradients at pairs of designs, (n, d) each."""
        pairs = np.stack(self._pairs(X, Y), axis=1)
        return MixturePairMoments(self.weights, [PairMoments.of(each, pairs) for each in self.posteriors])

    def covariance(self, X: npt.ArrayLike, Y: npt.ArrayLike | None = None) -> Array:
        """Return the posterior covariance Cov(f(x_i), f(y_j)), (n, p), by the law of total covariance."""
        X = self._designs("X", X)
        Y = X if Y is None else self._designs("Y", Y)
        within = _average(self.weights, [each.covariance(X, Y) for each in self.posteriors])
        at_X, at_Y = (_deviations(self.weights, [each.mean(Z) for each in self.posteriors]) for Z in (X, Y))
        return within + (self.weights[:, None] * at_X).T @ at_Y

    def functional(self, Y: npt.ArrayLike, weights: Array) -> MixtureFunctional:
        """Return sum_j w_j f(y_j) for designs Y, (p, d), and weights (p,), with its moments and covariances."""
        designs = self._designs("Y", Y)
        return MixtureFunctional(self, [GaussianFunctional(each, designs, weights) for each in self.posteriors])

    def sample(self, X: npt.ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Return n joint draws of f at X, (n, len(X)), each from a random component."""
        X = self._designs("X", X)
        n, rng = as_integer("n", n, 0), as_generator(rng)
        draws = np.empty((n, len(X)))
        chosen = np.searchsorted(np.cumsum(self.weights)[:-1], rng.random(n), side="right")
        for index in np.unique(chosen):
            selected = chosen == index
            draws[selected] = self.posteriors[int(index)].sample(X, int(selected.sum()), rng)
        return draws

    def average_over_margins(self, function: MarginFunction, X: Array, Y: Array, a: Array, b: Array) -> Array:
        """Return the weighted average of the components' averages, (n,)."""
        return _average(self.weights, [each.average_over_margins(function, X, Y, a, b) for each in self.posteriors])

    def without_duels(self) -> PosteriorMixture:
        """Return the mixture of the priors, with the same weights."""
        return PosteriorMixture(self.weights, tuple(each.without_duels() for each in self.posteriors))

    @property
    def differentiable(self) -> bool:
        """Whether all kernels have a gradient in x."""
        return all(each.differentiable for each in self.posteriors)


@dataclass(frozen=True, eq=False)
class MixtureMoments:
    """Mean and variance of the utility under a mixture, (n,) each."""

    weights: Array
    """w, (s,)."""
    components: Sequence[DesignMoments]

    @cached_property
    def mean(self) -> Array:
        """Posterior mean E f(x), (n,)."""
        return _average(self.weights, [here.mean for here in self.components])

    @cached_property
    def variance(self) -> Array:
        """Posterior variance Var f(x), (n,)."""
        within = _average(self.weights, [here.variance for here in self.components])
        return within + self.weights @ self._deviations**2

    @property
    def covariance(self) -> Array:
        """Posterior covariance Cov(f(x_i), f(x_j)), (n, n)."""
        within = _average(self.weights, [here.covariance for here in self.components])
        return within + (self.weights[:, None] * self._deviations).T @ self._deviations

    def gradient(self, by_mean: Array, by_variance: Array | None = None) -> Array:
        """Return by_mean d mean / dx + by_variance d variance / dx, (n, d), for weights (n,)."""
        if by_variance is None:
            return _average(self.weights, [here.gradient(by_mean) for here in self.components])
        parts = [
            here.gradient(by_mean + 2.0 * by_variance * deviation, by_variance)
            for here, deviation in zip(self.components, self._deviations, strict=True)
        ]
        return _average(self.weights, parts)

    @cached_property
    def _deviations(self) -> Array:
        """m_s - m, (s, n)."""
        return _deviations(self.weights, [here.mean for here in self.components])


@dataclass(frozen=True, eq=False)
class MixturePairMoments:
    """Means of f(x) and f(y) and variance of f(x) - f(y) under a mixture."""

    weights: Array
    """w, (s,)."""
    components: Sequence[PairMoments]

    @cached_property
    def mean(self) -> Array:
        """Means E f(x) and E f(y), (n, 2)."""
        return _average(self.weights, [here.mean for here in self.components])

    @cached_property
    def variance(self) -> Array:
        """Variance Var(f(x) - f(y)), (n,)."""
        within = _average(self.weights, [here.variance for here in self.components])
        return within + self.weights @ self._deviations**2

    def gradient(self, by_mean: Array, by_variance: Array) -> Array:
        """Return the gradient in x and in y, (n, 2, d), for weights of the means, (n, 2), and of the variance, (n,)."""
        parts = []
        for here, deviation in zip(self.components, self._deviations, strict=True):
            twice = 2.0 * by_variance * deviation
            parts.append(here.gradient(by_mean + np.stack([twice, -twice], axis=1), by_variance))
        return _average(self.weights, parts)

    @cached_property
    def _deviations(self) -> Array:
        """Deviations of the components' mean differences from their average, (s, n)."""
        return _deviations(self.weights, [here.mean[:, 0] - here.mean[:, 1] for here in self.components])


@dataclass(frozen=True, eq=False)
class MixtureFunctional(LinearFunctional):
    """A weighted sum of utilities under a mixture."""

    posterior: PosteriorMixture
    parts: Sequence[GaussianFunctional]

    @property
    def components(self) -> Sequence[GaussianFunctional]:
        """The sum under each component of the posterior."""
        return self.parts

    @cached_property
    def mean(self) -> float:
        """Mean E g."""
        return float(self.posterior.weights @ self._means)

    @cached_property
    def variance(self) -> float:
        """Variance Var g."""
        within = self.posterior.weights @ [each.variance for each in self.parts]
        return float(within + self.posterior.weights @ (self._means - self.mean) ** 2)

    def covariance(self, X: Array) -> Array:
        """Return Cov(f(x_i), g), (n,), for designs X, (n, d)."""
        weights = self.posterior.weights
        within = _average(weights, [each.covariance(X) for each in self.parts])
        at_X = _deviations(weights, [each.posterior.mean(X) for each in self.parts])
        return within + (weights * (self._means - self.mean)) @ at_X

    @cached_property
    def _means(self) -> Array:
        """Mean of g under each component, (s,)."""
        return np.array([each.mean for each in self.parts])


def mix_posteriors(weights: Array, posteriors: Sequence[GaussianPosterior]) -> Posterior:
    """Return the mixture of posteriors with weights of any sum; a posterior of all the weight is returned as it is."""
    parts = [
        (weight, posterior) for weight, posterior in zip(weights.tolist(), posteriors, strict=True) if weight > 0.0
    ]
    if len(parts) == 1:
        return parts[0][1]
    kept = np.array([weight for weight, _ in parts])
    return PosteriorMixture(kept / kept.sum(), tuple(posterior for _, posterior in parts))


def _average(weights: Array, values: Sequence[Array]) -> Array:
    """Return sum_s w_s values_s, in the shape of one of the values."""
    return np.asarray(np.tensordot(weights, np.stack(values), axes=1))


def _deviations(weights: Array, means: Sequence[Array]) -> Array:
    """Return m_s - m, (s, n), for means m_s, (n,) each."""
    rows = np.stack(means)
    return np.asarray(rows - weights @ rows)
