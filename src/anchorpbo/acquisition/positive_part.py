"""The expected positive part of a Gaussian, which every expected improvement is made of.

For Z standard normal, z = mean / std, Phi and phi its distribution function and density, c(z) = phi(z) / Phi(z) + z,

    p(mean, std) = E (mean + std Z)_+ = std (z Phi(z) + phi(z)) = std Phi(z) c(z)
    dp/dmean = Phi(z)                 dp/dstd = phi(z)
    dlog p/dmean = 1 / (std c(z))     dlog p/dstd = (c(z) - z) / (std c(z))

The form with c neither cancels nor underflows before Phi itself does, and its logarithm never.
"""

import numpy as np

from anchorpbo.numerics.normal import cdf, density, hazard, hazard_excess, log_cdf
from anchorpbo.typing import Array

MIN_STD = 1e-50
"""Below this a standard deviation is treated as this in z, which is then finite for every mean."""


def standardise(mean: Array, std: Array) -> Array:
    """Z, finite also where std is 0: then it is 0 or of the order 1e50, where Phi is 0 or 1 and phi is 0."""
    with np.errstate(over="ignore"):  # beyond 1e258 an infinity does as well
        return np.asarray(mean / np.maximum(std, MIN_STD))


def positive_part(mean: Array, std: Array) -> tuple[Array, Array, Array]:
    """p(mean, std), dp/dmean and dp/dstd, in the shape of the arguments; p is max(mean, 0) where std is 0."""
    z = standardise(mean, std)
    by_mean, by_std = cdf(z), density(z)
    # To the right the two terms add up, and the mean comes through unrounded where std is 0.
    value = np.where(z < 0, std * by_mean * hazard_excess(z), mean * by_mean + std * by_std)
    return value, by_mean, by_std


def log_positive_part(mean: Array, std: Array) -> tuple[Array, Array, Array]:
    """Log p, dlog p/dmean and dlog p/dstd, accurate for any z.

    A standard deviation below `MIN_STD` counts as that everywhere. So where it is 0 and the mean is below 0 the
    logarithm is not -infinity but about -mean^2 1e100 / 2: a finite number that still orders designs by their means.
    """
    floored = np.maximum(std, MIN_STD)
    z = standardise(mean, std)
    excess = hazard_excess(z)
    value = np.log(floored) + log_cdf(z) + np.log(excess)
    by_std = np.where(std < MIN_STD, 0.0, hazard(z) / (floored * excess))
    return value, 1.0 / (floored * excess), by_std
