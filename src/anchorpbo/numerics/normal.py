"""The standard normal distribution, accurate in both tails, and quantiles of mixtures of normal distributions.

Symbols: phi and Phi are its density and distribution function, and for x >= 0

    R(x) = Phi(-x) / phi(x)        the Mills ratio, sqrt(pi / 2) erfcx(x / sqrt 2)
    h(z) = phi(z) / Phi(z)         the inverse Mills ratio 1 / R(-z), "hazard" below
    c(x) = 1 / R(x) - x            its excess over the asymptote

Curvatures and expected improvements are computed from the excess. The subtraction loses all digits for large x, so
there Laplace's continued fraction c(x) = 1/(x + 2/(x + 3/(x + ...))) is used.
"""

import numpy as np
from scipy import special

from anchorpbo.typing import Array

LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_SQRT_HALF_PI = np.sqrt(0.5 * np.pi)
_SQRT_HALF = np.sqrt(0.5)

# Above this x the continued fraction of this depth is exact to rounding; below it, the subtraction is.
_FRACTION_FROM = 4.0
_FRACTION_DEPTH = 60
_BISECTIONS = 52
"""Number of bisections after which an interval is as narrow as rounding errors."""


def density(z: Array) -> Array:
    """Return phi(z)."""
    with np.errstate(over="ignore"):  # an infinite square gives the correct density 0
        return np.asarray(np.exp(-0.5 * z * z - LOG_SQRT_2PI))


def cdf(z: Array) -> Array:
    """Return Phi(z)."""
    return np.asarray(special.ndtr(z))


def mixture_quantile(p: float, weights: Array, means: Array, stds: Array) -> Array:
    """Return the p-quantile, (n,), of mixtures of normal distributions, by bisection.

    Parameters
    ----------
    p
        Probability, between 0 and 1.
    weights
        Weights of the components, (s,), which sum to 1.
    means, stds
        Means and standard deviations, (s, n) each; a standard deviation may be 0.
    """
    ends = means + special.ndtri(p) * stds
    low, high, scales = ends.min(axis=0), ends.max(axis=0), np.maximum(stds, np.finfo(float).tiny)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        with np.errstate(over="ignore"):  # an infinite argument gives the correct probability 0 or 1
            below = weights @ special.ndtr((middle - means) / scales) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(0.5 * (low + high))


def log_cdf(z: Array) -> Array:
    """Return log Phi(z)."""
    return np.asarray(special.log_ndtr(z))


def mills_ratio(x: Array) -> Array:
    """Return R(x) = Phi(-x) / phi(x), which grows as x falls and overflows to infinity below about -38."""
    with np.errstate(over="ignore"):
        return np.asarray(_SQRT_HALF_PI * special.erfcx(x * _SQRT_HALF))


def hazard(z: Array) -> Array:
    """Return h(z) = phi(z) / Phi(z), about -z in the left tail and 0 in the right tail."""
    return np.asarray(1.0 / mills_ratio(-z))


def hazard_excess(z: Array) -> Array:
    """Return h(z) + z, positive everywhere: about -1/z in the left tail and z in the right tail."""
    z = np.asarray(z, dtype=np.float64)
    tail = z < -_FRACTION_FROM
    near = hazard(z) + z
    return np.where(tail, _tail_excess(np.maximum(-z, _FRACTION_FROM)), near) if tail.any() else near


def _tail_excess(x: Array) -> Array:
    fraction = x
    for level in range(_FRACTION_DEPTH, 1, -1):
        fraction = x + level / fraction
    return np.asarray(1.0 / fraction)
