"""Scale mixtures of probits: expected probabilities of outcomes, in closed form for each component.

If a link is a scale mixture of probits, F(g) = sum_i weight_i Phi(g / scale_i), the probit's closed form applies to
each component:

    Z(mu) = sum_i weight_i P(outcome | y_i),    y_i = g + scale_i noise ~ N(mu, scale_i^2 + variance)

with a win for y > tau and a tie for |y| < tau. The outcome multiplies the margin's variance by

    variance_ratio = 1 + variance d2logZ
                   = mean_i (scale_i^2 + variance V_i) / (scale_i^2 + variance) + variance var_i(d1_i)

with mean and variance over the components, weighted by their shares of Z; V_i is the variance of the standard normal
truncated to the outcome. The second form does not cancel, even for a tie much narrower than the Gaussian. The probit
itself has one component of scale 1. In its left tail a logistic function is an exponential, and the closed form
Z = exp(mean + variance / 2) is more accurate than quadrature.

The functions are compiled for one margin at a time, because expectation propagation may update the duels one by one.
`anchorpbo.numerics.normal` and `anchorpbo.likelihoods.probit` explain the formulas.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import final

import numpy as np

from anchorpbo.likelihoods.outcomes import LogMarginal, Outcomes
from anchorpbo.numerics.jit import jit, jit_inline
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array, BoolArray

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF = math.sqrt(0.5)
_SQRT_HALF_PI = math.sqrt(0.5 * math.pi)
# Half-width of a tie, in standard deviations, below which a tilted uniform is more accurate than 1 + d2.
_NARROW = 1e-3
# Below this a logistic function equals an exponential to rounding, with a margin to the range of the nodes.
_FAR_LEFT = -60.0


class ProbitMixture(Outcomes):
    """Outcomes of a link F(g) = sum_i weight_i Phi(g / scale_i)."""

    @property
    @abstractmethod
    def parts(self) -> tuple[float, Array, Array]:
        """Tail rate, scales and log weights of the components.

        The tail rate r is that of F(g) ~ exp(r g) in the left tail, or 0 if F falls faster than an exponential.
        """

    @final
    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> LogMarginal:
        """Return log Z and its derivatives, by the closed form of each component."""
        out = np.empty((4, len(mean)))
        expected_outcomes(mean, variance, tied, tau, *self.parts, out)
        return LogMarginal(*out)


@jit
def _tail_excess(x: float) -> float:
    """Return 1 / R(x) - x for x >= 4, by its continued fraction; larger x need fewer levels."""
    fraction = x
    for level in range(60 if x < 8.0 else 20, 1, -1):
        fraction = x + level / fraction
    return 1.0 / fraction


@jit
def _mills(x: float) -> float:
    """Return R(x) = Phi(-x) / phi(x); infinite for x < -38."""
    if x > 4.0:
        return 1.0 / (x + _tail_excess(x))
    if x < -38.0:
        return np.inf
    return _SQRT_HALF_PI * math.erfc(x * _SQRT_HALF) * math.exp(0.5 * x * x)


@jit
def log_win(z: float) -> tuple[float, float, float, float]:
    """Return log Phi(z), two derivatives, and the excess of the first derivative over -z."""
    if z < -4.0:
        excess = _tail_excess(-z)
        h = excess - z
        return -0.5 * z * z - _LOG_SQRT_2PI - math.log(h), h, -h * excess, excess
    tail = 0.5 * math.erfc(abs(z) * _SQRT_HALF)
    cdf, log_cdf = (1.0 - tail, math.log1p(-tail)) if z > 0.0 else (tail, math.log(tail))
    h = math.exp(-0.5 * z * z - _LOG_SQRT_2PI) / cdf
    return log_cdf, h, -h * (h + z), h + z


@jit_inline
def _log_tie(z: float, tau: float) -> tuple[float, float, float, float]:
    """Return log(Phi(tau - z) - Phi(-tau - z)), two derivatives in z, and the variance V = 1 + d2."""
    side, size = (-1.0 if z < 0.0 else 1.0), abs(z)
    upper, lower, exponent = tau - size, -tau - size, -2.0 * tau * size
    if exponent < -37.0:
        value, d1, d2, _ = log_win(upper)
        return value, -side * d1, d2, 1.0 + d2
    rho, mass = math.exp(exponent), _mills(-upper)
    if mass == np.inf:
        return 0.0, 0.0, 0.0, 1.0
    mass -= rho * _mills(-lower)
    A0, A1 = -math.expm1(exponent) / mass, (upper - lower * rho) / mass
    value, d2 = math.log(mass) - 0.5 * upper * upper - _LOG_SQRT_2PI, -A1 - A0 * A0
    return value, -side * A0, d2, (1.0 + d2 if tau > _NARROW else tau * tau * _tilted_uniform_variance(tau * size))


@jit_inline
def _tilted_uniform_variance(tilt: float) -> float:
    """Return the variance of the density exp(tilt s) on (-1, 1), the limit of a narrowly truncated normal."""
    square = tilt * tilt
    if tilt < 0.1:
        return 1.0 / 3.0 - square / 15.0 + 2.0 * (square * square) / 189.0
    sinh = math.sinh(tilt)
    return 1.0 / square - 1.0 / (sinh * sinh)


@jit_inline
def expected_outcome(
    mean: float, variance: float, tied: bool, tau: float, tail_rate: float, scales: Array, log_weights: Array
) -> tuple[float, float, float, float]:
    """Return log Z, its first two derivatives in the mean (the second is at most 0), and variance_ratio."""
    if tail_rate > 0.0:
        far = -abs(mean) if tied else mean - tau
        if far + tail_rate * variance + 8.0 * math.sqrt(variance) < _FAR_LEFT:
            side = -1.0 if tied and mean > 0.0 else 1.0
            value = tail_rate * far + 0.5 * (tail_rate * tail_rate) * variance
            if tied:
                value += tail_rate * tau + math.log(-math.expm1(-2.0 * tail_rate * tau))
            return value, side * tail_rate, 0.0, 1.0
    top, total, sum_1, sum_11, sum_2, sum_rest = -np.inf, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(scales)):
        noise = scales[i] * scales[i]
        unit = math.sqrt(noise + variance)
        if tied:
            value, d1, d2, cut = _log_tie(mean / unit, tau / unit)
        else:
            value, d1, d2, _ = log_win((mean - tau) / unit)
            cut = 1.0 + d2
        value, d1, d2 = value + log_weights[i], d1 / unit, d2 / (unit * unit)
        # Running sums, rescaled whenever a larger component occurs.
        if value > top:
            shrink = math.exp(top - value)
            total, sum_1, sum_11 = total * shrink, sum_1 * shrink, sum_11 * shrink
            sum_2, sum_rest, top = sum_2 * shrink, sum_rest * shrink, value
        share = math.exp(value - top)
        total, sum_1, sum_11, sum_2 = total + share, sum_1 + share * d1, sum_11 + share * d1 * d1, sum_2 + share * d2
        sum_rest += share * (noise + variance * cut) / (unit * unit)
    slope = sum_1 / total
    between = max(sum_11 / total - slope * slope, 0.0) if len(scales) > 1 else 0.0
    curvature = min(sum_2 / total + between, 0.0)
    return top + math.log(total), slope, curvature, sum_rest / total + variance * between


@jit_tiered
def expected_outcomes(
    mean: Array,
    variance: Array,
    tied: BoolArray,
    tau: float,
    tail_rate: float,
    scales: Array,
    log_weights: Array,
    out: Array,
) -> None:
    """Fill the rows of out, (4, m), with log Z, its first two derivatives in the mean, and variance_ratio."""
    for k in range(len(mean)):
        out[0, k], out[1, k], out[2, k], out[3, k] = expected_outcome(
            mean[k], variance[k], tied[k], tau, tail_rate, scales, log_weights
        )
