"""Exact draws from the Polya-Gamma distribution PG(1, z), by Devroye's alternating series.

    w ~ PG(1, z)   E w = tanh(z / 2) / (2 z),   E exp(-s w) = cosh(z / 2) / cosh(sqrt((z^2 / 2 + s) / 2))

As in [PSW2013], w = x / 4 where x has, with c = |z| / 2, a density proportional to exp(-c^2 x / 2) times a series
a_0(x) - a_1(x) + a_2(x) - ... with falling terms. Relative to the first of them, with t = 0.64,

    a_n(x) / a_0(x) = (2 n + 1) exp(-2 n (n + 1) / x)         where x <= t
                      (2 n + 1) exp(-n (n + 1) pi^2 x / 2)    where x > t

and neither can overflow. The first term is the proposal: an inverse Gaussian IG(1 / c, 1) cut to (0, t], or t plus an
exponential of rate k = pi^2 / 8 + c^2 / 2. The odds of the former against the latter are

    (4 k / pi) exp(pi^2 t / 8 - 1 / (2 t)) (exp(u^2 / 2) Phi(u) + exp(v^2 / 2) Phi(-v)),   u, v = (c t -+ 1) / sqrt(t)

A draw keeps x when a uniform variable lies below the series: partial sums bracket it, and fewer than 1.001 proposals
are needed on average whatever z is.

References
----------
[PSW2013] N. G. Polson, J. G. Scott and J. Windle. Bayesian inference for logistic models using Polya-Gamma latent
    variables. Journal of the American Statistical Association 108, 1339-1349, 2013; the supplement has the sampler.
[Devroye2009] L. Devroye. On exact simulation algorithms for some distributions related to Jacobi theta functions.
    Statistics and Probability Letters 79, 2251-2259, 2009.
[MSH1976] J. R. Michael, W. R. Schucany and R. W. Haas. Generating random variates using transformations with
    multiple roots. The American Statistician 30, 88-90, 1976.
"""

import math

import numpy as np

from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.truncated import MOST_PROPOSALS, draw_above
from anchorpbo.typing import Array

CUT = 0.64
ROOT_CUT = 0.8
ODDS_FACTOR = 4.0 / math.pi * math.exp(math.pi**2 * CUT / 8.0 - 0.5 / CUT)
NEVER_RIGHT = 30.0  # from here on the odds exceed 1e110, far past the grain of a uniform variable
MOST_TERMS = 100  # of a series whose second term is mostly below rounding
SMALLEST = 2.3e-308  # a normal float whose reciprocal is finite


@jit
def _chance_of_right(c: float) -> float:
    """Give the probability that a proposal comes from beyond the cut."""
    if c > NEVER_RIGHT:
        return 0.0
    rate = math.pi**2 / 8.0 + 0.5 * c * c
    u, v = (c * CUT - 1.0) / ROOT_CUT, (c * CUT + 1.0) / ROOT_CUT
    left = 0.5 * math.exp(0.5 * u * u) * math.erfc(-u * math.sqrt(0.5))
    left += 0.5 * math.exp(0.5 * v * v) * math.erfc(v * math.sqrt(0.5))
    return 1.0 / (1.0 + rate * ODDS_FACTOR * left)


@jit
def _left(rng: np.random.Generator, c: float) -> float:
    """Draw an inverse Gaussian IG(1 / c, 1) given that it is at most the cut."""
    if c * CUT < 1.0:
        # At c = 0 this is 1 / N(0, 1)^2, and x <= t means that the normal exceeds 1 / sqrt(t); then tilt.
        for _ in range(MOST_PROPOSALS):
            root = draw_above(rng, 1.0 / ROOT_CUT)
            x = 1.0 / (root * root)
            if 0.5 * c * c * x <= rng.standard_exponential():
                return x
        return math.nan
    for _ in range(MOST_PROPOSALS):
        # The two roots of [MSH1976] are mean / r and mean r; so written, nothing cancels when the mean is tiny.
        h = 0.5 * rng.standard_normal() ** 2 / c
        r = 1.0 + h + math.sqrt(h * (2.0 + h))
        x = 1.0 / (c * r) if rng.random() * (1.0 + r) <= r else r / c
        if x <= CUT:
            return x
    return math.nan


@jit
def _series_keeps(rng: np.random.Generator, x: float) -> bool:
    """Decide with probability (a_0 - a_1 + a_2 - ...)(x) / a_0(x)."""
    slope = 2.0 / x if x <= CUT else 0.5 * math.pi**2 * x
    level, total = rng.random(), 1.0
    for n in range(1, MOST_TERMS):
        term = (2 * n + 1) * math.exp(-n * (n + 1) * slope)
        if n % 2 == 1:
            total -= term
            if level <= total:
                return True
        else:
            total += term
            if level > total:
                return False
    return True


@jit
def draw_polya_gamma(rng: np.random.Generator, z: float) -> float:
    """Draw one w ~ PG(1, z): positive and finite, the same for z and -z; a NaN comes back as it is."""
    if math.isnan(z):
        return z
    c = 0.5 * abs(z)
    right = _chance_of_right(c)
    for _ in range(MOST_PROPOSALS):
        if rng.random() < right:
            x = CUT + rng.standard_exponential() / (math.pi**2 / 8.0 + 0.5 * c * c)
        else:
            x = _left(rng, c)
        if _series_keeps(rng, x):
            return max(0.25 * x, SMALLEST)
    return math.nan


@jit
def draw_polya_gamma_vector(rng: np.random.Generator, z: Array, out: Array) -> None:
    """Fill out with one draw of PG(1, z_k) for each entry of z: both of shape (m,)."""
    for k in range(z.size):
        out[k] = draw_polya_gamma(rng, z[k])
