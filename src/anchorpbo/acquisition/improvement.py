"""Expected improvement over the incumbent, plain and penalised for noise (eq. anpei).

    EI(x)     = E (f(x) - incumbent)_+ = s (z Phi(z) + phi(z)),   z = (mean - incumbent) / s
    ANPEI(x)  = EI(x) - gamma sqrt(n(x))      penalty="std", the main text
              = EI(x) - gamma n(x)            penalty="variance", the appendix

The appendix divides by s^2 inside Phi, but the integral gives s. gamma is `risk_aversion`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anchorpbo.acquisition.base import DesignAcquisition, Partials
from anchorpbo.acquisition.positive_part import log_positive_part, positive_part
from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.typing import Array

Penalty = Callable[[Array], tuple[Array, Array]]
"""Function from the noise, (n,), to a penalty and its derivative, (n,) each."""


@dataclass(frozen=True)
class EI(DesignAcquisition):
    """Expected improvement (EI)."""

    log: bool = False
    """Whether to return log EI, which has a useful gradient even when EI underflows."""

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        """Return EI or log EI, which do not depend on the noise, and its derivatives."""
        return Partials(*_compute_improvement(mean - incumbent, std, self.log), np.zeros_like(noise))


@dataclass(frozen=True)
class ANPEI(DesignAcquisition):
    """Aleatoric noise-penalised expected improvement (ANPEI)."""

    risk_aversion: float = 10.0
    """Risk aversion gamma, at least 0; 0 gives EI."""
    penalty: str = "std"
    """Penalty: "std" for the square root of the noise, "variance" for the noise itself."""
    log: bool = False
    """Whether to use log EI instead of EI; the penalty is then subtracted from log EI."""
    _penalty: Penalty = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "risk_aversion", as_non_negative("risk_aversion", self.risk_aversion))
        if not isinstance(self.penalty, str) or self.penalty not in _PENALTIES:
            raise UnknownNameError.of("penalty", self.penalty, _PENALTIES)
        object.__setattr__(self, "_penalty", _PENALTIES[self.penalty])

    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        """Return EI or log EI, minus gamma times the penalty, and its derivatives."""
        value, by_mean, by_std = _compute_improvement(mean - incumbent, std, self.log)
        penalty, slope = self._penalty(noise)
        # "0.0 -" instead of a minus sign: gamma = 0 then gives 0.0 as EI does, not -0.0.
        return Partials(value - self.risk_aversion * penalty, by_mean, by_std, 0.0 - self.risk_aversion * slope)


def _compute_improvement(margin: Array, std: Array, log: bool) -> tuple[Array, Array, Array]:
    return log_positive_part(margin, std) if log else positive_part(margin, std)


def _std_penalty(noise: Array) -> tuple[Array, Array]:
    # A noise map has a floor above 0, so the slope is finite.
    root = np.sqrt(noise)
    return root, 0.5 / root


def _variance_penalty(noise: Array) -> tuple[Array, Array]:
    return noise, np.ones_like(noise)


_PENALTIES: dict[str, Penalty] = {"std": _std_penalty, "variance": _variance_penalty}
