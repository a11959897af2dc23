"""The shapes of the stationary kernels, compiled: value and derivative in r^2, see `anchorpbo.kernels.stationary`.

::

    RBF         exp(-r^2 / 2)                                  -1/2 exp(-r^2 / 2)
    MATERN_32   (1 + a) exp(-a),             a = sqrt(3) r     -3/2 exp(-a)
    MATERN_52   (1 + a + a^2 / 3) exp(-a),   a = sqrt(5) r     -5/6 (1 + a) exp(-a)
"""

import math

from anchorpbo.numerics.exponential import exp_below_zero
from anchorpbo.numerics.jit import jit
from anchorpbo.typing import Array

RBF, MATERN_32, MATERN_52 = 0, 1, 2
"""Names of the shapes in compiled code."""


@jit
def shapes_in_place(r2: Array, slopes: Array, scratch: Array, family: int) -> None:
    """Replace squared distances, (n,), by the shape there, and fill `slopes` with its derivative."""
    rate = 3.0 if family == MATERN_32 else 5.0
    for j in range(len(r2)):
        slopes[j] = 0.0 if family == RBF else math.sqrt(rate * r2[j])
        r2[j] = -0.5 * r2[j] if family == RBF else -slopes[j]
    exp_below_zero(r2, scratch)
    for j in range(len(r2)):
        a, e = slopes[j], r2[j]
        if family == RBF:
            slopes[j] = -0.5 * e
        elif family == MATERN_32:
            r2[j], slopes[j] = (1.0 + a) * e, -1.5 * e
        else:
            r2[j], slopes[j] = (1.0 + a + a * a / 3.0) * e, -5.0 / 6.0 * (1.0 + a) * e
