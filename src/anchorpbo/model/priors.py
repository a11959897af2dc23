"""Bounds and priors of hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_positive, as_positive_bounds


@dataclass(frozen=True)
class LogNormal:
    """Log-normal prior: log(value) ~ N(log(median), spread^2)."""

    median: float
    """Median of the value."""
    spread: float
    """Standard deviation of its logarithm: 0.7 is a factor of two in either direction."""

    def __post_init__(self) -> None:
        as_positive("median", self.median)
        as_positive("spread", self.spread)

    def log_density(self, log_value: float) -> tuple[float, float]:
        """Return the log density of the logarithm, up to a constant, and its derivative."""
        z = (log_value - np.log(self.median)) / self.spread
        return float(-0.5 * z * z), float(-z / self.spread)


@dataclass(frozen=True)
class Learn:
    """Specification of a hyper-parameter to learn: bounds and an optional prior."""

    bounds: tuple[float, float]
    """Smallest and largest value allowed, both above 0."""
    prior: LogNormal | None = None
    """Prior; ``None`` for a uniform prior on the logarithm between the bounds."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", as_positive_bounds("bounds", self.bounds))
        if not isinstance(self.prior, LogNormal | None):
            raise InputError("prior must be a LogNormal or None", repr(self.prior), "write LogNormal(median, spread)")


def make_default_specs(dimension: int, tie_threshold: float, unit: float = 1.0) -> dict[str, Learn]:
    """Make the default bounds and weakly informative priors for designs in the unit cube of this dimension.

    The median length-scale grows with the diagonal of the cube. The output scale is measured in units of the noise,
    because answers depend only on their ratio; its median of ten means that the user is mostly, but not always, right.
    `unit` is the variance of the utility that equals the noise.
    """
    return {
        "lengthscale": Learn((0.03, 10.0), LogNormal(0.25 * np.sqrt(dimension), 0.7)),
        "outputscale": Learn((1e-2 * min(unit, 1.0), 1e4 * max(unit, 1.0)), LogNormal(10.0 * unit, 1.2)),
        "noise_scale": Learn((1e-3, 1e3), LogNormal(1.0, 1.0)),
        "noise_strength": Learn((1e-2, 13.0), LogNormal(2.0, 0.8)),
        "noise_factor": Learn((1e-2, 1e2), LogNormal(1.0, 0.7)),
        "tie_threshold": Learn((1e-2, 5.0), LogNormal(tie_threshold, 0.7)),
        "lapse": Learn((0.01, 0.4), LogNormal(0.05, 1.0)),
    }


LEARNABLE = tuple(make_default_specs(1, 1.0))
"""Names of all hyper-parameters that can be learnt."""
