"""Leave-one-out choice of the bandwidth, in log h.

::

    r_ij         distance between anchors i and j
    s_ij         (r_ij / h)^2
    LOO(h) = 1/n sum_i log q(x_i | h, anchors without i)
           = 1/n sum_i log [ 1/(n - 1) sum_{j != i} h^-d k(s_ij) ]
    dLOO/dlog h = -d - 2/n sum_i sum_{j != i} w_ij s_ij (log k)'(s_ij)     w_ij = k(s_ij) / sum_{l != i} k(s_il)

The bandwidth minimises -LOO. With duplicate or clustered anchors -LOO has several minima, so it is first evaluated on a
grid and then minimised around every local minimum of the grid. With a single anchor LOO is undefined and the lower
bound is used, which is also the minimum of -LOO when all anchors are equal.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.bfgs import minimize
from anchorpbo.reliability.base import as_anchors, as_bandwidth, as_bounds, squared_ratio
from anchorpbo.reliability.metric import Metric, MetricLike, as_metric
from anchorpbo.reliability.profile import Profile, as_profile
from anchorpbo.typing import Array

GRID_DENSITY, GRID_MIN, GRID_MAX = 8.0, 17, 401
"""Grid points per unit of log h and sqrt(d), and limits of their number; minima have width ~ 1/sqrt(2 d)."""


@dataclass(frozen=True)
class _NegativeLOO:
    """-LOO as a function of log h, with precomputed distances."""

    others: Array
    """Distances of each anchor to the others, (n, n - 1)."""
    dimension: float
    profile: Profile

    @classmethod
    def of(cls, anchors: Array, profile: Profile, metric: Metric, dimension: float | None = None) -> "_NegativeLOO":
        n, columns = anchors.shape
        distances = metric.distances(anchors, anchors)
        d = metric.dimension(columns) if dimension is None else dimension
        return cls(distances[~np.eye(n, dtype=bool)].reshape(n, n - 1), d, profile)

    def value_and_gradient(self, log_bandwidth: float) -> tuple[float, float]:
        """Return -LOO and its derivative in log h."""
        squared = squared_ratio(self.others, float(np.exp(log_bandwidth)))
        log_kernel, slope = self.profile.log_value_and_slope(squared, self.dimension)
        top = log_kernel.max(axis=1, keepdims=True)
        weights = np.exp(log_kernel - top)
        totals = weights.sum(axis=1, keepdims=True)
        log_sums = (top + np.log(totals)).mean() - np.log(self.others.shape[1])
        stretch = (weights * slope * squared / totals).sum(axis=1).mean()
        return float(self.dimension * log_bandwidth - log_sums), float(self.dimension + 2.0 * stretch)


def negative_loo(
    anchors: npt.ArrayLike, bandwidth: float, profile: str | Profile = "gaussian", metric: MetricLike = "euclidean"
) -> float:
    """Return -LOO(h) of at least two anchors, (n, d)."""
    return _evaluate(anchors, bandwidth, profile, metric)[0]


def negative_loo_gradient(
    anchors: npt.ArrayLike, bandwidth: float, profile: str | Profile = "gaussian", metric: MetricLike = "euclidean"
) -> float:
    """Return the derivative of -LOO(h) in log h, of at least two anchors, (n, d)."""
    return _evaluate(anchors, bandwidth, profile, metric)[1]


def loo_bandwidth(
    anchors: npt.ArrayLike,
    bounds: tuple[float, float],
    profile: str | Profile = "gaussian",
    metric: MetricLike = "euclidean",
    dimension: float | None = None,
) -> float:
    """Return the bandwidth within the bounds that minimises -LOO.

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d); for n = 1 the lower bound is returned.
    bounds
        Smallest and largest bandwidth.
    profile, metric
        Kernel and distance of the density, by name or as objects.
    dimension
        The d of the factor 1/h^d; by default that of the metric.
    """
    points, (lower, upper) = as_anchors(anchors), as_bounds(bounds)
    profile, metric = as_profile(profile), as_metric(metric)
    if points.shape[0] == 1 or lower == upper:
        return lower
    objective = _NegativeLOO.of(points, profile, metric, dimension)
    start, end = np.log(lower), np.log(upper)
    count = int(np.clip(GRID_DENSITY * (end - start) * np.sqrt(objective.dimension), GRID_MIN, GRID_MAX))
    grid = np.linspace(start, end, count)
    values = np.array([objective.value_and_gradient(t)[0] for t in grid])
    padded = np.concatenate([[np.inf], values, [np.inf]])
    minima = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:]))
    _, best = min(_polish(objective, grid, values, int(i)) for i in minima)
    # exp(log(bound)) may differ from the bound by rounding.
    return lower if best <= start else upper if best >= end else float(np.exp(best))


def _polish(objective: _NegativeLOO, grid: Array, values: Array, i: int) -> tuple[float, float]:
    """Return the smallest -LOO between the neighbours of grid point i, and its log h."""
    bracket = np.array([[grid[max(i - 1, 0)]], [grid[min(i + 1, grid.size - 1)]]])

    def value_and_gradient(t: Array) -> tuple[float, Array]:
        value, slope = objective.value_and_gradient(float(t[0]))
        return value, np.array([slope])

    # A Gaussian has a curvature of about 2 d. With a tolerance below rounding the result does not depend on the grid.
    curvature = np.array([2.0 * objective.dimension])
    lowest = minimize(value_and_gradient, grid[i : i + 1], bracket, curvature, 1e-18)
    return min((float(values[i]), float(grid[i])), (lowest.value, float(lowest.x[0])))


def _evaluate(
    anchors: npt.ArrayLike, bandwidth: float, profile: str | Profile, metric: MetricLike
) -> tuple[float, float]:
    points, h = as_anchors(anchors), as_bandwidth(bandwidth)
    if points.shape[0] == 1:
        remedy = "use loo_bandwidth, which returns the lower bound for one anchor"
        raise InputError("LOO needs at least two anchors", "1", remedy)
    return _NegativeLOO.of(points, as_profile(profile), as_metric(metric)).value_and_gradient(float(np.log(h)))
