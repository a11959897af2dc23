"""Exact draws from a standard normal cut to a half-line or to an interval.

    draw_above(a)       x ~ N(0, 1) given x > a
    draw_between(a, b)  x ~ N(0, 1) given a < x < b

Every draw is by rejection, so that nothing is inverted and nothing is lost in a tail:

    a <= 0         propose N(0, 1)                               accepts Phi(-a) >= 0.5
    0 < a < 0.35   propose |N(0, 1)|                             accepts 2 Phi(-a) >= 0.72
    a >= 0.35      propose a + E / r, r = (a + sqrt(a^2 + 4)) / 2, E exponential,
                   and keep it with probability exp(-(x - r)^2 / 2)
                                                                 accepts 0.81, rising to 1       [Robert1995]
    narrow (a, b)  propose a uniform on [a, b], and keep it with probability phi(x) / max phi
                                                                 accepts 0.49 or more

An interval is narrow when the normal density changes little over it: for a >= 0, when (b^2 - a^2) / 2 <= 1; around 0,
when b - a <= sqrt(2 pi). A wider one is a one-sided draw, repeated until it falls below b. For a >= 0 that happens with
probability 1 - 1/e or more, as P(x > b | x > a) <= exp(-(b^2 - a^2) / 2); around 0, a proposal passes both bounds with
probability 0.49 or more. Intervals below 0 are mirrored.

References
----------
[Robert1995] C. P. Robert. Simulation of truncated normal variables. Statistics and Computing 5, 121-125, 1995.
"""

import math

import numpy as np

from anchorpbo.numerics.jit import jit
from anchorpbo.typing import Array

TAIL = 0.35  # where the exponential proposal overtakes the folded normal: measured, and flat around there
SQRT_2PI = math.sqrt(2.0 * math.pi)
MOST_PROPOSALS = 1000  # one in two is kept: all of so many are rejected only where there is nothing to keep


@jit
def draw_above(rng: np.random.Generator, a: float) -> float:
    """Draw one standard normal given that it exceeds a; NaN for NaN, and where all proposals are rejected."""
    if math.isnan(a):
        return a
    if a < TAIL:
        folded = a > 0.0
        for _ in range(MOST_PROPOSALS):
            x = rng.standard_normal()
            if folded:
                x = abs(x)
            if x >= a:
                return x
        return math.nan
    rate = 0.5 * (a + math.sqrt(a * a + 4.0))
    gap = 1.0 / rate  # equals rate - a, without the cancellation
    for _ in range(MOST_PROPOSALS):
        excess = rng.standard_exponential() / rate
        if (excess - gap) ** 2 <= 2.0 * rng.standard_exponential():
            return a + excess
    return math.nan


@jit
def _between(rng: np.random.Generator, a: float, b: float) -> float:
    """Draw between a < b, where b > 0 and thus only a may lie below 0."""
    width = b - a
    inside = a < 0.0
    if (width > SQRT_2PI) if inside else (width * (0.5 * a + 0.5 * b) > 1.0):
        for _ in range(MOST_PROPOSALS):
            x = draw_above(rng, a)
            if x <= b:
                return x
        return math.nan
    for _ in range(MOST_PROPOSALS):
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
        return -_between(rng, -b, -a)
    return _between(rng, a, b)


@jit
def draws_above(rng: np.random.Generator, a: float, n: int) -> Array:
    """Draw n standard normals given that they exceed a: shape (n,)."""
    out = np.empty(n)
    for i in range(n):
        out[i] = draw_above(rng, a)
    return out


@jit
def draws_between(rng: np.random.Generator, a: float, b: float, n: int) -> Array:
    """Draw n standard normals given that they lie between a and b: shape (n,)."""
    out = np.empty(n)
    for i in range(n):
        out[i] = draw_between(rng, a, b)
    return out
