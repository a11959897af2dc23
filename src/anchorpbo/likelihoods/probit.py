"""Probit link (eq. probit-like, eq. simple-likelihood): the user compares f + eps with Gaussian eps of variance n(x).

    D_k = (e_w - e_l) / sqrt(n_w + n_l)          p_k = Phi(g_k - tau)

Given the outcome, z = g + (unit Gaussian noise) is a normal N(g, 1) truncated to a set A: (tau, inf) for a win,
(-tau, tau) for a tie. So the derivatives of log p in g are cumulants of that truncated normal: E z - g, Var z - 1, and
the third cumulant.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from anchorpbo.likelihoods.base import Likelihood, RowScaling
from anchorpbo.likelihoods.mixture import ProbitMixture, log_win
from anchorpbo.likelihoods.outcomes import Outcomes, Terms
from anchorpbo.numerics.normal import LOG_SQRT_2PI, mills_ratio
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array

# Beyond this exponent the far end of a tie's interval contributes less than rounding.
_ONE_ENDED = 37.0


class ProbitOutcomes(ProbitMixture):
    """Tie probabilities and expected probabilities of the probit link."""

    @property
    def default_threshold(self) -> float:
        """Initial tau, 0.3: the tie probability 2 Phi(tau) - 1 is about 1/4."""
        return 0.3

    def log_tie(self, g: Array, tau: Array) -> Terms:
        """Return log(Phi(u) - Phi(l)) with u = tau - |g| and l = -tau - |g|.

        With A_j = (u^j phi(u) - l^j phi(l)) / p the derivatives in |g| are -A_0, -A_1 - A_0^2 and
        -A_2 + A_0 - 3 A_0 A_1 - 2 A_0^3. All terms are divided by phi(u), so that none underflows.
        """
        side, size = np.where(g < 0, -1.0, 1.0), np.abs(g)
        upper, lower = tau - size, -tau - size
        exponent = -2.0 * tau * size  # log phi(lower) / phi(upper)
        rho = np.exp(exponent)
        mass = mills_ratio(-upper) - rho * mills_ratio(-lower)  # p / phi(upper)
        with np.errstate(invalid="ignore", over="ignore"):
            A0 = -np.expm1(exponent) / mass
            A1 = (upper - lower * rho) / mass
            A2 = (upper**2 - lower**2 * rho) / mass
        value = _log_mass(upper, mass)
        both = Terms(value, -A0, -A1 - A0**2, -A2 + A0 - 3.0 * A0 * A1 - 2.0 * A0**3)
        # With the near end only: log Phi(u) as a function of |g| = tau - u.
        near = _log_wins(upper)
        one = Terms(near.value, -near.d1, near.d2, -near.d3)
        far = exponent < -_ONE_ENDED
        value, d1, d2, d3 = (np.where(far, b, a) for a, b in zip(both, one, strict=True))
        return Terms(value, side * d1, d2, side * d3)

    def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """Return (phi(tau - g) + phi(tau + g)) / p and two derivatives in g; each part is exp(log phi - log p)."""
        log_p, d1, d2, _ = self.log_tie(g, tau)
        total = np.zeros((3, *g.shape))
        # The derivative of an end e in g is -1: d log(phi(e) / p) / dg = e - d1.
        for end in (tau - g, -tau - g):
            part = np.exp(-0.5 * end**2 - LOG_SQRT_2PI - log_p)
            total += part, part * (end - d1), part * ((end - d1) ** 2 - 1.0 - d2)
        return Terms(total[0], total[1], total[2], np.zeros_like(g))

    @property
    def parts(self) -> tuple[float, Array, Array]:
        """Tail rate 0, since a Gaussian tail falls faster than an exponential; one component of scale 1."""
        return 0.0, _ONE, _LOG_ONE


class Probit(Likelihood):
    """Gaussian judgement noise; `noise` is its variance. `tie_threshold` is in units of margins."""

    closed_form: ClassVar[Outcomes | None] = ProbitOutcomes()

    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        """Return 1 / sqrt(n_w + n_l) twice, and its derivative -1/2 (n_w + n_l)^(-3/2) four times."""
        total = noise_first + noise_second
        a, slope = 1.0 / np.sqrt(total), -0.5 * total**-1.5
        return RowScaling(a, a, slope, slope, slope, slope)

    def log_win(self, z: Array) -> Terms:
        """Return log Phi(z); with h = phi / Phi the derivatives are h, -h (h + z) and h ((h + z)(2 h + z) - 1)."""
        return _log_wins(z)


_ONE, _LOG_ONE = np.ones(1), np.zeros(1)


def _log_wins(z: Array) -> Terms:
    out = np.empty((4, len(z)))
    probit_wins(z, out)
    return Terms(*out)


@jit_tiered
def probit_wins(z: Array, out: Array) -> None:
    """Fill the rows of out, (4, m), with log Phi(z) and its three derivatives."""
    for k in range(len(z)):
        value, h, d2, excess = log_win(z[k])
        out[0, k], out[1, k], out[2, k], out[3, k] = value, h, d2, h * (excess * (h + excess) - 1.0)


def _log_mass(upper: Array, mass: Array) -> Array:
    """Return log(mass phi(upper)); 0 if mass overflowed, since the interval then has probability 1 to rounding."""
    with np.errstate(over="ignore", divide="ignore"):
        direct = np.log(mass) - 0.5 * upper**2 - LOG_SQRT_2PI
    return np.where(np.isfinite(mass), direct, 0.0)
