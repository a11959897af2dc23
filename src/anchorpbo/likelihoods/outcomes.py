"""The interface of what follows from a link F: ties, and probabilities of outcomes under a Gaussian margin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from anchorpbo.typing import Array, BoolArray


class Terms(NamedTuple):
    """A function of the margin and its derivatives in it, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    d3: Array


class LogMarginal(NamedTuple):
    """Log Z(mean), Z = E p(outcome | g), two derivatives in the mean, and how the outcome narrows g, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    variance_ratio: Array
    """Var(g | outcome) / Var(g) = 1 + variance d2, without the cancellation."""


class Outcomes(ABC):
    """Ties and expected probabilities of a link."""

    @property
    @abstractmethod
    def default_threshold(self) -> float:
        """The tau to start from: about one tie in four between designs of equal utility."""

    @abstractmethod
    def log_tie(self, g: Array, tau: Array) -> Terms:
        """Return log(F(g + tau) - F(g - tau)) and its derivatives in g, for thresholds (m,)."""

    @abstractmethod
    def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """Return the derivative of `log_tie` in tau, and its first two derivatives in g; the third is given as 0."""

    @abstractmethod
    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> LogMarginal:
        """Return log E p(outcome | g) under g ~ N(mean, variance), and what the outcome tells about g."""
