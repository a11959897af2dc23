"""Logistic link (eq. logistic-like), with the noise as a level lambda(x).

    paper        D_k = e_w / lam_w - e_l / lam_l                      p_k = s(g_k - tau),  s(g) = 1 / (1 + exp(-g))
    difference   D_k = (e_w - e_l) / ((lam_w + lam_l) / 2)

The paper's form is not invariant to a constant added to f: two equally good designs of different lambda are a coin flip
only where f = 0. The difference form is.

Expectations use that the logistic is a scale mixture of probits, s(g) = E Phi(g / (2 v)) with v distributed as
Kolmogorov's statistic, and ties with it. The quadrature is over v, in which the integrand is smooth and decays doubly
exponentially, so that it holds for any variance of the margin; quadrature over the margin itself fails where a wide
Gaussian meets a steep s.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy import special

from anchorpbo.errors import UnknownNameError
from anchorpbo.likelihoods.base import CoefficientGradients, Likelihood, Terms
from anchorpbo.likelihoods.win import logistic_wins
from anchorpbo.typing import Array


class Form(ABC):
    """How the two noise levels enter a row."""

    @abstractmethod
    def coefficients(self, first: Array, second: Array) -> tuple[Array, Array]:
        """The two entries of the row."""

    @abstractmethod
    def gradients(self, first: Array, second: Array) -> CoefficientGradients:
        """Their derivatives in the two levels."""


class PaperForm(Form):
    """Each utility in units of its own level."""

    def coefficients(self, first: Array, second: Array) -> tuple[Array, Array]:
        """1 / lam_w and 1 / lam_l."""
        return 1.0 / first, 1.0 / second

    def gradients(self, first: Array, second: Array) -> CoefficientGradients:
        """-1 / lam^2, each for its own."""
        zero = np.zeros_like(first)
        return CoefficientGradients(-1.0 / first**2, zero, zero, -1.0 / second**2)


class DifferenceForm(Form):
    """The difference of utilities in units of the mean level."""

    def coefficients(self, first: Array, second: Array) -> tuple[Array, Array]:
        """2 / (lam_w + lam_l), twice."""
        a = 2.0 / (first + second)
        return a, a

    def gradients(self, first: Array, second: Array) -> CoefficientGradients:
        """-2 / (lam_w + lam_l)^2, four times."""
        slope = -2.0 / (first + second) ** 2
        return CoefficientGradients(slope, slope, slope, slope)


FORMS: dict[str, Form] = {"paper": PaperForm(), "difference": DifferenceForm()}


@dataclass(frozen=True)
class Logistic(Likelihood):
    """Logistic judgement noise; `noise` is its level lambda.

    `form` is ``"paper"``, each utility over its own level, or ``"difference"``, their difference over the mean level.
    They are the same where the noise is constant. Where it is not, only the difference is unmoved by a constant added
    to the utility, and it is the better model of a person (docs/decisions/0004-two-logistic-forms.md).
    """

    form: str = "paper"
    """``"paper"`` or ``"difference"``."""
    _form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in FORMS:
            raise UnknownNameError.of("form", self.form, FORMS)
        object.__setattr__(self, "_form", FORMS[self.form])

    @property
    def customary_threshold(self) -> float:
        """2 s(tau) - 1 is about 1/4."""
        return 0.5

    def coefficients(self, noise_first: Array, noise_second: Array) -> tuple[Array, Array]:
        """As the form says."""
        return self._form.coefficients(noise_first, noise_second)

    def coefficient_gradients(self, noise_first: Array, noise_second: Array) -> CoefficientGradients:
        """As the form says."""
        return self._form.gradients(noise_first, noise_second)

    def win(self, z: Array) -> Terms:
        """Log s(z); with s = s(z) the derivatives are 1 - s, -s (1 - s) and s (1 - s)(2 s - 1)."""
        out = np.empty((4, len(z)))
        logistic_wins(z, out)
        return Terms(*out)

    def tie(self, g: Array, tau: Array) -> Terms:
        """Rao and Kupper: log((1 - e^(-2 tau)) s(tau + g) s(tau - g))."""
        up, down = self.win(tau + g), self.win(tau - g)
        return Terms(
            np.log(-np.expm1(-2.0 * tau)) + up.value + down.value, up.d1 - down.d1, up.d2 + down.d2, up.d3 - down.d3
        )

    def tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """2 / (e^(2 tau) - 1) + (1 - s)(tau + g) + (1 - s)(tau - g), and two derivatives in g."""
        up, down = self.win(tau + g), self.win(tau - g)
        return Terms(2.0 / np.expm1(2.0 * tau) + up.d1 + down.d1, up.d2 - down.d2, up.d3 + down.d3, np.zeros_like(g))

    @property
    def probit_mixture(self) -> tuple[Array, Array]:
        """Parts of scale 2 v, for the nodes v of a quadrature of Kolmogorov's density."""
        return _mixture()

    @property
    def tail_rate(self) -> float:
        """s(g) ~ exp(g)."""
        return 1.0


@cache
def _mixture() -> tuple[Array, Array]:
    """Nodes 2 v and log weights of the trapezoidal rule in log v for Kolmogorov's density.

    They give s(g) to rounding for g down to -100; further left the exponential takes over.
    """
    step = 0.04
    log_v = np.arange(np.log(0.17), np.log(8.0), step)
    log_weight = _log_kolmogorov_density(np.exp(log_v)) + log_v + np.log(step)
    return 2.0 * np.exp(log_v), log_weight - special.logsumexp(log_weight)


def _log_kolmogorov_density(v: Array) -> Array:
    """Log density of Kolmogorov's statistic by whichever of its two theta series converges fast."""
    k = np.arange(1, 9)[:, None]
    # f = 8 v sum (-1)^(k+1) k^2 exp(-2 k^2 v^2), the first exponential taken out
    series = ((-1.0) ** (k + 1) * k**2 * np.exp(-2.0 * (k**2 - 1) * v**2)).sum(axis=0)
    large = np.log(8.0 * v * np.where(v > 0.5, series, 1.0)) - 2.0 * v**2
    # f = sqrt(2 pi) sum (2 c_k / v^4 - 1 / v^2) exp(-c_k / v^2), c_k = (2 k - 1)^2 pi^2 / 8
    c = (2 * k - 1) ** 2 * np.pi**2 / 8.0
    dual = ((2.0 * c / v**4 - 1.0 / v**2) * np.exp(-(c - c[0]) / v**2)).sum(axis=0)
    small = np.log(np.sqrt(2.0 * np.pi) * np.where(v < 1.0, dual, 1.0)) - c[0] / v**2
    return np.where(v > 0.8, large, small)
