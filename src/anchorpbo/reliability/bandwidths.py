"""Leave-one-out choice of a bandwidth per dimension, in log h_c, with a penalty towards one bandwidth for all.

::

    h_c          bandwidth of coordinate c; t_c = log h_c
    h            isotropic leave-one-out bandwidth (`loo_bandwidth`); t = log h
    x_ic         coordinate c of anchor i
    D_ijc        (x_ic - x_jc)^2; 0 or 1 if c is categorical; divided by s_c^2 if the metric has length-scales s
    LOO(t_1, ..., t_d) = 1/n sum_i log [ 1/(n - 1) sum_{j != i} prod_c h_c^-1 exp(-D_ijc / (2 h_c^2)) ]
    P(t_1, ..., t_d) = -LOO + 1/(2 n tau^2) sum_c (t_c - t)^2
    dP/dt_c = 1 - 1/n sum_i sum_{j != i} w_ij D_ijc / h_c^2 + (t_c - t) / (n tau^2)
    w_ij = the share of anchor j in the sum of anchor i

The bandwidths minimise P. Its second term is a normal prior on the logarithms with standard deviation tau, so it weighs
as much as one anchor and loses weight as anchors are added. Without it few anchors, of which each column holds a few
numbers only, overfit (decision 47). A column in which all anchors agree says nothing about its width: it keeps h.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import UnsupportedError
from anchorpbo.numerics.bfgs import minimize
from anchorpbo.reliability.bandwidth import loo_bandwidth
from anchorpbo.reliability.base import as_anchors, as_bounds
from anchorpbo.reliability.metric import EuclideanMetric, Metric, MetricLike, as_metric
from anchorpbo.reliability.profile import GaussianDensity
from anchorpbo.typing import Array

PRIOR_SPREAD = 0.3
"""Standard deviation tau of the log-bandwidths about that of the isotropic one."""
WIDENING = 2.0
"""Factor by which the bandwidth of a dimension may lie outside the default bounds of the isotropic one."""


@dataclass(frozen=True)
class _Objective:
    """P as a function of the d log-bandwidths, with precomputed differences."""

    squares: Array
    """D without the pairs of an anchor with itself, (n, n - 1, d)."""
    centre: float
    """Logarithm of the isotropic bandwidth."""
    spread: float

    @classmethod
    def of(cls, anchors: Array, metric: EuclideanMetric, isotropic: float, spread: float) -> "_Objective":
        n, d = anchors.shape
        apart = anchors[:, None] - anchors
        for c in metric.categorical:
            apart[:, :, c] = apart[:, :, c] != 0.0
        squares = np.square(apart / metric.scales(d))[~np.eye(n, dtype=bool)].reshape(n, n - 1, d)
        return cls(squares, float(np.log(isotropic)), spread)

    def value_and_gradient(self, log_bandwidths: Array) -> tuple[float, Array]:
        """Return P and its gradient, (d,)."""
        n = len(self.squares)
        scaled = self.squares * np.exp(-2.0 * log_bandwidths)
        log_kernel = -0.5 * scaled.sum(axis=2)
        top = log_kernel.max(axis=1, keepdims=True)
        weights = np.exp(log_kernel - top)
        totals = weights.sum(axis=1, keepdims=True)
        log_sums = (top + np.log(totals)).mean() - np.log(n - 1)
        stretch = np.einsum("ij,ijc->c", weights / totals, scaled) / n
        away = log_bandwidths - self.centre
        weight = 1.0 / (n * self.spread**2)
        value = log_bandwidths.sum() - log_sums + 0.5 * weight * float(away @ away)
        return float(value), 1.0 - stretch + weight * away


def loo_bandwidths(
    anchors: npt.ArrayLike,
    bounds: tuple[float, float] | None = None,
    metric: MetricLike = "euclidean",
    *,
    spread: float = PRIOR_SPREAD,
) -> Array:
    """Return the bandwidth of each dimension, (d,), that minimises the penalised -LOO.

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d); for n = 1 all bandwidths are the isotropic one.
    bounds
        Smallest and largest bandwidth of a dimension. By default the isotropic bandwidth h is within those of the
        metric, and the bandwidth of a dimension may be half the smallest to twice the largest one.
    metric
        A Euclidean metric.
    spread
        Standard deviation tau of the log-bandwidths about that of the isotropic one; infinite for no penalty.
    """
    points, distance = as_anchors(anchors), as_euclidean(as_metric(metric))
    d = points.shape[1]
    if bounds is None:
        lower, upper = distance.default_bandwidths(d)
        h = loo_bandwidth(points, (lower, upper), GaussianDensity(), distance)
        lower, upper = lower / WIDENING, upper * WIDENING
    else:
        lower, upper = as_bounds(bounds)
        h = loo_bandwidth(points, (lower, upper), GaussianDensity(), distance)
    varies = (points != points[0]).any(axis=0)
    if len(points) == 1 or lower == upper or not varies.any():
        return np.full(d, h)
    objective = _Objective.of(points, distance, h, spread)
    limits = np.log(np.array([[lower] * d, [upper] * d]))
    limits[:, ~varies] = np.log(h)
    found = min((_descend(objective, start, limits) for start in _list_starts(points, h, limits)), key=lambda x: x[0])
    # exp(log(bound)) may differ from the bound by rounding.
    return np.where(varies, np.clip(np.exp(found[1]), lower, upper), h)


def _list_starts(points: Array, h: float, limits: Array) -> list[Array]:
    """Return starts of the search: all equal, in proportion to the spread of each coordinate, and both corners."""
    spreads = np.log(np.maximum(points.std(axis=0), 1e-3))
    return [np.full(points.shape[1], np.log(h)), np.log(h) + spreads - spreads.mean(), limits[0], limits[1]]


def _descend(objective: _Objective, start: Array, limits: Array) -> tuple[float, Array]:
    # A Gaussian has a curvature of about 2 in every log-bandwidth.
    curvature = np.full(len(start), 2.0)
    lowest = minimize(objective.value_and_gradient, np.clip(start, *limits), limits, curvature, 1e-12)
    return lowest.value, lowest.x


def as_euclidean(metric: Metric) -> EuclideanMetric:
    """Return the metric if it is Euclidean; raise `UnsupportedError` otherwise."""
    if not isinstance(metric, EuclideanMetric):
        rule, remedy = "a bandwidth per dimension needs a EuclideanMetric", "use one bandwidth"
        raise UnsupportedError(rule, repr(metric)[:80], remedy)
    return metric
