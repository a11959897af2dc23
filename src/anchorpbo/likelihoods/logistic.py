"""Logistic link (eq. logistic-like), with the noise as a level lambda(x).

    paper        D_k = e_w / lam_w - e_l / lam_l                      p_k = s(g_k - tau),  s(g) = 1 / (1 + exp(-g))
    difference   D_k = (e_w - e_l) / ((lam_w + lam_l) / 2)

The paper's form is not invariant to a constant added to f: two equally good designs of different lambda are a coin flip
only if f = 0. The difference form is invariant.

For expectations, the logistic function is written as a scale mixture of probits, s(g) = E Phi(g / (2 v)) with v
distributed as Kolmogorov's statistic; ties are mixtures too. The quadrature is over v, in which the integrand is smooth
and decays doubly exponentially, so it is accurate for any variance of the margin. Quadrature over the margin itself
fails if the Gaussian is wide and s is steep.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from scipy import special

from anchorpbo.errors import UnknownNameError
from anchorpbo.likelihoods.base import Likelihood, RowScaling
from anchorpbo.likelihoods.mixture import ProbitMixture
from anchorpbo.likelihoods.outcomes import Outcomes, Terms
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array

Form = Callable[[Array, Array], RowScaling]
"""Function that returns the entries of a row for two noise levels."""


def scale_each(first: Array, second: Array) -> RowScaling:
    """Return 1 / lam_w and 1 / lam_l: each utility is divided by its own noise level."""
    zero = np.zeros_like(first)
    return RowScaling(1.0 / first, 1.0 / second, -1.0 / first**2, zero, zero, -1.0 / second**2)


def scale_difference(first: Array, second: Array) -> RowScaling:
    """Return 2 / (lam_w + lam_l) twice: the difference of utilities is divided by the mean noise level."""
    total = first + second
    a, slope = 2.0 / total, -2.0 / total**2
    return RowScaling(a, a, slope, slope, slope, slope)


FORMS: dict[str, Form] = {"paper": scale_each, "difference": scale_difference}


class LogisticOutcomes(ProbitMixture):
    """Tie probabilities and expected probabilities of the logistic link."""

    @property
    def default_threshold(self) -> float:
        """Initial tau, 1/2: the tie probability 2 s(tau) - 1 is about 1/4."""
        return 0.5

    def log_tie(self, g: Array, tau: Array) -> Terms:
        """Return Rao and Kupper's log((1 - e^(-2 tau)) s(tau + g) s(tau - g))."""
        up, down = _log_wins(tau + g), _log_wins(tau - g)
        return Terms(
            np.log(-np.expm1(-2.0 * tau)) + up.value + down.value, up.d1 - down.d1, up.d2 + down.d2, up.d3 - down.d3
        )

    def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """Return 2 / (e^(2 tau) - 1) + (1 - s)(tau + g) + (1 - s)(tau - g), and two derivatives in g."""
        up, down = _log_wins(tau + g), _log_wins(tau - g)
        return Terms(2.0 / np.expm1(2.0 * tau) + up.d1 + down.d1, up.d2 - down.d2, up.d3 + down.d3, np.zeros_like(g))

    @property
    def parts(self) -> tuple[float, Array, Array]:
        """Tail rate 1, since s(g) ~ exp(g) in the left tail; scales 2 v and log weights of the quadrature nodes v."""
        return 1.0, *_compute_mixture()


@dataclass(frozen=True)
class Logistic(Likelihood):
    """Logistic judgement noise; `noise` is its level lambda.

    With ``form="paper"`` each utility is divided by its own noise level; with ``form="difference"`` the difference of
    utilities is divided by the mean level. The two are equal if the noise is constant. If it varies, only the
    difference form is invariant to a constant added to the utility, and it is the better model of a person
    (docs/decisions/0004-two-logistic-forms.md).
    """

    closed_form: ClassVar[Outcomes | None] = LogisticOutcomes()

    form: str = "paper"
    """``"paper"`` or ``"difference"``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in FORMS:
            raise UnknownNameError.of("form", self.form, FORMS)

    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        """Return the entries of each row for the chosen form."""
        return FORMS[self.form](noise_first, noise_second)

    def log_win(self, z: Array) -> Terms:
        """Return log s(z); with s = s(z) the derivatives are 1 - s, -s (1 - s) and s (1 - s)(2 s - 1)."""
        return _log_wins(z)


def _log_wins(z: Array) -> Terms:
    out = np.empty((4, len(z)))
    logistic_wins(z, out)
    return Terms(*out)


@jit_tiered
def logistic_wins(z: Array, out: Array) -> None:
    """Fill the rows of out, (4, m), with log s(z) and its three derivatives."""
    for k in range(len(z)):
        t = math.exp(-abs(z[k]))
        larger, smaller = 1.0 / (1.0 + t), t / (1.0 + t)
        s, rest = (larger, smaller) if z[k] > 0.0 else (smaller, larger)
        out[0, k], out[1, k] = min(z[k], 0.0) - math.log1p(t), rest
        out[2, k], out[3, k] = -s * rest, s * rest * (s - rest)


@cache
def _compute_mixture() -> tuple[Array, Array]:
    """Return nodes 2 v and log weights of the trapezoidal rule in log v for Kolmogorov's density.

    They give s(g) to rounding for g >= -100; further left, s(g) is computed as an exponential.
    """
    step = 0.04
    log_v = np.arange(np.log(0.17), np.log(8.0), step)
    log_weight = _log_kolmogorov_density(np.exp(log_v)) + log_v + np.log(step)
    return 2.0 * np.exp(log_v), log_weight - special.logsumexp(log_weight)


def _log_kolmogorov_density(v: Array) -> Array:
    """Return the log density of Kolmogorov's statistic, by the faster-converging of its two theta series."""
    k = np.arange(1, 9)[:, None]
    # f = 8 v sum (-1)^(k+1) k^2 exp(-2 k^2 v^2), with the first exponential factored out
    series = ((-1.0) ** (k + 1) * k**2 * np.exp(-2.0 * (k**2 - 1) * v**2)).sum(axis=0)
    large = np.log(8.0 * v * np.where(v > 0.5, series, 1.0)) - 2.0 * v**2
    # f = sqrt(2 pi) sum (2 c_k / v^4 - 1 / v^2) exp(-c_k / v^2), c_k = (2 k - 1)^2 pi^2 / 8
    c = (2 * k - 1) ** 2 * np.pi**2 / 8.0
    dual = ((2.0 * c / v**4 - 1.0 / v**2) * np.exp(-(c - c[0]) / v**2)).sum(axis=0)
    small = np.log(np.sqrt(2.0 * np.pi) * np.where(v < 1.0, dual, 1.0)) - c[0] / v**2
    return np.where(v > 0.8, large, small)
