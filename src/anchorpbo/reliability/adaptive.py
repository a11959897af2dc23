"""Local bandwidths of the anchors [Abramson1982]: narrow where anchors are dense, wide where they are sparse.

::

    f(x_i)       pilot density at anchor i: the Gaussian density of all anchors with the one bandwidth h
    g            geometric mean of f(x_1), ..., f(x_n)
    lambda_i = (f(x_i) / g)^(-1/2), limited to [1/2, 2]
    k_i(x) = exp(-r_i^2 / (2 (h lambda_i)^2))

The limits keep every local bandwidth within half the smallest and twice the largest bandwidth. Without them one anchor
far from a large cluster would vouch for most of the space: f(x_i) is at least f_max / n, so lambda reaches n^(1/2).
One anchor, and equal anchors, have factors of 1.

References
----------
[Abramson1982] I. S. Abramson. On bandwidth variation in kernel estimates: a square root law. Annals of Statistics
    10(4), 1217-1223, 1982.
"""

import numpy as np
import numpy.typing as npt

from anchorpbo.reliability.base import as_anchors, as_bandwidth, squared_ratio
from anchorpbo.reliability.metric import MetricLike, as_metric
from anchorpbo.typing import Array

MAX_FACTOR = 2.0
"""Largest factor of a local bandwidth; the smallest is its inverse."""


def local_factors(anchors: npt.ArrayLike, bandwidth: float, metric: MetricLike = "euclidean") -> Array:
    """Return the factors lambda of the anchors' bandwidths, (n,).

    Parameters
    ----------
    anchors
        Designs the user knows well, (n, d).
    bandwidth
        Bandwidth h of the pilot density.
    metric
        Distance between designs.
    """
    points = as_anchors(anchors)
    squared = squared_ratio(as_metric(metric).distances(points, points), as_bandwidth(bandwidth))
    # Constants of the density cancel in f / g. Each anchor is at distance 0 from itself, so the mean is at least 1 / n.
    log_pilot = np.log(np.exp(-0.5 * squared).mean(axis=1))
    return np.asarray(np.clip(np.exp(-0.5 * (log_pilot - log_pilot.mean())), 1.0 / MAX_FACTOR, MAX_FACTOR))
