"""Exact draws of how far to stretch a vector under a Gaussian.

    draw_scale(k, A, B)   c > 0 of a density proportional to  c^(k-1) exp(-A c^2 / 2 - B c),   A > 0, k >= 1

It is what a vector w of k coordinates is to be multiplied by for t + c w to be a draw from N(0, Q^-1) along the ray,
with A = w'Qw and B = w'Qt: the factor c^(k-1) is the volume that stretching makes [LiuSabatti2000].

By rejection. With c_0 the root of A c^2 + B c = k, which is the mode of log c, the term that is in the way of a simple
proposal is replaced by its tangent at c_0:

    B c_0 <= k / 4   log c       propose N(((k - 1) / c_0 - B) / A, 1 / A), keep with (r exp(1 - r))^(k-1), r = c / c_0
    else             A c^2 / 2   propose c_0 Gamma(k) / k, keep with exp(-A (c - c_0)^2 / 2)

A third of the proposals are kept, or more, whatever A, B and k are. The border lies away from B = 0, which is common:
rounding must not decide what is drawn.

References
----------
[LiuSabatti2000] J. S. Liu and C. Sabatti. Generalised Gibbs sampler and multigrid Monte Carlo for Bayesian computation.
    Biometrika 87, 353-369, 2000.
"""

import math

import numpy as np

from anchorpbo.numerics.jit import jit

MOST_PROPOSALS = 1000  # a third of them are kept


@jit
def draw_scale(rng: np.random.Generator, k: int, A: float, B: float) -> float:
    """Draw one c; a NaN comes back as one, and where rounding leaves nothing to keep."""
    root = math.sqrt(B * B + 4.0 * A * k)
    mode = 2.0 * k / (B + root) if B > 0.0 else 0.5 * (root - B) / A  # the one that does not cancel
    if 4.0 * B * mode > k:
        for _ in range(MOST_PROPOSALS):
            c = mode * rng.standard_gamma(k) / k
            if not 0.5 * A * (c - mode) ** 2 > rng.standard_exponential():
                return c
        return math.nan
    mean, std = ((k - 1) / mode - B) / A, 1.0 / math.sqrt(A)
    for _ in range(MOST_PROPOSALS):
        c = mean + std * rng.standard_normal()
        if c > 0.0 or math.isnan(c):
            r = c / mode
            if not (k - 1) * (r - 1.0 - math.log(r)) > rng.standard_exponential():
                return c
    return math.nan
