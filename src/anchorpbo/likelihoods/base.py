"""What a likelihood says about margins.

Symbols: g margins (m,), tau >= 0 the tie threshold in margin units, F the link's distribution function (Phi for probit,
the logistic function s for logistic). With g = D f for D from `rows`,

    first wins   F(g - tau)          tie   F(g + tau) - F(g - tau)          second wins   F(-g - tau)

All three are log-concave in g. With tau = 0 there are no ties and a win is F(g).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import IncompatibleError
from anchorpbo.likelihoods.expected import expected_outcomes
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.typing import Array, BoolArray


class Terms(NamedTuple):
    """A function of the margin and its derivatives in it, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    d3: Array


class Expected(NamedTuple):
    """Log Z(mean), two derivatives in the mean, and the share of the margin's variance that is left, (m,) each."""

    value: Array
    d1: Array
    d2: Array
    rest: Array
    """1 + variance d2, without the cancellation."""


class CoefficientGradients(NamedTuple):
    """Derivatives of the two coefficients of a row in the two noises, (m,) each."""

    first_by_first: Array
    first_by_second: Array
    second_by_first: Array
    second_by_second: Array


@dataclass(frozen=True)
class Likelihood(ABC):
    """A link with its rule for putting noise into the rows; immutable."""

    tie_threshold: float | None = None
    """tau; ``None`` means 0 while no tie has been seen, and a customary value, to be learnt, once one has."""

    def __post_init__(self) -> None:
        if self.tie_threshold is not None:
            object.__setattr__(self, "tie_threshold", as_non_negative("tie_threshold", self.tie_threshold))

    # -- what a new likelihood writes ---------------------------------------------------------------------------------

    @property
    @abstractmethod
    def customary_threshold(self) -> float:
        """The tau to start from: about one tie in four between designs of equal utility."""

    @abstractmethod
    def coefficients(self, noise_first: Array, noise_second: Array) -> tuple[Array, Array]:
        """The two entries of each row D_k = a_k e_first - b_k e_second, (m,) each."""

    @abstractmethod
    def coefficient_gradients(self, noise_first: Array, noise_second: Array) -> CoefficientGradients:
        """Derivatives of `coefficients` in the two noises."""

    @abstractmethod
    def win(self, z: Array) -> Terms:
        """Log F(z) and its derivatives."""

    @abstractmethod
    def tie(self, g: Array, tau: Array) -> Terms:
        """Log(F(g + tau) - F(g - tau)) and its derivatives in g, for thresholds (m,)."""

    @abstractmethod
    def tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """The derivative of `tie` in tau, and its first two derivatives in g (the third is not needed: zeros)."""

    @property
    @abstractmethod
    def probit_mixture(self) -> tuple[Array, Array]:
        """Scales and log weights with F(g) = sum_i weight_i Phi(g / scale_i)."""

    @property
    @abstractmethod
    def tail_rate(self) -> float:
        """The r of F(g) ~ exp(r g) far to the left, or 0 where F falls faster than that."""

    # -- what follows from it -----------------------------------------------------------------------------------------

    @property
    def tau(self) -> float:
        """The tie threshold as a number."""
        return 0.0 if self.tie_threshold is None else self.tie_threshold

    def with_threshold(self, tau: float) -> Self:
        """The same likelihood at another tie threshold."""
        return replace(self, tie_threshold=tau)

    def for_duels(self, duels: Duels) -> Self:
        """The same likelihood with a threshold that can explain these duels."""
        has_ties = len(duels.ties) > 0
        if self.tie_threshold is None:
            return self.with_threshold(self.customary_threshold if has_ties else 0.0)
        if has_ties and self.tie_threshold == 0.0:
            raise IncompatibleError(
                "a likelihood with tie_threshold 0 cannot explain ties",
                f"{len(duels.ties)} of them",
                "give it a positive tie_threshold, or none to have one chosen and learnt",
            )
        return self

    def rows(self, duels: Duels, noise: Array) -> Rows:
        """The matrix D of these duels, given the noise at their designs, (u,)."""
        first, second = duels.first, duels.second
        a, b = self.coefficients(noise[first], noise[second])
        return Rows(first, second, a, b, duels.tied, len(duels.points), duels.counts)

    def log_prob(self, g: Array, tied: BoolArray) -> Terms:
        """Log p(outcome | g) and three derivatives in g."""
        if not tied.any():
            return self.win(g - self.tau)
        return _merge(tied, self.win(g - self.tau), self.tie(g, np.full_like(g, self.tau)))

    def expected(self, mean: Array, variance: Array, tied: BoolArray) -> Expected:
        """Log E p(outcome | g) under g ~ N(mean, variance), and what the outcome tells about g."""
        out = np.empty((4, len(mean)))
        expected_outcomes(mean, variance, tied, self.tau, *self.tilting, out)
        return Expected(*out)

    @property
    def tilting(self) -> tuple[float, Array, Array]:
        """What `anchorpbo.likelihoods.expected` needs to know of the link."""
        return (self.tail_rate, *self.probit_mixture)

    def log_prob_by_threshold(self, g: Array, tied: BoolArray) -> Terms:
        """The derivative of `log_prob` in tau, and its first two derivatives in g."""
        wins = self.win(g - self.tau)
        by_tau = Terms(-wins.d1, -wins.d2, -wins.d3, np.zeros_like(g))
        if not tied.any():
            return by_tau
        return _merge(tied, by_tau, self.tie_by_threshold(g, np.full_like(g, self.tau)))


def _merge(tied: BoolArray, wins: Terms, ties: Terms) -> Terms:
    return Terms(*(np.where(tied, tie, win) for win, tie in zip(wins, ties, strict=True)))
