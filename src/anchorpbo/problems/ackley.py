"""Ackley's function, turned upside down so that larger is better.

f(x) = 20 exp(-r / 5) + exp(m) - 20 - e, with r = sqrt(sum_c x_c^2 / d) the distance from the middle and
m = sum_c cos(2 pi x_c) / d the waves, for x in [-32.768, 32.768]^d.
"""

import math

import numpy as np

from anchorpbo.numerics.validation import as_integer
from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array

# All coordinates of the worst designs are equally far out, just above 32.5 where the cosine is -1; so r and m, and with
# them the smallest utility, are the same in any dimension.
_MINIMUM = -22.320334848401284


def _ackley(X: Array) -> Array:
    distance = np.sqrt((X**2).mean(axis=1))
    waves = np.cos(2.0 * np.pi * X).mean(axis=1)
    # expm1 keeps the best value at exactly 0
    return np.asarray(20.0 * np.expm1(-distance / 5.0) + math.e * np.expm1(waves - 1.0))


def ackley(dimension: int) -> Problem:
    """Ackley's function in so many dimensions: one best design, in the middle of the cube, among many waves."""
    d = as_integer("dimension", dimension, minimum=1)
    return Problem.on_box(
        f"ackley{d}", _ackley, [[-32.768, 32.768]] * d, optimum=np.zeros(d), maximum=0.0, minimum=_MINIMUM
    )


ACKLEY6 = ackley(6)
"""In six dimensions."""
