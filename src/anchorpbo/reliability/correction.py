"""Correction of the log noise by a Gaussian process of low rank, which a fit learns from the answers.

::

    Z            centres, (r, d)
    k(x, z)      exp(-r(x, z)^2 / (2 l^2)), with the distance r of the metric and the width l
    R            (k(Z, Z) + 1e-6 I)^(-1/2), symmetric
    phi(x)       k(x, Z) R, the features, (r,)
    factors      exp(w), (r,)
    u(x) = phi(x)' w            log noise(x) = log a - c q(x) + u(x)

With independent priors w_j ~ N(0, s^2), that is, with log-normal priors of the factors about 1, u is a Gaussian process
with mean 0 and covariance s^2 k(x, Z) (k(Z, Z) + 1e-6 I)^-1 k(Z, y): the predictive process of [Banerjee2008]. Its
variance is s^2 at a centre and falls to 0 far from all, where the map stays as it was. The root is symmetric, so the
feature j is largest at the centre j, and its factor says by how much the noise there differs from the map without a
correction. k need not be positive definite for a distance that is not Euclidean, such as Hamming's: R is then 0 along
every eigenvector of k(Z, Z) whose eigenvalue is at most the size of the most negative one.

References
----------
[Banerjee2008] S. Banerjee, A. E. Gelfand, A. O. Finley and H. Sang. Gaussian predictive process models for large
    spatial data sets. Journal of the Royal Statistical Society B 70(4), 825-848, 2008.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import final

import numpy as np

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.validation import as_points, as_positive, as_vector, freeze
from anchorpbo.reliability.metric import EuclideanMetric, Metric, as_metric, as_smooth_metric
from anchorpbo.typing import Array

NUGGET = 1e-6
"""Number added to the diagonal of k(Z, Z)."""
MIN_RESIDUAL = 0.1
"""Residual variance, as a share of that of u, below which no more centres are added."""


@final
@dataclass(frozen=True, eq=False)
class NoiseCorrection:
    """Factor exp(u(x)) of the noise, with u a Gaussian process of low rank; immutable.

    Parameters
    ----------
    centres
        Designs Z at which the noise is corrected, (r, d).
    width
        Distance l at which the effect of a centre falls to exp(-1/2), above 0.
    metric
        Distance between designs.
    factors
        exp(w), (r,), above 0; by default ones, which correct nothing.
    """

    centres: Array
    width: float
    metric: Metric = field(default_factory=EuclideanMetric)
    factors: Array | None = None

    def __post_init__(self) -> None:
        centres = freeze(as_points("centres", self.centres).copy())
        if not len(centres):
            raise InputError("centres must hold at least one design", "none", "leave the correction out")
        factors = np.ones(len(centres)) if self.factors is None else as_vector("factors", self.factors)
        if len(factors) != len(centres):
            raise ShapeError("factors must be one per centre", f"{len(factors)} of {len(centres)}", "leave them out")
        if (factors <= 0.0).any():
            raise InputError("factors must be above 0", float(factors.min()), "1 corrects nothing")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "width", as_positive("width", self.width))
        object.__setattr__(self, "metric", as_metric(self.metric))
        object.__setattr__(self, "factors", freeze(np.array(factors, dtype=np.float64)))

    @cached_property
    def weights(self) -> Array:
        """Logarithms w of the factors, (r,)."""
        return np.log(self._factors)

    @property
    def _factors(self) -> Array:
        assert self.factors is not None  # __post_init__ resolves it
        return self.factors

    def with_factors(self, factors: Array) -> "NoiseCorrection":
        """Return the correction with other factors, (r,), at the same centres."""
        new = replace(self, factors=factors)
        new.__dict__["_root"] = self._root  # the root depends on the centres only
        return new

    def features(self, X: Array) -> Array:
        """Return phi, (n, r), at the rows of X, (n, d)."""
        return self._similarity(X) @ self._root

    def value(self, X: Array) -> Array:
        """Return u, (n,), at the rows of X, (n, d)."""
        return self._similarity(X) @ self._coefficients

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return u, (n,), and its gradient in x, (n, d)."""
        metric, similarity = as_smooth_metric(self.metric), self._similarity(X)
        slopes = similarity * (-0.5 / self.width**2 * self._coefficients)
        return similarity @ self._coefficients, metric.weighted_gradient(slopes, X, self.centres)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NoiseCorrection):
            return NotImplemented
        same = self.width == other.width and self.metric == other.metric
        arrays = (self.centres, other.centres), (self._factors, other._factors)
        return same and all(np.array_equal(mine, theirs) for mine, theirs in arrays)

    def __hash__(self) -> int:
        return hash((self.width, self.centres.shape))

    def _similarity(self, X: Array) -> Array:
        """Return k(X, Z), (n, r)."""
        return np.asarray(np.exp(-0.5 * np.square(self.metric.distances(X, self.centres) / self.width)))

    @cached_property
    def _root(self) -> Array:
        values, vectors = np.linalg.eigh(self._similarity(self.centres))
        kept = values > max(-float(values[0]), 0.0)  # eigenvalues increase
        roots = np.where(kept, np.sqrt(np.maximum(values, 0.0) + NUGGET), np.inf)
        return np.asarray((vectors / roots) @ vectors.T)

    @cached_property
    def _coefficients(self) -> Array:
        return self._root @ self.weights


def select_centres(X: Array, counts: Array, most: int, width: float, metric: Metric) -> Array:
    """Return up to `most` rows of X, (n, d), as centres: a pivoted Cholesky decomposition of k(X, X).

    Each pivot is the row with the largest residual variance times its count, so that centres lie where there are
    answers and apart from each other. There are fewer if every residual variance falls below a tenth.

    Parameters
    ----------
    X
        Designs compared, (n, d).
    counts
        Number of answers about each, (n,); a design without answers is never a centre.
    most
        Largest number of centres, at least 1.
    width, metric
        As in `NoiseCorrection`.
    """
    residual, columns = np.ones(len(X)), np.empty((len(X), 0))
    pivots: list[int] = []
    while len(pivots) < min(most, len(X)) and residual[counts > 0.0].max(initial=0.0) > MIN_RESIDUAL:
        pivot = int(np.argmax(residual * counts))
        similarity = np.exp(-0.5 * np.square(metric.distances(X, X[[pivot]])[:, 0] / width))
        column = (similarity - columns @ columns[pivot]) / np.sqrt(residual[pivot])
        columns = np.column_stack([columns, column])
        residual = np.maximum(residual - column**2, 0.0)
        residual[pivot] = 0.0
        pivots.append(pivot)
    return np.asarray(X[pivots])
