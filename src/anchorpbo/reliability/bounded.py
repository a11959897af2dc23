"""A reliability in [0, 1] whatever h, d and n: x is known when at least one anchor vouches for it.

::

    k_i(x) = exp(-r_i^2 / (2 h^2))                                  r_i = distance of x to anchor i
    q(x) = 1 - prod_i (1 - k_i(x))                                  1 at an anchor, 0 far from all
    dq/dx = -1/(2 h^2) sum_i k_i prod_{j != i} (1 - k_j) d(r_i^2)/dx

An average, as in eq. kde, would give about 1/n at each of n spread anchors, so that marking one more would lower the
reliability of the others. Here one more anchor never lowers q anywhere.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from anchorpbo.reliability.metric import Euclidean, Metric, as_metric, smooth
from anchorpbo.reliability.score import Reliability, as_anchors, as_bandwidth, squared_ratio
from anchorpbo.typing import Array


@final
@dataclass(frozen=True, eq=False)
class Bounded(Reliability):
    """Probability that at least one anchor vouches for x.

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d).
    bandwidth
        Distance h at which an anchor still counts for exp(-1/2), above 0.
    metric
        Distance between designs.
    """

    anchors: Array
    bandwidth: float
    metric: Metric = field(default_factory=Euclidean)

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", as_anchors(self.anchors))
        object.__setattr__(self, "bandwidth", as_bandwidth(self.bandwidth))
        object.__setattr__(self, "metric", as_metric(self.metric))

    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        return _at_least_one(self._exponents(X))

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""
        metric = smooth(self.metric)
        exponents = self._exponents(X)
        without = _product_of_others(-np.expm1(-exponents))
        weights = -0.5 * without * np.exp(-exponents) / self.bandwidth**2
        return _at_least_one(exponents), metric.weighted_gradient(weights, X, self.anchors)

    def _exponents(self, X: Array) -> Array:
        """Return r^2 / (2 h^2), (points, anchors)."""
        return 0.5 * squared_ratio(self.metric.distances(X, self.anchors), self.bandwidth)


def _at_least_one(exponents: Array) -> Array:
    """Return 1 - prod_i (1 - exp(-e_i)) along the rows, to full relative precision both near 1 and near 0."""
    near = exponents < np.log(2.0)
    with np.errstate(divide="ignore"):  # log 0 at an anchor: the sum is then -inf and q exactly 1
        logs = np.where(near, np.log(-np.expm1(-exponents)), np.log1p(-np.exp(-exponents)))
    return np.asarray(-np.expm1(logs.sum(axis=1)) + 0.0)  # + 0.0 turns the -0.0 of an infinite distance into 0


def _product_of_others(factors: Array) -> Array:
    """Return, for each column, the product of all other columns: no division, so a factor may be 0."""
    without = np.ones_like(factors)
    without[:, 1:] = np.cumprod(factors[:, :-1], axis=1)
    without[:, :-1] *= np.cumprod(factors[:, :0:-1], axis=1)[:, ::-1]
    return without
