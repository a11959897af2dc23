"""The posterior of the utility for one kernel (eq. joint-matrix), in the same form for all inferences.

Symbols: P (u, d) are the distinct designs, k is the kernel; beta (u,) and G (u, u) are computed from the sites:

    mean(x) = k(x, P) beta          cov(x, x') = k(x, x') - k(x, P) G k(P, x')

G is stored as a square root, G = root' root with root (r, u). At small noise its rows are steep contrasts of nearby
designs, and their products with k(P, x) must cancel before they are squared; products with G itself would lose digits.

Many draws of the sites (from a sampler) share the kernel, so their mixture has the same form, with beta = mean_s beta_s
and G = mean_s G_s - cov_s(beta_s); the second term is stored as another root, `spread`. `sample` and `prob_prefer`,
which need more than two moments, use the draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anchorpbo.kernels import Kernel
from anchorpbo.numerics.linalg import square_root
from anchorpbo.numerics.validation import as_generator, as_integer, freeze
from anchorpbo.posterior.base import MarginFunction, Posterior
from anchorpbo.posterior.duel_root import DuelRoot
from anchorpbo.posterior.functional import GaussianFunctional
from anchorpbo.posterior.latent import LatentGaussian
from anchorpbo.posterior.moments import DesignMoments, PairMoments
from anchorpbo.posterior.site_mixture import GaussianWeights, PaddedMixture, SiteMixture, compress_root, pad_weights
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False, repr=False)
class GaussianPosterior(Posterior):
    """A Gaussian process given the duels, or an equally weighted mixture over draws of the sites. Immutable."""

    kernel: Kernel
    """Prior covariance k."""
    points: Array
    """Distinct designs P, (u, d); with a sparse approximation, the inducing points and the best designs."""
    beta: Array
    """Weights of the mean, (u,)."""
    root: Array
    """Square root of the covariance's weights, (r, u)."""
    spread: Array | None = field(default=None, repr=False)
    """Square root of the covariance of beta between the draws, (r', u)."""
    draws: Sequence[GaussianWeights] | None = field(default=None, repr=False)
    """Weights of each draw of the sites; ``None`` for a single Gaussian process."""
    factors: DuelRoot | None = field(default=None, repr=False)
    """The root as a product of two factors that is faster to multiply with, if available."""

    def __post_init__(self) -> None:
        for name in ("points", "beta", "root", "spread"):
            array = getattr(self, name)
            if array is not None:  # a view, so that the caller's array stays writable
                object.__setattr__(self, name, freeze(array.view()))

    def __repr__(self) -> str:
        kind = "one Gaussian process" if self.draws is None else f"a mixture of {len(self.draws)}"
        return f"GaussianPosterior({kind} on {len(self.points)} designs, d={self.dimension}, {self.kernel!r})"

    @classmethod
    def prior(cls, kernel: Kernel, dimension: int) -> GaussianPosterior:
        """Return the posterior without duels, which is the prior."""
        return cls(kernel, np.empty((0, dimension)), np.empty(0), np.empty((0, 0)))

    @property
    def G(self) -> Array:  # noqa: N802
        """Weights of the covariance, (u, u)."""
        within = self.root.T @ self.root
        return within if self.spread is None else within - self.spread.T @ self.spread

    @property
    def components(self) -> Sequence[tuple[float, GaussianPosterior]]:
        """The posterior itself, with weight 1."""
        return ((1.0, self),)

    @property
    def parts(self) -> Sequence[GaussianWeights]:
        """Weights of each draw, or those of the single Gaussian process as a list of one."""
        return [(self.beta, self.root)] if self.draws is None else self.draws

    @cached_property
    def means(self) -> Array:
        """Posterior mean at the distinct designs P, (u,)."""
        return freeze(self.mean(self.points))

    def means_at(self, points: Array) -> Array:
        """Return the mean at points, (n, d), without computing it again if these are the distinct designs P."""
        return self.means if np.array_equal(points, self.points) else self.mean(points)

    def at(self, X: npt.ArrayLike) -> DesignMoments:
        """Return the mean, the variance and their gradients at designs X, (n, d)."""
        return DesignMoments.of(self, self._designs("X", X))

    def at_pairs(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> PairMoments:
        """Return the means, the variance of the difference and their gradients at pairs of designs, (n, d) each."""
        return PairMoments.of(self, np.stack(self._pairs(X, Y), axis=1))

    def covariance(self, X: npt.ArrayLike, Y: npt.ArrayLike | None = None) -> Array:
        """Return the posterior covariance Cov(f(x_i), f(y_j)), (n, p); Y is X by default."""
        X = self._designs("X", X)
        Y = X if Y is None else self._designs("Y", Y)
        covariance = self._part_covariance(X, Y, self.root)
        if self.spread is not None:
            covariance += (self.kernel(X, self.points) @ self.spread.T) @ (self.spread @ self.kernel(self.points, Y))
        return covariance

    def functional(self, Y: npt.ArrayLike, weights: Array) -> GaussianFunctional:
        """Return sum_j w_j f(y_j) for designs Y, (p, d), and weights (p,), with its moments and covariances."""
        return GaussianFunctional(self, self._designs("Y", Y), weights)

    def sample(self, X: npt.ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Return n joint draws of f at X, (n, len(X)); of several draws of the sites, each is from a random one."""
        X = self._designs("X", X)
        n, rng = as_integer("n", n, 0), as_generator(rng)
        parts, draws = self.parts, np.empty((n, len(X)))
        chosen = rng.integers(len(parts), size=n)
        for index in np.unique(chosen):
            (beta, root), selected = parts[int(index)], chosen == index
            E = square_root(self.covariance(X) if self.draws is None else self._part_covariance(X, X, root))
            noise = rng.standard_normal((int(selected.sum()), E.shape[1]))
            draws[selected] = self.kernel(X, self.points) @ beta + noise @ E.T
        return draws

    def average_over_margins(self, function: MarginFunction, X: Array, Y: Array, a: Array, b: Array) -> Array:
        """Return the average over draws of a function of the mean and variance of a_i f(x_i) - b_i f(y_i), (n,)."""
        parts = list(self.margins(X, Y, a, b))
        return np.asarray(sum(function(*part) for part in parts) / len(parts))

    def margins(self, X: Array, Y: Array, a: Array, b: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the mean and variance of a_i f(x_i) - b_i f(y_i), (n,) each, for every draw."""
        a_, b_ = a[:, None], b[:, None]
        row = a_ * self.kernel(X, self.points) - b_ * self.kernel(Y, self.points)
        kernel = self.kernel
        prior = a * a * kernel.diagonal(X) + b * b * kernel.diagonal(Y) - 2.0 * a * b * kernel.paired(X, Y)
        last: Array | None = None
        variance = prior
        for beta, root in self.parts:
            if root is not last:  # the draws of Hallucination Believer share one root
                variance, last = np.maximum(prior - ((row @ root.T) ** 2).sum(axis=1), 0.0), root
            if self.draws is None and self.spread is not None:  # after an update of a mixture, or by a likely lapse
                variance = variance + ((row @ self.spread.T) ** 2).sum(axis=1)
            yield row @ beta, variance

    def condition_on_duel(
        self, pair: Array, coefficients: tuple[float, float], slope: float, curvature: float
    ) -> GaussianPosterior:
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
            return GaussianPosterior(self.kernel, points, beta, root, np.vstack([spread, more]))
        return GaussianPosterior(self.kernel, points, beta, np.vstack([root, more]), spread)

    def with_points(self, points: Array) -> GaussianPosterior:
        """Return the same posterior with more designs, (n, d), among its points, with zero weights."""
        extra = len(points)
        beta, root = pad_weights(self.beta, extra), pad_weights(self.root, extra)
        spread = None if self.spread is None else pad_weights(self.spread, extra)
        draws = None if self.draws is None else PaddedMixture(self.draws, extra)
        return GaussianPosterior(self.kernel, np.vstack([self.points, points]), beta, root, spread, draws)

    def without_duels(self) -> GaussianPosterior:
        """Return the prior."""
        return GaussianPosterior.prior(self.kernel, self.dimension)

    @property
    def differentiable(self) -> bool:
        """Whether the kernel has a gradient in x."""
        return self.kernel.differentiable

    @property
    def _spread(self) -> Array:
        return np.empty((0, len(self.points))) if self.spread is None else self.spread

    def _part_covariance(self, X: Array, Y: Array, root: Array) -> Array:
        return self.kernel(X, Y) - (self.kernel(X, self.points) @ root.T) @ (root @ self.kernel(self.points, Y))


def posterior_from_sites(kernel: Kernel, points: Array, latent: LatentGaussian, sites: Sites) -> GaussianPosterior:
    """Return the posterior under these sites; with several draws, their mixture."""
    if sites.draws == 1:
        solution = latent.solve(sites.draw(0))
        beta, root = latent.dual_to_points(solution.dual), latent.root_to_points(solution.root)
        return GaussianPosterior(kernel, points, beta, root, factors=DuelRoot.of(latent, solution.root))
    draws = SiteMixture.of(latent, sites)
    beta = draws.betas.mean(axis=0)
    spread = compress_root((draws.betas - beta) / np.sqrt(sites.draws))
    return GaussianPosterior(kernel, points, beta, draws.mean_root, spread, draws)
