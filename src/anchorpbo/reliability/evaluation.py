"""Compiled evaluation of reliabilities at the rows of X, (n, d): from given distances, or with the Euclidean metric.

::

    h_c          width of coordinate c: the bandwidth h times the length-scale of the metric
    s_ij         sum_c ((x_ic - anchor_jc) / h_c)^2, the squared distance of x_i to anchor j in bandwidths
    lambda_j     factor of the bandwidth of anchor j, 1 unless the bandwidths are local
    BOUNDED      k_j = exp(-rate s_j / lambda_j^2)      q = 1 - prod_j (1 - k_j)
    DENSITY      k_j = exp(peak - rate s_j)             q = 1/n sum_j k_j
    dq/dx_c = -2 rate / h_c^2 sum_j dq/dlog k_j (x_c - anchor_jc) / lambda_j^2

A categorical coordinate adds 1 / h_c^2 to s if the two values differ, and its slope is 0.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anchorpbo.numerics.jit import jit_inline
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.reliability.metric import EuclideanMetric
from anchorpbo.typing import Array, BoolArray

BOUNDED, DENSITY = 0, 1
"""Codes of the two kinds of reliability."""


@dataclass(frozen=True)
class EuclideanCoordinates:
    """The coordinates of anchors and their widths, as compiled code needs them.

    Any two are equal, so that they do not count in the comparison of two reliabilities, which compares the anchors,
    bandwidth, metric and factors instead.
    """

    anchors: Array = field(compare=False)
    differ: BoolArray = field(compare=False)
    """Whether a coordinate is categorical, (d,)."""
    widths: Array = field(compare=False)
    """h_c, (d,)."""
    weights: Array = field(compare=False)
    """lambda_j^-2, (m,)."""

    def __post_init__(self) -> None:
        for name in ("anchors", "widths", "weights"):
            object.__setattr__(self, name, as_read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays that are unpickled can be written to, for which compiled code would be compiled again.
        return type(self), (self.anchors, self.differ, self.widths, self.weights)

    @classmethod
    def of(
        cls, anchors: Array, metric: EuclideanMetric, bandwidth: float, factors: Array | None = None
    ) -> "EuclideanCoordinates":
        """Return the coordinates of anchors, (m, d), with a bandwidth and the factors of local ones, (m,)."""
        differ = np.zeros(anchors.shape[1], dtype=np.bool_)
        differ[list(metric.categorical)] = True
        weights = np.ones(len(anchors)) if factors is None else 1.0 / np.square(factors)
        widths = bandwidth * metric.scales(anchors.shape[1])
        return cls(anchors, differ, widths, weights)


def evaluate_euclidean(
    X: Array, coordinates: EuclideanCoordinates, kind: int, peak: float, rate: float, *, slopes: bool
) -> tuple[Array, Array]:
    """Return q, (n,), and its gradient, (n, d), which has no rows if `slopes` is false."""
    reliability, gradient = np.empty(len(X)), np.empty((len(X) if slopes else 0, X.shape[1]))
    known, differ = coordinates.anchors, coordinates.differ
    widths, weights, scratch = coordinates.widths, coordinates.weights, np.empty((2, len(known)))
    _euclidean(as_read_only(X), known, differ, widths, weights, kind, peak, rate, reliability, gradient, scratch)
    return reliability, gradient


@jit_tiered
def _euclidean(
    X: Array, anchors: Array, differ: BoolArray, widths: Array, weights: Array, kind: int, peak: float, rate: float,
    reliability: Array, gradient: Array, scratch: Array,
) -> None:  # fmt: skip
    d, m = X.shape[1], len(anchors)
    exponents, shares = scratch[0], scratch[1]
    for i in range(len(X)):
        for j in range(m):
            s = 0.0
            for c in range(d):
                r = (X[i, c] - anchors[j, c]) / widths[c]
                if differ[c]:
                    r = 1.0 / widths[c] if r != 0.0 else 0.0
                s += r * r
            exponents[j] = rate * s * weights[j]
        if kind == BOUNDED:
            reliability[i] = combine_anchors(exponents, shares)
        else:
            total = 0.0
            for j in range(m):
                shares[j] = math.exp(peak - exponents[j]) / m
                total += shares[j]
            reliability[i] = total
        if len(gradient):
            for c in range(d):
                slope = 0.0
                for j in range(m):
                    slope += shares[j] * weights[j] * (X[i, c] - anchors[j, c])
                gradient[i, c] = 0.0 if differ[c] else -2.0 * rate / widths[c] / widths[c] * slope


@jit_tiered
def combine_anchor_rows(exponents: Array, reliability: Array, shares: Array) -> None:
    """Fill q of `BOUNDED`, (n,), and dq/dlog k_j, (n, m), from exponents -log k_j, (n, m), which are overwritten."""
    for i in range(len(exponents)):
        reliability[i] = combine_anchors(exponents[i], shares[i])


@jit_inline
def combine_anchors(exponents: Array, shares: Array) -> float:
    """Return q of `BOUNDED` (a noisy-or) from exponents -log k_j, (m,), which are overwritten; fill dq/dlog k_j, (m,).

    1 - prod_j (1 - k_j) is computed as a sum of the increments of each anchor. The sum does not cancel, so q has full
    relative precision near 0.
    """
    q, before, after = 0.0, 1.0, 1.0
    for j in range(len(exponents)):
        k = math.exp(-exponents[j])
        rest = 1.0 - k if k < 0.5 else -math.expm1(-exponents[j])
        shares[j] = before * k
        q += shares[j]
        before *= rest
        exponents[j] = rest
    # The product of the other factors is built from both sides, without a division, so a factor may be 0.
    for j in range(len(exponents) - 1, -1, -1):
        shares[j] *= after
        after *= exponents[j]
    return 1.0 if before == 0.0 else min(q, 1.0)
