"""Expected utility of the best option of a duel, plain [Astudillo2023] and risk-averse (eq. raeubo).

    EUBO(x1, x2)    = E max(f(x1), f(x2)) = m1 Phi(z) + m2 Phi(-z) + s phi(z),   z = (m1 - m2) / s
    RAEUBO(x1, x2)  = the same with m_i = mean(x_i) - alpha n(x_i)

s is the standard deviation of f(x1) - f(x2) and alpha is `risk_aversion`. The value is computed as max(m1, m2) plus a
gain s phi(z) - |m1 - m2| Phi(-|z|) >= 0. This sum is equal but does not cancel, and is exactly symmetric.

References
----------
[Astudillo2023] R. Astudillo, Z. J. Lin, E. Bakshy and P. I. Frazier. qEUBO: a decision-theoretic acquisition function
    for preferential Bayesian optimization. AISTATS 2023.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from anchorpbo.acquisition.base import PairAcquisition, PairPartials
from anchorpbo.acquisition.positive_part import standardise
from anchorpbo.errors import InputError
from anchorpbo.numerics.normal import cdf, density
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.typing import Array


@dataclass(frozen=True)
class EUBO(PairAcquisition):
    """Expected utility of the best option (EUBO)."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """Return E max(f1, f2), which does not depend on the noise, and its derivatives."""
        value, by_first, by_second, by_std = best_of_two(mean_first, mean_second, std)
        nothing = np.zeros_like(value)
        return PairPartials(value, by_first, by_second, by_std, nothing, nothing)


@dataclass(frozen=True)
class RAEUBO(PairAcquisition):
    """Risk-averse expected utility of the best option (RAEUBO)."""

    risk_aversion: float = 10.0
    """Risk aversion alpha, at least 0; 0 gives EUBO."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "risk_aversion", as_non_negative("risk_aversion", self.risk_aversion))

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """Return E max(f1 - alpha n1, f2 - alpha n2) and its derivatives."""
        alpha = self.risk_aversion
        value, by_first, by_second, by_std = best_of_two(
            mean_first - alpha * noise_first, mean_second - alpha * noise_second, std
        )
        # "0.0 -" instead of a minus sign: alpha = 0 then gives 0.0 as EUBO does, not -0.0.
        return PairPartials(value, by_first, by_second, by_std, 0.0 - alpha * by_first, 0.0 - alpha * by_second)


def best_of_two(m1: Array, m2: Array, s: Array) -> tuple[Array, Array, Array, Array]:
    """Return E max of two Gaussians and its derivatives in m1, m2 and s; max(m1, m2) if s is 0."""
    margin = m1 - m2
    z = standardise(margin, s)
    by_first, by_second, by_std = cdf(z), cdf(-z), density(z)
    # For distant means the gain is a difference of two tiny numbers; rounding must not make it negative.
    gain = np.maximum(s * by_std - np.abs(margin) * np.minimum(by_first, by_second), 0.0)
    return np.maximum(m1, m2) + gain, by_first, by_second, by_std


def lambert_constant(options: int = 2) -> float:
    """Return C = W((q - 1) / e), with Lambert's W function, for a choice among q options: 0.2784645 for a duel.

    For logistic answers with a constant noise level lambda, one step of EUBO is worse than the optimal step by at most
    lambda C. If the level varies, this bound does not hold for the paper's form of the likelihood (docs/notation.md).

    >>> round(lambert_constant(), 7)
    0.2784645
    """
    if options < 2:
        raise InputError("options must be at least 2", options, "use 2 for a duel")
    return float(special.lambertw((options - 1) / math.e).real)
