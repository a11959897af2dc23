"""Radial profiles: the kernel k of eq. kde as a function of the squared distance s = (r / h)^2.

::

    s            squared distance in bandwidths
    d            dimension of the metric

    Gaussian          k = exp(-s/2)                  k(0) = 1: the paper's proofs, q in [0, 1] for h >= 1
    GaussianDensity   k = (2 pi)^(-d/2) exp(-s/2)    integrates to 1
    UnitGaussian      k = exp(-pi s)                 k(0) = 1 and integrates to 1, in every d

The leave-one-out bandwidth uses log k, so a profile defines log k and its slope.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError, UnsupportedError
from anchorpbo.typing import Array


class Profile(ABC):
    """A kernel that depends on the squared distance only and is positive everywhere."""

    @abstractmethod
    def log_value_and_slope(self, squared: Array, dimension: float) -> tuple[Array, Array]:
        """Return log k(s) and d log k / d s, both in the shape of ``squared``."""

    @final
    def value(self, squared: Array, dimension: float) -> Array:
        """Return k(s), in the shape of ``squared``."""
        return np.exp(self.log_value_and_slope(squared, dimension)[0])

    @final
    def derivative(self, squared: Array, dimension: float) -> Array:
        """Return d k / d s, in the shape of ``squared``."""
        log_value, slope = self.log_value_and_slope(squared, dimension)
        return np.exp(log_value) * slope


class GaussianLike(Profile):
    """A profile whose logarithm is a line: log k = log_peak - rate s."""

    rate: ClassVar[float]
    """Minus the slope of log k."""

    @abstractmethod
    def log_peak(self, dimension: float) -> float:
        """Return log k(0)."""

    @final
    def log_value_and_slope(self, squared: Array, dimension: float) -> tuple[Array, Array]:
        """Return log_peak - rate s and -rate."""
        return self.log_peak(dimension) - self.rate * squared, np.full_like(squared, -self.rate)


@dataclass(frozen=True)
class Gaussian(GaussianLike):
    """The profile ``exp(-s/2)`` with k(0) = 1, the paper's preset."""

    rate: ClassVar[float] = 0.5

    def log_peak(self, dimension: float) -> float:
        """Return 0."""
        return 0.0


@dataclass(frozen=True)
class GaussianDensity(GaussianLike):
    """The standard normal density ``(2 pi)^(-d/2) exp(-s/2)``."""

    rate: ClassVar[float] = 0.5

    def log_peak(self, dimension: float) -> float:
        """Return -d/2 log(2 pi)."""
        return -0.5 * dimension * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class UnitGaussian(GaussianLike):
    """The profile ``exp(-pi s)``, which has k(0) = 1 and integrates to 1."""

    rate: ClassVar[float] = math.pi

    def log_peak(self, dimension: float) -> float:
        """Return 0."""
        return 0.0


PROFILES: dict[str, Profile] = {
    "gaussian": Gaussian(),
    "gaussian-density": GaussianDensity(),
    "unit-gaussian": UnitGaussian(),
}
"""Profiles by name."""


def as_profile(profile: str | Profile, normalised: bool = False) -> Profile:
    """Resolve a name or a `Profile`; with ``normalised`` it is a density in d dimensions."""
    if isinstance(profile, str):
        if profile not in PROFILES:
            raise UnknownNameError.of("profile", profile, PROFILES)
        profile = PROFILES[profile]
    if not isinstance(profile, Profile):
        rule = "profile must be a name or a Profile"
        raise InputError(rule, repr(profile)[:80], f"try one of {', '.join(sorted(PROFILES))}")
    if not normalised or isinstance(profile, GaussianDensity | UnitGaussian):
        return profile
    if isinstance(profile, Gaussian):
        return GaussianDensity()
    rule = "normalised=True needs a profile whose integral is known"
    raise UnsupportedError(rule, repr(profile)[:80], "include the constant in the profile")
