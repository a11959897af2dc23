"""Tie probabilities and expected probabilities of any link, from log F and its derivatives.

Symbols: f = F' is the density of the noise e of a link, and h = (log F)'. The outcome is a win if g + e > tau and a
tie if |g + e| < tau.

Ties. Let v = -|g|, u = v + tau, l = v - tau, P = F(u) - F(l), r_u = F(u) / P and r_l = F(l) / P = r_u - 1. The
derivatives in v are written with differences of h, which do not cancel: with R = r_u r_l, D = h(u) - h(l),
S = h(u) + h(l),

    (log P)'    = h(u) + r_l D                            d log P / dtau = r_u h(u) + r_l h(l)
    (log P)''   = h'(u) + r_l D' - R D^2                  ... its (.)'   = r_u h'(u) + r_l h'(l) - R D S
    (log P)'''  = h''(u) + r_l D'' - 3 R D D' + (r_u + r_l) R D^3
                  ... its (.)'' = r_u h''(u) + r_l h''(l) + R (S ((r_u + r_l) D^2 - D') - 2 D S')

The probability of a narrow tie is the integral of f from l to u, by Gauss-Legendre quadrature.

Expectations. Z = E p(outcome | g) can be written as an integral over the margin g, or over the noise e, since the
outcome's probability given e is that of a probit. The integral is over the narrower of the two, so that the integrand
has no steep step:

    narrow margin   Z = E_t p(outcome | mean + s t),  t ~ N(0, 1)           s = sqrt(variance)
    wide margin     Z = E_e P(outcome | mean + e + s t),  e ~ f             by the probit's formulas, t ~ N(0, 1)

Both integrands are log-concave. A sequence of shrinking grids finds the interval in which they exceed exp(-40) times
their maximum. On it the trapezoidal rule is used, which converges exponentially for analytic integrands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from anchorpbo.likelihoods.mixture import expected_outcomes
from anchorpbo.likelihoods.outcomes import LogMarginal, Outcomes, Terms
from anchorpbo.typing import Array, BoolArray

_TIE_SHARE = 0.25
"""Tie probability of designs of equal utility at the default threshold."""
_NARROW_TIE = 0.5
"""Ratio F(l) / F(u) above which a tie's probability is an integral, since F(u) - F(l) would cancel."""
_TIE_NODES, _TIE_WEIGHTS = special.roots_legendre(20)
_FALL = 40.0
"""An integrand counts as 0 when its logarithm is this far below its maximum."""
_GRID = np.linspace(0.0, 1.0, 33)
_NODES = np.linspace(0.0, 1.0, 385)
_MAX_GRIDS = 40
_NO_NOISE = np.zeros(1)
"""Scale and log weight, both 0, of the single component of a probit mixture without noise."""


