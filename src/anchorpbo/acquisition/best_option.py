"""Expected utility of the best option of a duel, plain [Astudillo2023] and risk-averse (eq. raeubo).

    EUBO(x1, x2)    = E max(f(x1), f(x2)) = m1 Phi(z) + m2 Phi(-z) + s phi(z),   z = (m1 - m2) / s
    RAEUBO(x1, x2)  = the same with m_i = mean(x_i) - alpha n(x_i)

s is the standard deviation of f(x1) - f(x2) and alpha is `risk_aversion`. It is computed as max(m1, m2) plus a gain
s phi(z) - |m1 - m2| Phi(-|z|) >= 0, which is the same sum without cancellation, and symmetric to the last bit.

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
    """Expected utility of the best option."""

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """E max(f1, f2), whatever the noise."""
        value, by_first, by_second, by_std = _best_of_two(mean_first, mean_second, std)
        nothing = np.zeros_like(value)
        return PairPartials(value, by_first, by_second, by_std, nothing, nothing)


@dataclass(frozen=True)
class RAEUBO(PairAcquisition):
    """Risk-averse expected utility of the best option."""

    risk_aversion: float = 10.0
    """alpha, at least 0; 0 gives EUBO."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "risk_aversion", as_non_negative("risk_aversion", self.risk_aversion))

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """E max(f1 - alpha n1, f2 - alpha n2)."""
        alpha = self.risk_aversion
        value, by_first, by_second, by_std = _best_of_two(
            mean_first - alpha * noise_first, mean_second - alpha * noise_second, std
        )
        # "0.0 -" rather than a minus sign: alpha = 0 then gives EUBO's own zero, not -0.0.
        return PairPartials(value, by_first, by_second, by_std, 0.0 - alpha * by_first, 0.0 - alpha * by_second)


def _best_of_two(m1: Array, m2: Array, s: Array) -> tuple[Array, Array, Array, Array]:
    """E max of two Gaussians and its derivatives in m1, m2 and s; max(m1, m2) where s is 0."""
    margin = m1 - m2
    z = standardise(margin, s)
    by_first, by_second, by_std = cdf(z), cdf(-z), density(z)
    # Far apart the gain is a difference of two tiny numbers, and rounding must not take it below 0.
    gain = np.maximum(s * by_std - np.abs(margin) * np.minimum(by_first, by_second), 0.0)
    return np.maximum(m1, m2) + gain, by_first, by_second, by_std


def lambert_constant(options: int = 2) -> float:
    """C = W((q - 1) / e), W Lambert's function, for a choice among q options: 0.2784645 for a duel.

    Under a logistic judge of one constant noise level lambda, one step of EUBO is worse than the best step by at most
    lambda C. With levels that vary the paper's form of the likelihood breaks this bound (docs/notation.md).

    >>> round(lambert_constant(), 7)
    0.2784645
    """
    if options < 2:
        raise InputError("a choice must be among two or more options", options, "a duel has 2")
    return float(special.lambertw((options - 1) / math.e).real)
