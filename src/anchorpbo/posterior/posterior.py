"""The posterior of the utility (eq. joint-matrix), in the same form for all inferences.

Symbols: P (u, d) are the distinct designs, k is the kernel; beta (u,) and G (u, u) are computed from the sites:

    mean(x) = k(x, P) beta          cov(x, x') = k(x, x') - k(x, P) G k(P, x')

G is stored as a square root, G = root' root with root (r, u). At small noise its rows are steep contrasts of nearby
designs, and their products with k(P, x) must cancel before they are squared; products with G itself would lose digits.

A mixture over draws of sites (from a sampler with many draws) has the same form, with beta = mean_s beta_s and
G = mean_s G_s - cov_s(beta_s); the second term is stored as another root, `spread`. `sample` and `prob_prefer`, which
need more than two moments, use the components.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import ShapeError
from anchorpbo.kernels import Kernel
from anchorpbo.numerics.linalg import square_root
from anchorpbo.numerics.normal import cdf
from anchorpbo.numerics.validation import as_generator, as_integer, as_points, freeze
from anchorpbo.posterior.duel_root import DuelRoot
from anchorpbo.posterior.functional import LinearFunctional
from anchorpbo.posterior.latent import LatentGaussian
from anchorpbo.posterior.mixture import GaussianWeights, PaddedMixture, SiteMixture, compress_root, pad_weights
from anchorpbo.posterior.moments import DesignMoments, PairMoments
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """A Gaussian process, or a mixture of them, given the duels. Immutable and thread-safe."""

    kernel: Kernel
    """Prior covariance k."""
    points: Array
    """Distinct designs P, (u, d); with a sparse approximation, the inducing points and the best design."""
    beta: Array
    """Weights of the mean, (u,)."""
    root: Array
    """Square root of the covariance's weights, (r, u)."""
    spread: Array | None = field(default=None, repr=False)
    """Square root of the covariance of beta between the components of a mixture, (r', u)."""
    components: Sequence[GaussianWeights] | None = field(default=None, repr=False)
    """Components of a mixture, with equal weights; ``None`` for a single Gaussian process."""
    factors: DuelRoot | None = field(default=None, repr=False)
    """The root as a product of two factors that is faster to multiply with, if available."""

    def __post_init__(self) -> None:
        for name in ("points", "beta", "root", "spread"):
            array = getattr(self, name)
            if array is not None:  # a view, so that the caller's array stays writable
                object.__setattr__(self, name, freeze(array.view()))

    def __repr__(self) -> str:
        kind = "one Gaussian process" if self.components is None else f"a mixture of {len(self.components)}"
        return f"Posterior({kind} on {len(self.points)} designs, d={self.dimension}, {self.kernel!r})"

    @classmethod
    def prior(cls, kernel: Kernel, dimension: int) -> Posterior:
        """Return the posterior without duels, which is the prior."""
        return cls(kernel, np.empty((0, dimension)), np.empty(0), np.empty((0, 0)))

    @property
    def G(self) -> Array:  # noqa: N802
        """Weights of the covariance, (u, u)."""
        within = self.root.T @ self.root
        return within if self.spread is None else within - self.spread.T @ self.spread

    @property
    def dimension(self) -> int:
        """Number of coordinates of a design, d."""
        return int(self.points.shape[1])

    @property
    def parts(self) -> Sequence[GaussianWeights]:
        """Components of a mixture, or the single Gaussian process as a list of one."""
        return [(self.beta, self.root)] if self.components is None else self.components

    def at(self, X: npt.ArrayLike) -> DesignMoments:
        """Return the mean, the variance and their gradients at designs X, (n, d)."""
        return DesignMoments.of(self, self._designs("X", X))

    def at_pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> PairMoments:
        """Return the means, the variance of the difference and their gradients at pairs of designs, (n, d) each."""
        return PairMoments.of(self, np.stack(self._pairs(X, Y), axis=1))

    def mean(self, X: npt.ArrayLike) -> Array:
        """Return the posterior mean E f(x), (n,)."""
        return self.at(X).mean

    def variance(self, X: npt.ArrayLike) -> Array:
        """Return the posterior variance Var f(x), (n,); negative rounding errors are set to 0."""
        return self.at(X).variance

    def covariance(self, X: npt.ArrayLike, Y: npt.ArrayLike | None = None) -> Array:
        """Return the posterior covariance Cov(f(x_i), f(y_j)), (n, p); Y is X by default."""
        X = self._designs("X", X)
        Y = X if Y is None else self._designs("Y", Y)
        covariance = self._part_covariance(X, Y, self.root)
        if self.spread is not None:
            covariance += (self.kernel(X, self.points) @ self.spread.T) @ (self.spread @ self.kernel(self.points, Y))
        return covariance

    def functional(self, Y: npt.ArrayLike, weights: Array) -> LinearFunctional:
        """Return sum_j w_j f(y_j) for designs Y, (p, d), and weights (p,), with its moments and covariances."""
        return LinearFunctional(self, self._designs("Y", Y), weights)

    @cached_property
    def means(self) -> Array:
        """Posterior mean at the distinct designs P, (u,)."""
        return freeze(self.mean(self.points))

    def mean_gradient(self, X: npt.ArrayLike) -> Array:
        """Return d mean / dx, (n, d)."""
        moments = self.at(X)
        return moments.gradient(np.ones(len(moments.X)))

    def variance_gradient(self, X: npt.ArrayLike) -> Array:
        """Return d variance / dx, (n, d)."""
        moments = self.at(X)
        return moments.gradient(np.zeros(len(moments.X)), np.ones(len(moments.X)))

    def sample(self, X: npt.ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Return n joint draws of f at X, (n, len(X)); in a mixture, each is from a random component."""
        X = self._designs("X", X)
        n, rng = as_integer("n", n, 0), as_generator(rng)
        parts, draws = self.parts, np.empty((n, len(X)))
        chosen = rng.integers(len(parts), size=n)
        for index in np.unique(chosen):
            (beta, root), selected = parts[int(index)], chosen == index
            E = square_root(self._part_covariance(X, X, root))
            noise = rng.standard_normal((int(selected.sum()), E.shape[1]))
            draws[selected] = self.kernel(X, self.points) @ beta + noise @ E.T
        return draws

    def prob_prefer(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> Array:
        """Return P(f(x_i) > f(y_i)), (n,), without noise; one half for equal designs."""
        X, Y = self._pairs(X, Y)
        parts = list(self.margins(X, Y, np.ones(len(X)), np.ones(len(X))))
        total = np.zeros(len(X))
        for mean, variance in parts:
            # With variance 0 the sign of the mean decides, and 0 / 0 is a coin flip.
            certain = np.select([mean > 0, mean < 0], [np.inf, -np.inf], 0.0)
            total += cdf(np.divide(mean, np.sqrt(variance), out=certain, where=variance > 0))
        return total / len(parts)

    def margins(self, X: Array, Y: Array, a: Array, b: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the mean and variance of a_i f(x_i) - b_i f(y_i), (n,) each, for every component."""
        a_, b_ = a[:, None], b[:, None]
        row = a_ * self.kernel(X, self.points) - b_ * self.kernel(Y, self.points)
        kernel = self.kernel
        prior = a * a * kernel.diagonal(X) + b * b * kernel.diagonal(Y) - 2.0 * a * b * kernel.paired(X, Y)
        last: Array | None = None
        variance = prior
        for beta, root in self.parts:
            if root is not last:  # the draws of Hallucination Believer share one root
                variance, last = np.maximum(prior - ((row @ root.T) ** 2).sum(axis=1), 0.0), root
            yield row @ beta, variance

    def condition_on_duel(
        self, pair: Array, coefficients: tuple[float, float], slope: float, curvature: float
    ) -> Posterior:
        """Condition on one more duel without a refit, by a rank-one update that matches the first two moments exactly.

        The duel's margin is g = D_k f with D_k = coefficients[0] e_first - coefficients[1] e_second. With log Z the
        logarithm of the duel's expected likelihood as a function of the mean of g, the update is

            e = D_k' - G K D_k'        beta <- beta + e dlogZ        G <- G - e e' d2logZ (one more row of the root)

        Parameters
        ----------
        pair
            The two designs, (2, d).
        coefficients
            The two entries of the row.
        slope, curvature
            dlogZ and -d2logZ; the latter is negative if the answer widens the margin, as one that may be a lapse.
        """
        points = np.vstack([self.points, pair])
        row = np.concatenate([np.zeros(len(self.points)), [coefficients[0], -coefficients[1]]])
        root, spread = (pad_weights(r, 2) for r in (self.root, self._spread))
        k = self.kernel(points, points) @ row
        e = row - root.T @ (root @ k) + spread.T @ (spread @ k)
        beta = np.append(self.beta, [0.0, 0.0]) + slope * e
        more = np.sqrt(abs(curvature)) * e
        if curvature < 0.0:
            return Posterior(self.kernel, points, beta, root, np.vstack([spread, more]))
        return Posterior(self.kernel, points, beta, np.vstack([root, more]), spread)

    def with_points(self, points: Array) -> Posterior:
        """Return the same posterior with more designs, (n, d), among its points, with zero weights."""
        extra = len(points)
        beta, root = pad_weights(self.beta, extra), pad_weights(self.root, extra)
        spread = None if self.spread is None else pad_weights(self.spread, extra)
        components = None if self.components is None else PaddedMixture(self.components, extra)
        return Posterior(self.kernel, np.vstack([self.points, points]), beta, root, spread, components)

    @property
    def _spread(self) -> Array:
        return np.empty((0, len(self.points))) if self.spread is None else self.spread

    def _part_covariance(self, X: Array, Y: Array, root: Array) -> Array:
        return self.kernel(X, Y) - (self.kernel(X, self.points) @ root.T) @ (root @ self.kernel(self.points, Y))

    def _designs(self, name: str, X: npt.ArrayLike) -> Array:
        return as_points(name, X, self.dimension)

    def _pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> tuple[Array, Array]:
        X, Y = self._designs("X", X), self._designs("Y", Y)
        if X.shape != Y.shape:
            raise ShapeError("X and Y must have the same shape", f"{X.shape} and {Y.shape}", "pair them row by row")
        return X, Y


def posterior_from_sites(kernel: Kernel, points: Array, latent: LatentGaussian, sites: Sites) -> Posterior:
    """Return the posterior under these sites; with several draws, a mixture."""
    if sites.draws == 1:
        solution = latent.solve(sites.draw(0))
        beta, root = latent.dual_to_points(solution.dual), latent.root_to_points(solution.root)
        return Posterior(kernel, points, beta, root, factors=DuelRoot.of(latent, solution.root))
    components = SiteMixture.of(latent, sites)
    beta = components.betas.mean(axis=0)
    spread = compress_root((components.betas - beta) / np.sqrt(sites.draws))
    return Posterior(kernel, points, beta, components.mean_root, spread, components)
