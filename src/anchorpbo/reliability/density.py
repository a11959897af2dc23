"""The paper's reliability: a kernel density estimate of the anchors (eq. kde).

::

    q(x) = 1/n sum_i h^-d k(r_i / h)                       r_i = distance of x to anchor i
    dq/dx = 1/n sum_i h^-d k'(s_i) h^-2 d(r_i^2)/dx        s_i = (r_i / h)^2, k' = dk/ds

With the `Gaussian` profile and h >= 1, q lies in [0, 1]. With h < 1 the factor h^-d makes q unbounded.
"""

import math
from dataclasses import dataclass, field
from typing import final

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.reliability.base import Reliability, as_anchors, as_bandwidth, squared_ratio
from anchorpbo.reliability.evaluation import DENSITY, EuclideanCoordinates, evaluate_euclidean
from anchorpbo.reliability.metric import EuclideanMetric, Metric, as_metric, as_smooth_metric
from anchorpbo.reliability.profile import Gaussian, GaussianLike, Profile, as_profile
from anchorpbo.typing import Array

MAX_PEAK = 1e100


@final
@dataclass(frozen=True, eq=False)
class DensityReliability(Reliability):
    """Kernel density estimate of the anchors.

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d).
    bandwidth
        Width h of the kernel, above 0.
    profile
        Kernel k as a function of the squared distance.
    metric
        Distance between designs; it also defines the d of the factor h^-d.
    """

    anchors: Array
    bandwidth: float
    profile: Profile = field(default_factory=Gaussian)
    metric: Metric = field(default_factory=EuclideanMetric)
    _coordinates: EuclideanCoordinates | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", as_anchors(self.anchors))
        object.__setattr__(self, "bandwidth", as_bandwidth(self.bandwidth))
        object.__setattr__(self, "profile", as_profile(self.profile))
        object.__setattr__(self, "metric", as_metric(self.metric))
        if isinstance(self.metric, EuclideanMetric):
            found = EuclideanCoordinates.of(self.anchors, self.metric, self.bandwidth)
            object.__setattr__(self, "_coordinates", found)
        log_peak = float(self._log_terms(np.zeros(1))[0][0])
        if log_peak > np.log(MAX_PEAK):
            rule = f"bandwidth must keep h^-d k(0) below {MAX_PEAK:g}, d = {self.dimension}"
            raise InputError(rule, f"h = {self.bandwidth}", "choose a larger bandwidth or raise its lower bound")

    @property
    def dimension(self) -> float:
        """Dimension d of the factor h^-d."""
        return self.metric.dimension(self.anchors.shape[1])

    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        if self._coordinates is not None and isinstance(self.profile, GaussianLike):
            return self._euclidean(X, self._coordinates, self.profile, slopes=False)[0]
        log_terms, _ = self._log_terms(self._squared_distances(X))
        return np.asarray(np.exp(log_terms).mean(axis=1))

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""
        if self._coordinates is not None and isinstance(self.profile, GaussianLike):
            return self._euclidean(X, self._coordinates, self.profile, slopes=True)
        metric = as_smooth_metric(self.metric)
        log_terms, slopes = self._log_terms(self._squared_distances(X))
        terms = np.exp(log_terms)
        weights = terms * slopes / (self.anchors.shape[0] * self.bandwidth**2)
        return terms.mean(axis=1), metric.weighted_gradient(weights, X, self.anchors)

    def _euclidean(
        self, X: Array, coordinates: EuclideanCoordinates, profile: GaussianLike, *, slopes: bool
    ) -> tuple[Array, Array]:
        d, h = self.dimension, self.bandwidth
        peak = profile.log_peak(d) - d * math.log(h)
        return evaluate_euclidean(X, coordinates, DENSITY, peak, profile.rate, slopes=slopes)

    def _squared_distances(self, X: Array) -> Array:
        return squared_ratio(self.metric.distances(X, self.anchors), self.bandwidth)

    def _log_terms(self, squared: Array) -> tuple[Array, Array]:
        """Return log(h^-d k(s)) and its slope in s; the logarithm keeps either factor from overflowing."""
        log_kernel, slope = self.profile.log_value_and_slope(squared, self.dimension)
        return log_kernel - self.dimension * np.log(self.bandwidth), slope
