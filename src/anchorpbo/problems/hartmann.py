"""Hartmann's functions, turned upside down so that larger is better.

f(x) = sum_i alpha_i exp(-sum_c A_ic (x_c - P_ic)^2)
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array

_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A3 = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
_P3 = 1e-4 * np.array(
    [[3689.0, 1170.0, 2673.0], [4699.0, 4387.0, 7470.0], [1091.0, 8732.0, 5547.0], [381.0, 5743.0, 8828.0]]
)


def _hartmann3(X: Array) -> Array:
    squares = (_A3 * (X[:, None, :] - _P3) ** 2).sum(axis=2)
    return np.asarray(np.exp(-squares) @ _ALPHA)


HARTMANN3 = Problem("hartmann3", 3, _hartmann3, np.array([0.114614, 0.555649, 0.852547]), 3.86278)
"""Four bumps in three dimensions."""
