"""Expected likelihood of an outcome under a Gaussian margin: log Z(mu) and two derivatives in mu.

A link that is a scale mixture of probits, F(g) = sum_i weight_i Phi(g / scale_i), keeps the closed form of the probit:

    Z(mu) = sum_i weight_i P(outcome | y_i),    y_i = g + scale_i noise ~ N(mu, scale_i^2 + variance)

with a win for y > tau and a tie for |y| < tau. The probit itself is one part of scale 1. Compiled, one margin at a
time, because expectation propagation may have to go through the duels one by one. `anchorpbo.numerics.normal` and
`anchorpbo.likelihoods.probit` say where the formulas come from.
"""

import math

import numpy as np

from anchorpbo.numerics.jit import compiled
from anchorpbo.typing import Array, BoolArray

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF = math.sqrt(0.5)
_SQRT_HALF_PI = math.sqrt(0.5 * math.pi)


@compiled
def _tail_excess(x: float) -> float:
    """1 / R(x) - x for x >= 4, by its continued fraction; fewer levels are enough further out."""
    fraction = x
    for level in range(60 if x < 8.0 else 20, 1, -1):
        fraction = x + level / fraction
    return 1.0 / fraction


@compiled
def _mills(x: float) -> float:
    """R(x) = Phi(-x) / phi(x); infinite far to the left."""
    if x > 4.0:
        return 1.0 / (x + _tail_excess(x))
    if x < -38.0:
        return np.inf
    return _SQRT_HALF_PI * math.erfc(x * _SQRT_HALF) * math.exp(0.5 * x * x)


@compiled
def _log_win(z: float) -> tuple[float, float, float]:
    """Log Phi(z) and two derivatives."""
    if z < -4.0:
        excess = _tail_excess(-z)
        h = excess - z
        return -0.5 * z * z - _LOG_SQRT_2PI - math.log(h), h, -h * excess
    cdf = 0.5 * math.erfc(-z * _SQRT_HALF)
    h = math.exp(-0.5 * z * z - _LOG_SQRT_2PI) / cdf
    log_cdf = math.log1p(-0.5 * math.erfc(z * _SQRT_HALF)) if z > 0.0 else math.log(cdf)
    return log_cdf, h, -h * (h + z)


@compiled
def _log_tie(z: float, tau: float) -> tuple[float, float, float]:
    """Log(Phi(tau - z) - Phi(-tau - z)) and two derivatives in z."""
    side, size = (-1.0 if z < 0.0 else 1.0), abs(z)
    upper, lower, exponent = tau - size, -tau - size, -2.0 * tau * size
    if exponent < -37.0:
        value, d1, d2 = _log_win(upper)
        return value, -side * d1, d2
    rho, mass = math.exp(exponent), _mills(-upper)
    if mass == np.inf:
        return 0.0, 0.0, 0.0
    mass -= rho * _mills(-lower)
    A0, A1 = -math.expm1(exponent) / mass, (upper - lower * rho) / mass
    return math.log(mass) - 0.5 * upper * upper - _LOG_SQRT_2PI, -side * A0, -A1 - A0 * A0


@compiled
def expected_outcome(
    mean: float, variance: float, tied: bool, tau: float, scales: Array, log_weights: Array
) -> tuple[float, float, float]:
    """Log Z and its first two derivatives in the mean, for one margin; the second is at most 0."""
    top, total, sum_1, sum_2 = -np.inf, 0.0, 0.0, 0.0
    for i in range(len(scales)):
        unit = math.sqrt(scales[i] * scales[i] + variance)
        if tied:
            value, d1, d2 = _log_tie(mean / unit, tau / unit)
        else:
            value, d1, d2 = _log_win((mean - tau) / unit)
        value += log_weights[i]
        d1, d2 = d1 / unit, d2 / (unit * unit)
        if len(scales) == 1:
            return value, d1, min(d2, 0.0)
        # A running weighted mean of d1 and of d2 + d1^2, rescaled whenever a larger part turns up.
        if value > top:
            shrink = math.exp(top - value)
            total, sum_1, sum_2, top = total * shrink, sum_1 * shrink, sum_2 * shrink, value
        share = math.exp(value - top)
        total, sum_1, sum_2 = total + share, sum_1 + share * d1, sum_2 + share * (d2 + d1 * d1)
    slope = sum_1 / total
    return top + math.log(total), slope, min(sum_2 / total - slope * slope, 0.0)


@compiled
def expected_outcomes(
    mean: Array, variance: Array, tied: BoolArray, tau: float, scales: Array, log_weights: Array, out: Array
) -> None:
    """Fill the rows of out, (3, m), with log Z and its first two derivatives in the mean."""
    for k in range(len(mean)):
        out[0, k], out[1, k], out[2, k] = expected_outcome(mean[k], variance[k], tied[k], tau, scales, log_weights)
