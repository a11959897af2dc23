"""Expected utility of the option that the user chooses, who errs.

With s2 = std^2 + n1 + n2, z = (m1 - m2) / sqrt(s2), std the standard deviation of f(x1) - f(x2) and n the noise,

    EUCO(x1, x2) = E f(chosen) = m1 Phi(z) + m2 Phi(-z) + std^2 / sqrt(s2) phi(z)

It is at most EUBO, the expected utility of the better option, and equals EUBO without noise. It is the knowledge
gradient (`knowledge_gradient`) of a user who must keep the design that won.

The value is not monotone: if the user prefers x1 for certain, a better x2 or more uncertainty only adds wrong choices.
The best decision given the noisy difference f(x1) - f(x2) + noise is at least as good as the user's choice. Its
expected utility is EUBO with std replaced by std^2 / sqrt(s2), which is monotone in all moments: the upper bound.

With a lapse probability l the user chooses at random with probability l: (1 - l) EUCO + l (m1 + m2) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.acquisition.base import PairAcquisition, PairPartials
from anchorpbo.acquisition.best_option import best_of_two
from anchorpbo.numerics.normal import cdf, density
from anchorpbo.numerics.validation import as_share
from anchorpbo.typing import Array


@dataclass(frozen=True)
class EUCO(PairAcquisition):
    """Expected utility of the chosen option (EUCO), for probit answers."""

    lapse: float = 0.0
    """Probability of a random answer; a study sets it to that of its likelihood."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lapse", as_share("lapse", self.lapse))

    def with_lapse(self, lapse: float) -> EUCO:
        """Return this acquisition for answers with a lapse probability."""
        return replace(self, lapse=lapse)

    @property
    def needs_probit(self) -> bool:
        """Whether the value models the answer: true."""
        return True

    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """Return E f(chosen) and its derivatives."""
        variance = std * std
        s = np.sqrt(variance + noise_first + noise_second)
        z = (mean_first - mean_second) / s
        by_first, by_second, height = cdf(z), cdf(-z), density(z)
        share = variance / (s * s)
        by_first, by_second = ((1.0 - self.lapse) * p + 0.5 * self.lapse for p in (by_first, by_second))
        height = (1.0 - self.lapse) * height
        value = mean_first * by_first + mean_second * by_second + share * s * height
        # The choice depends on the means too: dPhi/dm1 = phi / s.
        tilt = z * height * (1.0 - share)
        by_noise = (-0.5 / s) * (z * tilt + share * height)
        by_std = std * (2.0 * height / s + 2.0 * by_noise)
        return PairPartials(value, by_first + tilt, by_second - tilt, by_std, by_noise, by_noise)

    def upper_bound(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> Array:
        """Return the expected utility of the best decision given the noisy difference."""
        variance = std * std
        seen = variance / np.sqrt(variance + noise_first + noise_second)
        return best_of_two(mean_first, mean_second, seen)[0]
