"""Branin's function, turned upside down so that larger is better.

f(x) = -(x_2 - b x_1^2 + c x_1 - 6)^2 - 10 (1 - t) cos(x_1) - 10, with b = 5.1 / (4 pi^2), c = 5 / pi and
t = 1 / (8 pi), for x_1 in [-5, 10] and x_2 in [0, 15].
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array


def _branin(X: Array) -> Array:
    x1, x2 = X.T
    valley = x2 - 5.1 / (4.0 * np.pi**2) * x1**2 + 5.0 / np.pi * x1 - 6.0
    return np.asarray(-(valley**2) - 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x1) - 10.0)


BRANIN = Problem.on_box(
    "branin",
    _branin,
    [[-5.0, 10.0], [0.0, 15.0]],
    optimum=[np.pi, 2.275],
    maximum=-5.0 / (4.0 * np.pi),
    minimum=-308.12909601160663,
)
"""A curved ridge with three best designs, at x = (-pi, 12.275), (pi, 2.275) and (3 pi, 2.475)."""
