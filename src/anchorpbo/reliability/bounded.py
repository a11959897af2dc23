"""A reliability in [0, 1] for all h, d and n: the probability that at least one anchor vouches for x.

::

    k_i(x) = exp(-r_i^2 / (2 (h lambda_i)^2))                       r_i = distance of x to anchor i
    q(x) = 1 - prod_i (1 - k_i(x))                                  1 at an anchor, 0 far from all
    dq/dx = -1/(2 h^2) sum_i k_i prod_{j != i} (1 - k_j) d(r_i^2)/dx / lambda_i^2

lambda_i is 1, or the factor of a local bandwidth, see `anchorpbo.reliability.adaptive`.

An average, as in eq. kde, would be about 1/n at each of n distant anchors, so adding an anchor would lower the
reliability at the others. Here an added anchor never lowers q.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_vector
from anchorpbo.reliability.base import Reliability, as_anchors, as_bandwidth, squared_ratio
from anchorpbo.reliability.evaluation import BOUNDED, EuclideanCoordinates, combine_anchor_rows, evaluate_euclidean
from anchorpbo.reliability.metric import EuclideanMetric, Metric, as_metric, as_smooth_metric
from anchorpbo.typing import Array

MIN_FACTOR = 1e-3
"""Smallest factor of the bandwidth of an anchor."""


@final
@dataclass(frozen=True, eq=False)
class BoundedReliability(Reliability):
    """Probability that at least one anchor vouches for x.

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d).
    bandwidth
        Distance h at which the weight of an anchor falls to exp(-1/2), above 0.
    metric
        Distance between designs.
    factors
        Factor lambda of the bandwidth of each anchor, (n,), above 0; ``None`` for 1 each.
    """

    anchors: Array
    bandwidth: float
    metric: Metric = field(default_factory=EuclideanMetric)
    factors: Array | None = None
    _coordinates: EuclideanCoordinates | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", as_anchors(self.anchors))
        object.__setattr__(self, "bandwidth", as_bandwidth(self.bandwidth))
        object.__setattr__(self, "metric", as_metric(self.metric))
        if self.factors is not None:
            factors = as_vector("factors", self.factors)
            if len(factors) != len(self.anchors) or (factors < MIN_FACTOR).any():
                rule = f"factors must be {len(self.anchors)} numbers of at least {MIN_FACTOR:g}, one for each anchor"
                raise InputError(rule, factors.tolist(), "use local_factors(anchors, bandwidth)")
            object.__setattr__(self, "factors", factors)
        if isinstance(self.metric, EuclideanMetric):
            found = EuclideanCoordinates.of(self.anchors, self.metric, self.bandwidth, self.factors)
            object.__setattr__(self, "_coordinates", found)

    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        if self._coordinates is not None:
            return evaluate_euclidean(X, self._coordinates, BOUNDED, 0.0, 0.5, slopes=False)[0]
        return self._by_distances(X)[0]

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""
        if self._coordinates is not None:
            return evaluate_euclidean(X, self._coordinates, BOUNDED, 0.0, 0.5, slopes=True)
        metric = as_smooth_metric(self.metric)
        reliability, shares = self._by_distances(X)
        weights = (-0.5 / self.bandwidth**2) * shares
        if self.factors is not None:
            weights /= np.square(self.factors)
        return reliability, metric.weighted_gradient(weights, X, self.anchors)

    def _by_distances(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its derivatives in the log k_i, (n, anchors)."""
        exponents = 0.5 * squared_ratio(self.metric.distances(X, self.anchors), self.bandwidth)
        if self.factors is not None:
            exponents /= np.square(self.factors)
        reliability, shares = np.empty(len(X)), np.empty(exponents.shape)
        combine_anchor_rows(np.ascontiguousarray(exponents), reliability, shares)
        return reliability, shares
