"""Upper confidence bounds, plain and risk-averse (eq. rucb).

    UCB(x)    = mean(x) + eta std(x)
    RAHBO(x)  = mean(x) + eta std(x) - gamma n(x)

eta is `exploration` and gamma is `risk_aversion`.
"""

from dataclasses import dataclass

import numpy as np

from anchorpbo.acquisition.base import DesignAcquisition, Partials
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.typing import Array


@dataclass(frozen=True)
class UCB(DesignAcquisition):
    """Upper confidence bound (UCB)."""

    exploration: float = 2.0
    """Exploration weight eta, at least 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exploration", as_non_negative("exploration", self.exploration))

    @property
    def needs_std(self) -> bool:
        """Whether eta is above 0."""
        return self.exploration > 0

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        """Return mean + eta std, which does not depend on noise and incumbent, and its derivatives."""
        value = mean + self.exploration * std
        return Partials(value, np.ones_like(mean), np.full_like(std, self.exploration), np.zeros_like(noise))


@dataclass(frozen=True)
class RAHBO(DesignAcquisition):
    """Risk-averse upper confidence bound (RAHBO)."""

    exploration: float = 2.0
    """Exploration weight eta, at least 0."""
    risk_aversion: float = 10.0
    """Risk aversion gamma, at least 0; 0 gives UCB."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exploration", as_non_negative("exploration", self.exploration))
        object.__setattr__(self, "risk_aversion", as_non_negative("risk_aversion", self.risk_aversion))

    @property
    def needs_std(self) -> bool:
        """Whether eta is above 0."""
        return self.exploration > 0

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        """Return mean + eta std - gamma noise, which does not depend on the incumbent, and its derivatives."""
        value = mean + self.exploration * std - self.risk_aversion * noise
        by_std = np.full_like(std, self.exploration)
        # "0.0 -" instead of a minus sign: gamma = 0 then gives 0.0 as UCB does, not -0.0.
        return Partials(value, np.ones_like(mean), by_std, np.full_like(noise, 0.0 - self.risk_aversion))
