"""The interface for a link F's tie probabilities, and outcome probabilities under a Gaussian margin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from anchorpbo.typing import Array, BoolArray


class Terms(NamedTuple):
    """A function of the margin and its first three derivatives, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    d3: Array


class LogMarginal(NamedTuple):
    """Log Z(mean), Z = E p(outcome | g), two derivatives in the mean, and the variance ratio of g, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    variance_ratio: Array
    """Var(g | outcome) / Var(g) = 1 + variance d2, computed without cancellation; above 1 only with lapses."""


class Outcomes(ABC):
    """Tie probabilities and expected probabilities of a link."""

    @property
    @abstractmethod
    def default_threshold(self) -> float:
        """Initial tau, which gives about one tie in four between designs of equal utility."""

    @abstractmethod
    def log_tie(self, g: Array, tau: Array) -> Terms:
        """Return log(F(g + tau) - F(g - tau)) and its derivatives in g, for thresholds tau, (m,)."""

    @abstractmethod
    def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """Return the derivative of `log_tie` in tau, and its first two derivatives in g; d3 is 0."""

    @abstractmethod
    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> LogMarginal:
        """Return log E p(outcome | g) under g ~ N(mean, variance), its derivatives, and the reduction of Var(g)."""
