"""The standard normal, accurate in both tails.

Symbols: phi and Phi are its density and distribution function, and for x >= 0

    R(x) = Phi(-x) / phi(x)        the Mills ratio, sqrt(pi / 2) erfcx(x / sqrt 2)
    h(z) = phi(z) / Phi(z)         the inverse Mills ratio 1 / R(-z), "hazard" below
    c(x) = 1 / R(x) - x            its excess over the asymptote

The excess is what curvatures and expected improvements are made of. Subtracting loses all digits for large x, so it is
taken from Laplace's continued fraction c(x) = 1/(x + 2/(x + 3/(x + ...))).
"""

import numpy as np
from scipy import special

from anchorpbo.typing import Array

LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_SQRT_HALF_PI = np.sqrt(0.5 * np.pi)
_SQRT_HALF = np.sqrt(0.5)

# From here on the continued fraction of this depth is exact to rounding; below, subtracting is.
_FRACTION_FROM = 4.0
_FRACTION_DEPTH = 60


def density(z: Array) -> Array:
    """phi(z)."""
    with np.errstate(over="ignore"):  # a square too large for a double is as good as infinite
        return np.asarray(np.exp(-0.5 * z * z - LOG_SQRT_2PI))


def cdf(z: Array) -> Array:
    """Phi(z)."""
    return np.asarray(special.ndtr(z))


def log_cdf(z: Array) -> Array:
    """Log Phi(z)."""
    return np.asarray(special.log_ndtr(z))


def mills_ratio(x: Array) -> Array:
    """R(x) = Phi(-x) / phi(x), which grows without bound as x falls and is infinite below about -38."""
    with np.errstate(over="ignore"):
        return np.asarray(_SQRT_HALF_PI * special.erfcx(x * _SQRT_HALF))


def hazard(z: Array) -> Array:
    """h(z) = phi(z) / Phi(z), about -z far to the left and 0 far to the right."""
    return np.asarray(1.0 / mills_ratio(-z))


def hazard_excess(z: Array) -> Array:
    """h(z) + z, positive everywhere: about -1/z far to the left and z far to the right."""
    z = np.asarray(z, dtype=np.float64)
    tail = z < -_FRACTION_FROM
    near = hazard(z) + z
    return np.where(tail, _tail_excess(np.maximum(-z, _FRACTION_FROM)), near) if tail.any() else near


def _tail_excess(x: Array) -> Array:
    fraction = x
    for level in range(_FRACTION_DEPTH, 1, -1):
        fraction = x + level / fraction
    return np.asarray(1.0 / fraction)
