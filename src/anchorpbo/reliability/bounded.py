"""A reliability in [0, 1] for all h, d and n: the probability that at least one anchor vouches for x.

::

    k_i(x) = exp(-r_i^2 / (2 h^2))                                  r_i = distance of x to anchor i
    q(x) = 1 - prod_i (1 - k_i(x))                                  1 at an anchor, 0 far from all
    dq/dx = -1/(2 h^2) sum_i k_i prod_{j != i} (1 - k_j) d(r_i^2)/dx

An average, as in eq. kde, would be about 1/n at each of n distant anchors, so adding an anchor would lower the
reliability at the others. Here an added anchor never lowers q.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from anchorpbo.reliability.base import Reliability, as_anchors, as_bandwidth, squared_ratio
from anchorpbo.reliability.evaluation import BOUNDED, combine_anchor_rows, evaluate_euclidean
from anchorpbo.reliability.metric import EuclideanMetric, Metric, as_metric, as_smooth_metric
from anchorpbo.typing import Array


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
    """

    anchors: Array
    bandwidth: float
    metric: Metric = field(default_factory=EuclideanMetric)

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", as_anchors(self.anchors))
        object.__setattr__(self, "bandwidth", as_bandwidth(self.bandwidth))
        object.__setattr__(self, "metric", as_metric(self.metric))

    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        if isinstance(self.metric, EuclideanMetric):
            return self._euclidean(X, self.metric, slopes=False)[0]
        return self._by_distances(X)[0]

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""
        if isinstance(self.metric, EuclideanMetric):
            return self._euclidean(X, self.metric, slopes=True)
        metric = as_smooth_metric(self.metric)
        reliability, shares = self._by_distances(X)
        return reliability, metric.weighted_gradient((-0.5 / self.bandwidth**2) * shares, X, self.anchors)

    def _euclidean(self, X: Array, metric: EuclideanMetric, *, slopes: bool) -> tuple[Array, Array]:
        return evaluate_euclidean(X, self.anchors, metric.categorical, self.bandwidth, BOUNDED, 0.0, 0.5, slopes=slopes)

    def _by_distances(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its derivatives in the log k_i, (n, anchors)."""
        exponents = 0.5 * squared_ratio(self.metric.distances(X, self.anchors), self.bandwidth)
        reliability, shares = np.empty(len(X)), np.empty(exponents.shape)
        combine_anchor_rows(np.ascontiguousarray(exponents), reliability, shares)
        return reliability, shares