@dataclass(frozen=True, eq=False)
class Quadrature(Outcomes):
    """Tie probabilities and expected probabilities by quadrature."""

    log_win: Callable[[Array], Terms]
    """Function from z, (m,), to log F(z) and its three derivatives, (m,) each."""

    @property
    def default_threshold(self) -> float:
        """The tau at which F(tau) - F(-tau) is 1/4, by bisection."""
        lower, upper = 0.0, self._scale
        for _ in range(60):
            middle = 0.5 * (lower + upper)
            share = 1.0 - 2.0 * float(np.exp(self.log_win(np.array([-middle])).value[0]))
            lower, upper = (middle, upper) if share < _TIE_SHARE else (lower, middle)
        return 0.5 * (lower + upper)

    def log_tie(self, g: Array, tau: Array) -> Terms:
        """Return log P and its derivatives in g; the odd derivatives change sign with g."""
        tie, side = self._tie(g, tau), np.where(g > 0.0, -1.0, 1.0)
        R, D = tie.product, tie.upper.d1 - tie.lower.d1
        D1, D2 = tie.upper.d2 - tie.lower.d2, tie.upper.d3 - tie.lower.d3
        d1 = tie.upper.d1 + tie.share * D
        d2 = tie.upper.d2 + tie.share * D1 - R * D**2
        d3 = tie.upper.d3 + tie.share * D2 - 3.0 * R * D * D1 + (1.0 + 2.0 * tie.share) * R * D**3
        return Terms(tie.log_p, side * d1, np.minimum(d2, 0.0), side * d3)

    def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
        """Return (f(u) + f(l)) / P and two derivatives in g."""
        tie, side = self._tie(g, tau), np.where(g > 0.0, -1.0, 1.0)
        upper, lower, r_l, R = tie.upper, tie.lower, tie.share, tie.product
        r_u, D, S = 1.0 + r_l, upper.d1 - lower.d1, upper.d1 + lower.d1
        value = r_u * upper.d1 + r_l * lower.d1
        d1 = r_u * upper.d2 + r_l * lower.d2 - R * D * S
        d2 = r_u * upper.d3 + r_l * lower.d3
        d2 += R * (S * ((r_u + r_l) * D**2 - (upper.d2 - lower.d2)) - 2.0 * D * (upper.d2 + lower.d2))
        return Terms(value, side * d1, d2, np.zeros_like(g))

    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> LogMarginal:
        """Return log Z and its derivatives by the trapezoidal rule, over the narrower of margin and noise."""
        out = np.empty((4, len(mean)))
        wide = variance > self._scale**2
        for chosen, integrate in ((~wide, self._over_margin), (wide, self._over_noise)):
            if chosen.any():
                out[:, chosen] = integrate(mean[chosen], variance[chosen], tied[chosen], tau)
        return LogMarginal(*out)

    # -- internals ----------------------------------------------------------------------------------------------------

    @property
    def _scale(self) -> float:
        """Width of the noise, 1 / h(0)."""
        return 1.0 / float(self.log_win(np.zeros(1)).d1[0])

    def _log_density(self, e: Array) -> Array:
        """Return log f(e), (n,), from f = h F at -|e|, which does not underflow."""
        terms = self.log_win(-np.abs(e))
        return terms.value + np.log(terms.d1)

    def _tie(self, g: Array, tau: Array) -> _Tie:
        v = -np.abs(g)
        upper, lower = self.log_win(v + tau), self.log_win(v - tau)
        ratio = lower.value - upper.value
        with np.errstate(divide="ignore"):
            log_p = upper.value + np.log(-np.expm1(ratio))
        narrow = ratio > np.log(_NARROW_TIE)
        if narrow.any():
            nodes = v[narrow, None] + tau[narrow, None] * _TIE_NODES
            logs = self._log_density(nodes.ravel()).reshape(nodes.shape)
            log_p[narrow] = np.log(tau[narrow]) + special.logsumexp(logs, axis=1, b=_TIE_WEIGHTS)
        return _Tie(upper, lower, log_p, np.exp(lower.value - log_p))

    def _log_prob(self, g: Array, tied: BoolArray, tau: float) -> Array:
        """Return log p of the outcome and two derivatives, (3, m)."""
        out = np.empty((3, len(g)))
        out[:, ~tied] = self.log_win(g[~tied] - tau)[:3]
        if tied.any():
            out[:, tied] = self.log_tie(g[tied], np.full(int(tied.sum()), tau))[:3]
        return out

    def _over_margin(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> Array:
        std = np.sqrt(variance)

        def integrand(t: Array) -> tuple[Array, Array]:
            of_nodes = self._log_prob((mean[:, None] + std[:, None] * t).ravel(), np.repeat(tied, t.shape[1]), tau)
            value, d1, d2 = of_nodes.reshape(3, *t.shape)
            return value - 0.5 * t**2, np.array([d1, d2])

        # The maximum, where std d1 - t = 0, lies between t = 0 and t = std d1(mean).
        end = std * self._log_prob(mean, tied, tau)[1]
        reach = np.sqrt(2.0 * _FALL)
        log_total, shares, t, (d1, d2) = _integrate(
            integrand, np.minimum(end, 0.0) - reach, np.maximum(end, 0.0) + reach
        )
        slope, spread = _moments(shares, d1)
        curvature = np.minimum((shares * d2).sum(axis=1) + spread, 0.0)
        return np.array([log_total - 0.5 * np.log(2.0 * np.pi), slope, curvature, _moments(shares, t)[1]])

    def _over_noise(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> Array:
        def integrand(e: Array) -> tuple[Array, Array]:
            count, of_probit = e.shape[1], np.empty((4, e.size))
            expected_outcomes(
                (mean[:, None] + e).ravel(), np.repeat(variance, count), np.repeat(tied, count), tau, 0.0,
                _NO_NOISE, _NO_NOISE, of_probit,
            )  # fmt: skip
            value, d1, _, ratio = of_probit.reshape(4, *e.shape)
            return value + self._log_density(e.ravel()).reshape(e.shape), np.array([d1, ratio])

        # Since F(-z) <= exp(-z / scale) / 2, the integrand is negligible outside this interval.
        end = np.abs(mean) + tau + 10.0 * np.sqrt(variance) + 1.5 * _FALL * self._scale
        log_total, shares, _, (d1, ratio) = _integrate(integrand, -end, end)
        slope, spread = _moments(shares, d1)
        ratio = np.minimum((shares * ratio).sum(axis=1) + variance * spread, 1.0)
        return np.array([log_total, slope, (ratio - 1.0) / variance, ratio])


@dataclass(frozen=True, eq=False)
class _Tie:
    """Terms of the derivatives of a tie's log P, (m,) each."""

    upper: Terms
    """log F and its derivatives at u."""
    lower: Terms
    """log F and its derivatives at l."""
    log_p: Array
    share: Array
    """r_l = F(l) / P."""

    @property
    def product(self) -> Array:
        """R = r_u r_l."""
        return self.share * (1.0 + self.share)


def _integrate(
    integrand: Callable[[Array], tuple[Array, Array]], lower: Array, upper: Array
) -> tuple[Array, Array, Array, Array]:
    """Integrate the exponentials of m log-concave functions by the trapezoidal rule, where they are not negligible.

    `integrand` maps nodes, (m, n), to log values, (m, n), and further values, (..., m, n). Returns the log integrals,
    (m,), each node's share of its integral, (m, n), the nodes, (m, n), and the further values at the nodes.
    """
    for _ in range(_MAX_GRIDS):
        nodes = lower[:, None] + (upper - lower)[:, None] * _GRID
        logs = integrand(nodes)[0]
        kept = logs > logs.max(axis=1, keepdims=True) - _FALL
        first, last = kept.argmax(axis=1), len(_GRID) - 1 - kept[:, ::-1].argmax(axis=1)
        at = np.arange(len(nodes))
        closer = nodes[at, np.maximum(first - 1, 0)], nodes[at, np.minimum(last + 1, len(_GRID) - 1)]
        is_close = closer[1] - closer[0] > 0.5 * (upper - lower)
        lower, upper = closer
        if is_close.all():
            break
    nodes = lower[:, None] + (upper - lower)[:, None] * _NODES
    logs, others = integrand(nodes)
    top = logs.max(axis=1)
    weights = np.exp(logs - top[:, None])
    total = weights.sum(axis=1)
    log_total = top + np.log(total * (upper - lower) * (_NODES[1] - _NODES[0]))
    return log_total, weights / total[:, None], nodes, others


def _moments(shares: Array, values: Array) -> tuple[Array, Array]:
    """Return means and variances, (m,) each, of values, (m, n), under weights that add up to one."""
    mean = (shares * values).sum(axis=1)
    return mean, (shares * (values - mean[:, None]) ** 2).sum(axis=1)
