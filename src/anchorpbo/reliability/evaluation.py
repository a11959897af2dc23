"""Compiled evaluation of reliabilities at the rows of X, (n, d): from given distances, or with the Euclidean metric.

::

    s_ij         (r_ij / h)^2, the squared distance of x_i to anchor j in bandwidths
    BOUNDED      k_j = exp(-rate s_j)             q = 1 - prod_j (1 - k_j)
    DENSITY      k_j = exp(peak - rate s_j)       q = 1/n sum_j k_j
    dq/dx = -2 rate / h^2 sum_j dq/dlog k_j (x - anchor_j)

A categorical coordinate adds 1 / h^2 to s if the two values differ, and its slope is 0.
"""

import math

import numpy as np

from anchorpbo.numerics.jit import jit_inline
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.typing import Array, BoolArray

BOUNDED, DENSITY = 0, 1
"""Codes of the two kinds of reliability."""


def evaluate_euclidean(
    X: Array, anchors: Array, categorical: tuple[int, ...], bandwidth: float, kind: int, peak: float, rate: float,
    *, slopes: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return q, (n,), and its gradient, (n, d), which has no rows if `slopes` is false."""
    reliability, gradient = np.empty(len(X)), np.empty((len(X) if slopes else 0, X.shape[1]))
    differ = np.zeros(X.shape[1], dtype=np.bool_)
    for c in categorical:
        differ[c] = True
    given, known, scratch = as_read_only(X), as_read_only(anchors), np.empty((2, len(anchors)))
    _euclidean(given, known, differ, bandwidth, kind, peak, rate, reliability, gradient, scratch)
    return reliability, gradient


@jit_tiered
def _euclidean(
    X: Array, anchors: Array, differ: BoolArray, bandwidth: float, kind: int, peak: float, rate: float,
    reliability: Array, gradient: Array, scratch: Array,
) -> None:  # fmt: skip
    d, m = X.shape[1], len(anchors)
    exponents, shares = scratch[0], scratch[1]
    for i in range(len(X)):
        for j in range(m):
            s = 0.0
            for c in range(d):
                r = (X[i, c] - anchors[j, c]) / bandwidth
                if differ[c]:
                    r = 1.0 / bandwidth if r != 0.0 else 0.0
                s += r * r
            exponents[j] = rate * s
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
                    slope += shares[j] * (X[i, c] - anchors[j, c])
                gradient[i, c] = 0.0 if differ[c] else -2.0 * rate / bandwidth / bandwidth * slope


@jit_tiered
def combine_anchor_rows(exponents: Array, reliability: Array, shares: Array) -> None:
    """Fill q of `BOUNDED`, (n,), and dq/dlog k_j, (n, m), from exponents rate s_j, (n, m), which are overwritten."""
    for i in range(len(exponents)):
        reliability[i] = combine_anchors(exponents[i], shares[i])


@jit_inline
def combine_anchors(exponents: Array, shares: Array) -> float:
    """Return q of `BOUNDED` (a noisy-or) from exponents rate s_j, (m,), which are overwritten; fill dq/dlog k_j, (m,).

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
