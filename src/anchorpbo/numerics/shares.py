"""Intervals of shares, and posteriors of one number on a grid.

::

    jeffreys_interval    interval of a share of k among n: quantiles of Beta(k + 1/2, n - k + 1/2)
    GridPosterior        density of one number on a grid, with its median, quantiles and highest-density interval
    logit_posterior      posterior of b in logit P(y = 1) = offset + b x under Jeffreys' prior

Jeffreys' prior of b is proportional to the root of the Fisher information, sum x^2 p (1 - p). With offset 0 and x = 1
the posterior of the share 1 / (1 + exp(-b)) is therefore Beta(k + 1/2, n - k + 1/2): both intervals agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaincinv, expit, log_expit

from anchorpbo.typing import Array, BoolArray

LEVEL = 0.9
"""Probability of an interval."""
Interval = tuple[float, float]


def jeffreys_interval(k: int, n: int, level: float = LEVEL) -> Interval:
    """Return the interval of a share of k among n; its end is 0 if k is 0, and 1 if k is n.

    Without any (n = 0) it is from 0 to 1.
    """
    tail = 0.5 * (1.0 - level)
    low, high = (float(betaincinv(k + 0.5, n - k + 0.5, q)) for q in (tail, 1.0 - tail))
    return (low if k else 0.0), (high if k < n else 1.0)


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """Density of one number on a grid, linear in between."""

    x: Array
    """Increasing values, (n,)."""
    density: Array
    """Density at these values, (n,); its integral is 1."""

    @classmethod
    def from_log_density(cls, x: Array, log_density: Array) -> GridPosterior:
        """Return the density whose logarithm is given up to a constant."""
        height = np.exp(log_density - log_density.max())
        return cls(x, height / _integrate(height, x))

    @cached_property
    def _distribution(self) -> Array:
        """Distribution function at the values, (n,)."""
        steps = 0.5 * (self.density[1:] + self.density[:-1]) * np.diff(self.x)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def quantile(self, p: float) -> float:
        """Return the quantile of a probability."""
        return float(np.interp(p, self._distribution, self.x))

    @property
    def median(self) -> float:
        """The median."""
        return self.quantile(0.5)

    def interval(self, level: float = LEVEL) -> Interval:
        """Return the interval with the same probability above and below."""
        return self.quantile(0.5 * (1.0 - level)), self.quantile(0.5 * (1.0 + level))

    def highest_interval(self, level: float = LEVEL) -> Interval:
        """Return the shortest interval of this probability; of a density that is highest at an end, it has that end."""
        starts = np.linspace(0.0, 1.0 - level, 201)
        low, high = (np.interp(p, self._distribution, self.x) for p in (starts, starts + level))
        best = int(np.argmin(high - low))
        return float(low[best]), float(high[best])

    def map_values(self, function: Callable[[Array], Array]) -> GridPosterior:
        """Return the density of an increasing function of the number."""
        y = function(self.x)
        height = self.density / np.maximum(np.gradient(y, self.x), np.finfo(float).tiny)
        return GridPosterior(y, height / _integrate(height, y))


def logit_posterior(x: Array, offset: Array, y: BoolArray, grid: Array) -> GridPosterior:
    """Return the posterior of b in logit P(y_k = 1) = offset_k + b x_k under Jeffreys' prior.

    Parameters
    ----------
    x, offset
        Regressor and offset, (n,) each.
    y
        Observations, (n,).
    grid
        Values of b, (g,).
    """
    logits = offset + grid[:, None] * x
    p = expit(logits)
    information = (x * x * p * (1.0 - p)).sum(axis=1)
    likelihood = log_expit(np.where(y, logits, -logits)).sum(axis=1)
    return GridPosterior.from_log_density(grid, likelihood + 0.5 * np.log(np.maximum(information, 1e-300)))


def _integrate(y: Array, x: Array) -> float:
    """Return the integral of y by the trapezoidal rule."""
    return float((0.5 * (y[1:] + y[:-1]) * np.diff(x)).sum())
