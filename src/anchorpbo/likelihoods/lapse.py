"""Lapses: with some probability an answer is random, whatever the margin.

Symbols: lambda is the lapse probability, c the probability of one answer among all possible ones (1/2 without ties, 1/3
with them), p the probability of an attentive answer, and L = log p with derivatives L1, L2, L3. The mixture

    p' = (1 - lambda) p + lambda c          r = (1 - lambda) p / p'         1 - r = lambda c / p'

has the derivatives

    (log p')'   = r L1                      r' = r (1 - r) L1
    (log p')''  = r L2 + r (1 - r) L1^2
    (log p')''' = r L3 + 3 r (1 - r) L1 L2 + r (1 - r) (1 - 2 r) L1^3

r is the probability that the answer was attentive. Both r and 1 - r are exponentials of differences of logarithms, so
neither tail cancels. p' is not log-concave: a surprising answer has a positive second derivative and loses its
influence. The same formulas hold for the expected probability Z of an outcome as a function of the margin's mean; an
answer then multiplies the margin's variance by

    r variance_ratio + (1 - r) + variance r (1 - r) (log Z)'^2

which may exceed 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anchorpbo.likelihoods.outcomes import LogMarginal, Terms
from anchorpbo.numerics.jit import jit_inline
from anchorpbo.typing import Array


@dataclass(frozen=True)
class LapseMixture:
    """Mixture of attentive answers and random ones."""

    lapse: float
    """Lapse probability lambda, above 0 and below 1."""
    chance: float
    """Probability c of each answer in a lapse."""

    @property
    def log_random(self) -> float:
        """Logarithm of lambda c, the probability of a lapse with this answer."""
        return math.log(self.lapse * self.chance)

    def mix_terms(self, attentive: Terms) -> Terms:
        """Return log p' and its three derivatives from those of log p."""
        value, d1, d2, d3 = attentive
        mixed, r, rest = self._mix(value)
        both = r * rest
        return Terms(
            mixed,
            r * d1,
            r * d2 + both * d1**2,
            r * d3 + 3.0 * both * d1 * d2 + both * (rest - r) * d1**3,
        )

    def mix_slopes(self, attentive: Terms, slopes: Terms) -> Terms:
        """Return the derivative of log p' in a parameter, r T, and two derivatives in g, given T = dlog p and its."""
        value, d1, d2, _ = attentive
        _, r, rest = self._mix(value)
        both = r * rest
        r1, r2 = both * d1, both * ((rest - r) * d1**2 + d2)
        T, T1, T2, _ = slopes
        return Terms(r * T, r1 * T + r * T1, r2 * T + 2.0 * r1 * T1 + r * T2, np.zeros_like(T))

    def mix_marginal(self, attentive: LogMarginal, variance: Array) -> LogMarginal:
        """Return log Z', its derivatives and the variance ratio from those of log Z."""
        value, d1, d2, ratio = attentive
        mixed, r, rest = self._mix(value)
        bulge = r * rest * d1**2
        return LogMarginal(mixed, r * d1, r * d2 + bulge, r * ratio + rest + variance * bulge)

    def _mix(self, log_p: Array) -> tuple[Array, Array, Array]:
        """Return log p', r and 1 - r."""
        attentive = math.log1p(-self.lapse) + log_p
        mixed = np.logaddexp(attentive, self.log_random)
        return mixed, np.exp(attentive - mixed), np.exp(self.log_random - mixed)


@jit_inline
def mix_outcome(
    value: float, slope: float, curvature: float, ratio: float, variance: float, lapse: float, chance: float
) -> tuple[float, float, float, float]:
    """Return `LapseMixture.mix_marginal` of one margin, for compiled code; the lapse must be above 0."""
    attentive, random = math.log1p(-lapse) + value, math.log(lapse * chance)
    top = max(attentive, random)
    mixed = top + math.log(math.exp(attentive - top) + math.exp(random - top))
    r, rest = math.exp(attentive - mixed), math.exp(random - mixed)
    bulge = r * rest * (slope * slope)
    return mixed, r * slope, r * curvature + bulge, r * ratio + rest + variance * bulge
