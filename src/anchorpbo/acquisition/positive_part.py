"""Expected positive part of a Gaussian, on which expected improvement is based.

With Z standard normal, z = mean / std, distribution function Phi, density phi and c(z) = phi(z) / Phi(z) + z,

    p(mean, std) = E (mean + std Z)_+ = std (z Phi(z) + phi(z)) = std Phi(z) c(z)
    dp/dmean = Phi(z)                 dp/dstd = phi(z)
    dlog p/dmean = 1 / (std c(z))     dlog p/dstd = (c(z) - z) / (std c(z))

The form with c does not cancel and underflows only when Phi does; its logarithm never underflows.
"""

import numpy as np

from anchorpbo.numerics.normal import cdf, density, hazard, hazard_excess, log_cdf
from anchorpbo.typing import Array

MIN_STD = 1e-50
"""Lower limit of the standard deviation in z, which keeps z finite."""


def standardise(mean: Array, std: Array) -> Array:
    """Return z = mean / std, finite also if std is 0: it is then 0 or very large, where Phi is 0 or 1 and phi is 0."""
    with np.errstate(over="ignore"):  # for means beyond 1e258 an infinite z gives the same result
        return np.asarray(mean / np.maximum(std, MIN_STD))


def positive_part(mean: Array, std: Array) -> tuple[Array, Array, Array]:
    """Return p(mean, std), dp/dmean and dp/dstd, in the shape of the arguments; p is max(mean, 0) if std is 0."""
    z = standardise(mean, std)
    by_mean, by_std = cdf(z), density(z)
    # For z >= 0 both terms are positive, and the value equals the mean exactly if std is 0.
    value = np.where(z < 0, std * by_mean * hazard_excess(z), mean * by_mean + std * by_std)
    return value, by_mean, by_std


def log_positive_part(mean: Array, std: Array) -> tuple[Array, Array, Array]:
    """Return log p, dlog p/dmean and dlog p/dstd, accurate for any z.

    A standard deviation below `MIN_STD` is replaced by `MIN_STD`. So if it is 0 and the mean is negative, log p is not
    -infinity but about -mean^2 1e100 / 2, a finite number that still orders designs by their means.
    """
    floored = np.maximum(std, MIN_STD)
    z = standardise(mean, std)
    excess = hazard_excess(z)
    value = np.log(floored) + log_cdf(z) + np.log(excess)
    by_std = np.where(std < MIN_STD, 0.0, hazard(z) / (floored * excess))
    return value, 1.0 / (floored * excess), by_std
