"""Exact random variates by rejection: truncated normal, modified half-normal and Polya-Gamma.

No distribution function is inverted, so no precision is lost in the tails. Each distribution has a section below with
its formulas.

References
----------
[Robert1995] C. P. Robert. Simulation of truncated normal variables. Statistics and Computing 5, 121-125, 1995.
[LiuSabatti2000] J. S. Liu and C. Sabatti. Generalised Gibbs sampler and multigrid Monte Carlo for Bayesian computation.
    Biometrika 87, 353-369, 2000.
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

MAX_PROPOSALS = 1000
"""Maximal number of proposals. At least one in three is accepted, so all are rejected only if none can be."""

# -- truncated normal -------------------------------------------------------------------------------------------------
#
#     draw_above(a)       x ~ N(0, 1) given x > a
#     draw_between(a, b)  x ~ N(0, 1) given a < x < b
#
# Proposals and their acceptance rates:
#
#     a <= 0         propose N(0, 1)                               accepts Phi(-a) >= 0.5
#     0 < a < 0.35   propose |N(0, 1)|                             accepts 2 Phi(-a) >= 0.72
#     a >= 0.35      propose a + E / r, r = (a + sqrt(a^2 + 4)) / 2, E exponential,
#                    and keep it with probability exp(-(x - r)^2 / 2)
#                                                                  accepts 0.81, rising to 1       [Robert1995]
#     narrow (a, b)  propose a uniform on [a, b], and keep it with probability phi(x) / max phi
#                                                                  accepts 0.49 or more
#
# An interval is narrow when the normal density changes little over it: for a >= 0, when (b^2 - a^2) / 2 <= 1; around 0,
# when b - a <= sqrt(2 pi). For a wider interval, one-sided draws are repeated until one falls below b. For a >= 0 that
# has probability 1 - 1/e or more, as P(x > b | x > a) <= exp(-(b^2 - a^2) / 2); around 0, a proposal lies within both
# bounds with probability 0.49 or more. Intervals below 0 are mirrored.

TAIL = 0.35  # above this the exponential proposal is faster than the folded normal (measured; the optimum is flat)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


@jit
def draw_above(rng: np.random.Generator, a: float) -> float:
    """Draw one standard normal given that it exceeds a; return NaN if a is NaN or all proposals are rejected."""
    if math.isnan(a):
        return a
    if a < TAIL:
        folded = a > 0.0
        for _ in range(MAX_PROPOSALS):
            x = rng.standard_normal()
            if folded:
                x = abs(x)
            if x >= a:
                return x
        return math.nan
    rate = 0.5 * (a + math.sqrt(a * a + 4.0))
    gap = 1.0 / rate  # equals rate - a, without the cancellation
    for _ in range(MAX_PROPOSALS):
        excess = rng.standard_exponential() / rate
        if (excess - gap) ** 2 <= 2.0 * rng.standard_exponential():
            return a + excess
    return math.nan


@jit
def _draw_between_positive(rng: np.random.Generator, a: float, b: float) -> float:
    """Draw one standard normal between a < b, where b > 0; a may be negative."""
    width = b - a
    inside = a < 0.0
    if (width > _SQRT_2PI) if inside else (width * (0.5 * a + 0.5 * b) > 1.0):
        for _ in range(MAX_PROPOSALS):
            x = draw_above(rng, a)
            if x <= b:
                return x
        return math.nan
    for _ in range(MAX_PROPOSALS):
        step = width * rng.random()
        # The loss of log density from its maximum, at a or at 0, to x = a + step.
        loss = 0.5 * (a + step) ** 2 if inside else step * (a + 0.5 * step)
        if loss <= rng.standard_exponential():
            return min(a + step, b)  # the sum may round past b
    return math.nan


@jit
def draw_between(rng: np.random.Generator, a: float, b: float) -> float:
    """Draw one standard normal given that it lies between a and b.

    Returns a when a equals b, and NaN for an empty interval or a NaN bound.
    """
    if not a < b:
        return a if a == b else math.nan
    if b <= 0.0:
        return -_draw_between_positive(rng, -b, -a)
    return _draw_between_positive(rng, a, b)


# -- modified half-normal ----------------------------------------------------------------------------------------------
#
# Density of c > 0, for A > 0 and k >= 1, up to a constant:   c^(k-1) exp(-A c^2 / 2 - B c)
#
# This is the distribution of the scale c when t + c w is drawn from N(0, Q^-1) along a ray, for a vector w of k
# coordinates, with A = w'Qw and B = w'Qt. The factor c^(k-1) is the Jacobian of the scaling [LiuSabatti2000].
#
# Let c_0 be the root of A c^2 + B c = k, which is the mode of log c. For a simple proposal, one term of the log density
# is replaced by its tangent at c_0:
#
#    B c_0 <= k / 4   log c       propose N(((k - 1) / c_0 - B) / A, 1 / A), keep with (r e^(1 - r))^(k-1), r = c / c_0
#    else             A c^2 / 2   propose c_0 Gamma(k) / k, keep with exp(-A (c - c_0)^2 / 2)
#
# At least a third of the proposals are kept for all A, B and k. The switch between the two is not at B = 0, since that
# value is common and rounding would then decide which proposal is used.


@jit
def draw_modified_half_normal(rng: np.random.Generator, k: int, A: float, B: float) -> float:
    """Draw one c; return NaN if an argument is NaN or if rounding leaves no proposal to accept."""
    root = math.sqrt(B * B + 4.0 * A * k)
    mode = 2.0 * k / (B + root) if B > 0.0 else 0.5 * (root - B) / A  # the form without cancellation
    if 4.0 * B * mode > k:
        for _ in range(MAX_PROPOSALS):
            c = mode * rng.standard_gamma(k) / k
            if not 0.5 * A * (c - mode) ** 2 > rng.standard_exponential():
                return c
        return math.nan
    mean, std = ((k - 1) / mode - B) / A, 1.0 / math.sqrt(A)
    for _ in range(MAX_PROPOSALS):
        c = mean + std * rng.standard_normal()
        if c > 0.0 or math.isnan(c):
            r = c / mode
            if not (k - 1) * (r - 1.0 - math.log(r)) > rng.standard_exponential():
                return c
    return math.nan


# -- Polya-Gamma PG(1, z) ----------------------------------------------------------------------------------------------
#
#     w ~ PG(1, z)   E w = tanh(z / 2) / (2 z),   E exp(-s w) = cosh(z / 2) / cosh(sqrt((z^2 / 2 + s) / 2))
#
# As in [PSW2013], w = x / 4 where x has, with c = |z| / 2, a density proportional to exp(-c^2 x / 2) times a series
# a_0(x) - a_1(x) + a_2(x) - ... with decreasing terms. Relative to the first term, with t = 0.64,
#
#     a_n(x) / a_0(x) = (2 n + 1) exp(-2 n (n + 1) / x)         for x <= t
#                       (2 n + 1) exp(-n (n + 1) pi^2 x / 2)    for x > t
#
# and neither can overflow. The first term is the proposal: an inverse Gaussian IG(1 / c, 1) truncated to (0, t], or t
# plus an exponential of rate k = pi^2 / 8 + c^2 / 2. The odds of the former against the latter are
#
#     (4 k / pi) exp(pi^2 t / 8 - 1 / (2 t)) (exp(u^2 / 2) Phi(u) + exp(v^2 / 2) Phi(-v)),   u, v = (c t -+ 1) / sqrt(t)
#
# A proposal x is accepted when a uniform variable lies below the series, which its partial sums bracket. Fewer than
# 1.001 proposals are needed on average for every z.

CUT = 0.64
_ROOT_CUT = 0.8
_ODDS_FACTOR = 4.0 / math.pi * math.exp(math.pi**2 * CUT / 8.0 - 0.5 / CUT)
_NEVER_RIGHT = 30.0  # above this c the odds exceed 1e110, far beyond the resolution of a uniform variable
_MAX_TERMS = 100  # of the series; its second term is usually below rounding
_MIN_DRAW = 2.3e-308  # a normal float whose reciprocal is finite


@jit
def _chance_of_right(c: float) -> float:
    """Return the probability that a proposal lies above the cut."""
    if c > _NEVER_RIGHT:
        return 0.0
    rate = math.pi**2 / 8.0 + 0.5 * c * c
    u, v = (c * CUT - 1.0) / _ROOT_CUT, (c * CUT + 1.0) / _ROOT_CUT
    left = 0.5 * math.exp(0.5 * u * u) * math.erfc(-u * math.sqrt(0.5))
    left += 0.5 * math.exp(0.5 * v * v) * math.erfc(v * math.sqrt(0.5))
    return 1.0 / (1.0 + rate * _ODDS_FACTOR * left)


@jit
def _draw_left(rng: np.random.Generator, c: float) -> float:
    """Draw an inverse Gaussian IG(1 / c, 1) given that it is at most the cut."""
    if c * CUT < 1.0:
        # At c = 0 this is 1 / N(0, 1)^2, and x <= t means that the normal exceeds 1 / sqrt(t); then tilt.
        for _ in range(MAX_PROPOSALS):
            root = draw_above(rng, 1.0 / _ROOT_CUT)
            x = 1.0 / (root * root)
            if 0.5 * c * c * x <= rng.standard_exponential():
                return x
        return math.nan
    for _ in range(MAX_PROPOSALS):
        # The two roots of [MSH1976] are mean / r and mean r; this form does not cancel when the mean is tiny.
        h = 0.5 * rng.standard_normal() ** 2 / c
        r = 1.0 + h + math.sqrt(h * (2.0 + h))
        x = 1.0 / (c * r) if rng.random() * (1.0 + r) <= r else r / c
        if x <= CUT:
            return x
    return math.nan


@jit
def _series_keeps(rng: np.random.Generator, x: float) -> bool:
    """Return true with probability (a_0 - a_1 + a_2 - ...)(x) / a_0(x)."""
    slope = 2.0 / x if x <= CUT else 0.5 * math.pi**2 * x
    level, total = rng.random(), 1.0
    for n in range(1, _MAX_TERMS):
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
    """Draw one w ~ PG(1, z): positive and finite, the same for z and -z; return NaN if z is NaN."""
    if math.isnan(z):
        return z
    c = 0.5 * abs(z)
    right = _chance_of_right(c)
    for _ in range(MAX_PROPOSALS):
        if rng.random() < right:
            x = CUT + rng.standard_exponential() / (math.pi**2 / 8.0 + 0.5 * c * c)
        else:
            x = _draw_left(rng, c)
        if _series_keeps(rng, x):
            return max(0.25 * x, _MIN_DRAW)
    return math.nan
