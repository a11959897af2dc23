"""Hartmann's functions, turned upside down so that larger is better.

f(x) = sum_i alpha_i exp(-sum_c A_ic (x_c - P_ic)^2), a sum of four bumps on the unit cube: bump i has height alpha_i,
its centre at P_i, and falls off along coordinate c at the rate A_ic.

In four dimensions it is the form rescaled to a mean of about 0 and a variance of about 1 by Picheny, Wagner and
Ginsbourger (2013, "A benchmark of kriging-based infill criteria for noisy optimization"), who minimise
(1.1 - f) / 0.839: here (f - 1.1) / 0.839, with the first four columns of the A and P of six dimensions.
"""

from functools import partial

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array

_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A3 = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
_P3 = 1e-4 * np.array(
    [[3689.0, 1170.0, 2673.0], [4699.0, 4387.0, 7470.0], [1091.0, 8732.0, 5547.0], [381.0, 5743.0, 8828.0]]
)
_A6 = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_P6 = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)


def _hartmann(A: Array, P: Array, X: Array) -> Array:
    squares = (A * (X[:, None, :] - P) ** 2).sum(axis=2)
    return np.asarray(np.exp(-squares) @ _ALPHA)


def _hartmann4(X: Array) -> Array:
    return (_hartmann(_A6[:, :4], _P6[:, :4], X) - 1.1) / 0.839


HARTMANN3 = Problem(
    "hartmann3",
    3,
    partial(_hartmann, _A3, _P3),
    np.array([0.114614, 0.555649, 0.852547]),
    maximum=3.8627797873326625,
    minimum=3.772718514162667e-05,
)
"""Four bumps in three dimensions."""

HARTMANN4 = Problem(
    "hartmann4",
    4,
    _hartmann4,
    np.array([0.187395272973, 0.194151529302, 0.557917780063, 0.26477962417]),
    maximum=3.134494141222399,
    minimum=-1.3095406214559708,
)
"""Four bumps in four dimensions, rescaled."""

HARTMANN6 = Problem(
    "hartmann6",
    6,
    partial(_hartmann, _A6, _P6),
    np.array([0.201689511007, 0.150010691823, 0.476873974222, 0.275332430494, 0.3116516166, 0.657300534066]),
    maximum=3.3223680114155148,
    minimum=2.8124505439686514e-08,
)
"""Four bumps in six dimensions; the second best one reaches 3.2032."""
