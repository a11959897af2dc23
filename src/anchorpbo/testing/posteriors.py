"""Contract of posteriors: the interface that acquisition functions, searches and studies use."""

from __future__ import annotations

import numpy as np

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.validation import freeze
from anchorpbo.posterior import Posterior
from anchorpbo.testing.contract import (
    Contract,
    differentiate_items,
    ensure,
    ensure_close,
    ensure_immutable,
    ensure_raises,
    ensure_same_bits,
    ensure_shape,
    pickle_and_load,
)
from anchorpbo.typing import Array

_DESIGNS = 6
_DRAWS = 40_000


class PosteriorContract(Contract):
    """Checks of a posterior; designs are points of the unit cube, or rows of `designs`, (12, d) or more."""

    def __init__(self, posterior: Posterior, designs: Array | None = None) -> None:
        super().__init__(posterior)
        self.posterior: Posterior = posterior
        size = (2 * _DESIGNS, posterior.dimension)
        designs = np.random.default_rng(3).uniform(size=size) if designs is None else np.asarray(designs, dtype=float)
        self.X, self.Y = (freeze(half) for half in designs[: 2 * _DESIGNS].reshape(2, _DESIGNS, -1))

    def check_components(self) -> None:
        """Weights are positive and sum to 1; every component has the posterior's dimension and is its own component."""
        weights = [weight for weight, _ in self.posterior.components]
        ensure(min(weights) > 0.0, f"the weights must be above 0; they are {weights}")
        ensure_close("the sum of the weights", sum(weights), 1.0, 1e-9)
        for _, part in self.posterior.components:
            ensure(part.dimension == self.posterior.dimension, "a component has another dimension")
            ensure(part.components[0][1] is part, "a component must be its own only component")

    def check_shapes(self) -> None:
        """Moments have the shapes of the designs, even for no design."""
        for n in (0, 1, _DESIGNS):
            X, Y = self.X[:n], self.Y[:n]
            ensure_shape("the mean", self.posterior.mean(X), (n,))
            ensure_shape("the variance", self.posterior.variance(X), (n,))
            ensure_shape("the covariance", self.posterior.covariance(X, self.Y), (n, _DESIGNS))
            ensure_shape("prob_prefer", self.posterior.prob_prefer(X, Y), (n,))
            ensure_shape("the means of pairs", self.posterior.at_pairs(X, Y).mean, (n, 2))
            ensure_shape("the variance of differences", self.posterior.at_pairs(X, Y).variance, (n,))
        ensure_shape("the means at the points", self.posterior.means, (len(self.posterior.points),))

    def check_moments_agree(self) -> None:
        """Variances and variances of differences follow from the covariance, which has no negative eigenvalue."""
        X, Y, posterior = self.X, self.Y, self.posterior
        covariance = posterior.covariance(np.vstack([X, Y]))
        scale = float(np.diagonal(covariance).max())
        ensure_close("the transposed covariance", covariance.T, covariance, 0.0, 1e-10 * scale)
        smallest = float(np.linalg.eigvalsh(covariance)[0])
        ensure(smallest >= -1e-9 * scale, f"the covariance has the eigenvalue {smallest}")
        both = np.concatenate([posterior.variance(X), posterior.variance(Y)])
        ensure_close("the variance", both, np.diagonal(covariance), 1e-8, 1e-9 * scale)
        ensure_close("the covariance at X", posterior.at(X).covariance, posterior.covariance(X), 1e-8, 1e-9 * scale)
        ensure_close("the covariance of X and Y", posterior.covariance(X, Y), covariance[:_DESIGNS, _DESIGNS:], 1e-9)
        contrast = np.hstack([np.eye(_DESIGNS), -np.eye(_DESIGNS)])
        pairs = posterior.at_pairs(X, Y)
        expected = np.diagonal(contrast @ covariance @ contrast.T)
        ensure_close("the variance of differences", pairs.variance, expected, 1e-8, 1e-9 * scale)
        ensure_close("the means of pairs", pairs.mean.T, [posterior.mean(X), posterior.mean(Y)], 1e-10, 1e-10)

    def check_law_of_total_covariance(self) -> None:
        """Mean and covariance are those of the weighted components."""
        weights = np.array([weight for weight, _ in self.posterior.components])
        means = np.array([part.mean(self.X) for _, part in self.posterior.components])
        within = sum(weight * part.covariance(self.X) for weight, part in self.posterior.components)
        mean = weights @ means
        between = (weights[:, None] * (means - mean)).T @ (means - mean)
        ensure_close("the mean", self.posterior.mean(self.X), mean, 1e-10, 1e-12)
        ensure_close("the covariance", self.posterior.covariance(self.X), within + between, 1e-9, 1e-11)

    def check_gradients(self) -> None:
        """Gradients of the moments agree with finite differences, if the posterior is differentiable."""
        if not self.posterior.differentiable:
            return
        X, pairs = self.X, np.stack([self.X, self.Y], axis=1)
        rng = np.random.default_rng(4)
        by_mean, by_variance, by_means = rng.normal(size=_DESIGNS), rng.normal(size=_DESIGNS), rng.normal(size=(2,))

        def of_design(Z: Array) -> Array:
            here = self.posterior.at(Z)
            return by_mean * here.mean + by_variance * here.variance

        def of_pair(Z: Array) -> Array:
            here = self.posterior.at_pairs(Z[:, 0], Z[:, 1])
            return here.mean @ by_means + by_variance * here.variance

        expected = differentiate_items(of_design, X)
        allowed = 1e-6 * float(np.abs(expected).max()) + 1e-10
        ensure_close("the gradient", self.posterior.at(X).gradient(by_mean, by_variance), expected, 1e-5, allowed)
        only = differentiate_items(self.posterior.mean, X)
        ensure_close("the gradient of the mean", self.posterior.mean_gradient(X), only, 1e-5, allowed)
        spread = differentiate_items(self.posterior.variance, X)
        ensure_close("the gradient of the variance", self.posterior.variance_gradient(X), spread, 1e-5, allowed)
        weights = np.tile(by_means, (_DESIGNS, 1))
        gradient = self.posterior.at_pairs(self.X, self.Y).gradient(weights, by_variance)
        ensure_close("the gradient at pairs", gradient, differentiate_items(of_pair, pairs), 1e-5, allowed)

    def check_functional(self) -> None:
        """A weighted sum of utilities has the moments that the mean and the covariance give."""
        weights = np.random.default_rng(5).normal(size=_DESIGNS)
        for what, w in (("a sum", weights), ("a contrast", weights - weights.mean()), ("nothing", 0.0 * weights)):
            total = self.posterior.functional(self.Y, w)
            covariance = self.posterior.covariance(self.Y)
            allowed = 1e-9 * float(np.abs(covariance).max() * np.abs(w).sum() ** 2) + 1e-12
            ensure_close(f"the mean of {what}", total.mean, w @ self.posterior.mean(self.Y), 1e-9, 1e-10)
            ensure_close(f"the variance of {what}", total.variance, w @ covariance @ w, 1e-8, allowed)
            expected = self.posterior.covariance(self.X, self.Y) @ w
            ensure_close(f"covariances with {what}", total.covariance(self.X), expected, 1e-8, allowed)
            ensure(total.posterior is self.posterior, "a functional must keep its posterior")

    def check_samples(self) -> None:
        """Joint draws have the posterior's mean and covariance, and agree with `prob_prefer`."""
        X, Y = self.X[:3], self.Y[:3]
        draws = self.posterior.sample(np.vstack([X, Y]), _DRAWS, np.random.default_rng(6))
        ensure_shape("the draws", draws, (_DRAWS, 6))
        mean, covariance = self.posterior.mean(np.vstack([X, Y])), self.posterior.covariance(np.vstack([X, Y]))
        std = np.sqrt(np.diagonal(covariance))
        ensure_close("the mean of draws", draws.mean(axis=0), mean, 0.0, 6.0 * std / np.sqrt(_DRAWS) + 1e-12)
        allowed = 10.0 * np.outer(std, std) / np.sqrt(_DRAWS) + 1e-12
        ensure_close("the covariance of draws", np.cov(draws.T, bias=True), covariance, 0.0, allowed)
        shares = (draws[:, :3] > draws[:, 3:]).mean(axis=0)
        ensure_close("the share of draws", shares, self.posterior.prob_prefer(X, Y), 0.0, 3.0 / np.sqrt(_DRAWS))
        again = self.posterior.sample(np.vstack([X, Y]), _DRAWS, np.random.default_rng(6))
        ensure_same_bits("draws with the same seed", again, draws)
        ensure_shape("no draws", self.posterior.sample(X, 0, np.random.default_rng(0)), (0, 3))

    def check_prob_prefer(self) -> None:
        """P(f(x) > f(y)) lies in [0, 1], adds up to 1 with that of the swapped pair, and is 1/2 for equal designs."""
        here, swapped = self.posterior.prob_prefer(self.X, self.Y), self.posterior.prob_prefer(self.Y, self.X)
        ensure(((here >= 0.0) & (here <= 1.0)).all(), f"probabilities must lie in [0, 1]; they are {here}")
        ensure_close("both probabilities of a pair", here + swapped, np.ones(_DESIGNS), 0.0, 1e-12)
        equal = self.posterior.prob_prefer(self.X, self.X)
        ensure_close("the probability of equal designs", equal, np.full(_DESIGNS, 0.5), 0.0, 1e-12)

    def check_margins(self) -> None:
        """`average_over_margins` averages over components: the identity gives the mean of a f(x) - b f(y)."""
        a, b = np.linspace(0.5, 2.0, _DESIGNS), np.linspace(3.0, 1.0, _DESIGNS)
        got = self.posterior.average_over_margins(lambda mean, variance: mean, self.X, self.Y, a, b)
        expected = a * self.posterior.mean(self.X) - b * self.posterior.mean(self.Y)
        ensure_close("the mean of margins", got, expected, 1e-9, 1e-10)

    def check_without_duels(self) -> None:
        """The prior has mean 0 everywhere and at least the posterior's average variance within components."""
        prior = self.posterior.without_duels()
        ensure_close("the prior mean", prior.mean(self.X), np.zeros(_DESIGNS), 0.0, 1e-12)
        within = sum(weight * part.variance(self.X) for weight, part in self.posterior.components)
        ensure((prior.variance(self.X) >= within - 1e-9).all(), "the prior variance must be the largest")
        ensure(prior.dimension == self.posterior.dimension, "the prior must have the same dimension")

    def check_wrong_shapes(self) -> None:
        """Designs of another dimension, pairs of different lengths and NaN raise errors."""
        wrong = np.zeros((2, self.posterior.dimension + 1))
        ensure_raises(ShapeError, "a mean with one coordinate more", lambda: self.posterior.mean(wrong))
        ensure_raises(ShapeError, "pairs of different lengths", lambda: self.posterior.prob_prefer(self.X, self.Y[:2]))
        nan = np.full((1, self.posterior.dimension), np.nan)
        ensure_raises(InputError, "a NaN", lambda: self.posterior.variance(nan))

    def check_immutable(self) -> None:
        """Fields cannot be set, and arrays cannot be written to."""
        ensure_immutable(self.posterior)

    def check_pickles(self) -> None:
        """A pickled posterior returns the same moments."""
        copy = pickle_and_load(self.posterior)
        ensure_same_bits("the mean of a pickled posterior", copy.mean(self.X), self.posterior.mean(self.X))
        ensure_same_bits("its covariance", copy.covariance(self.X), self.posterior.covariance(self.X))
