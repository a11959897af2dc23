"""The function of Styblinski and Tang, turned upside down so that larger is better.

f(x) = -sum_c (x_c^4 - 16 x_c^2 + 5 x_c) / 2, for x in [-5, 5]^d.
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array


def _styblinski_tang(X: Array) -> Array:
    return np.asarray(-(X**4 - 16.0 * X**2 + 5.0 * X).sum(axis=1) / 2.0)


STYBLINSKI_TANG5 = Problem.on_box(
    "styblinski_tang5",
    _styblinski_tang,
    [[-5.0, 5.0]] * 5,
    optimum=np.full(5, -2.903534027771177),
    maximum=195.83082851885708,
    minimum=-625.0,
)
"""Two hills a coordinate, so 32 in five dimensions, of which one is best; the corner (5, ..., 5) is worst."""
