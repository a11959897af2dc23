"""Synthetic test functions on the unit cube, negated if the original is minimised, so that larger is better.

Each section opens with its formula; domains other than the unit cube are scaled to it.
"""

import math
from functools import partial

import numpy as np

from anchorpbo.numerics.validation import as_integer, freeze
from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array

# -- Branin -----------------------------------------------------------------------------------------------------------
#
# f(x) = -(x_2 - b x_1^2 + c x_1 - 6)^2 - 10 (1 - t) cos(x_1) - 10, with b = 5.1 / (4 pi^2), c = 5 / pi and
# t = 1 / (8 pi), for x_1 in [-5, 10] and x_2 in [0, 15].


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


# -- six-hump camel ---------------------------------------------------------------------------------------------------
#
# f(x) = -(4 - 2.1 x_1^2 + x_1^4 / 3) x_1^2 - x_1 x_2 - (4 x_2^2 - 4) x_2^2, for x_1 in [-3, 3] and x_2 in [-2, 2].


def _six_hump_camel(X: Array) -> Array:
    x1, x2 = X.T
    return np.asarray(-(4.0 - 2.1 * x1**2 + x1**4 / 3.0) * x1**2 - x1 * x2 - (4.0 * x2**2 - 4.0) * x2**2)


SIX_HUMP_CAMEL = Problem.on_box(
    "six_hump_camel",
    _six_hump_camel,
    [[-3.0, 3.0], [-2.0, 2.0]],
    optimum=[0.0898420131003181, -0.71265640302074],
    maximum=1.0316284534898774,
    minimum=-162.9,
)
"""Six humps with two best designs, since f(x) = f(-x); the worst designs are the corners (3, 2) and (-3, -2)."""


# -- Hartmann ---------------------------------------------------------------------------------------------------------
#
# f(x) = sum_i alpha_i exp(-sum_c A_ic (x_c - P_ic)^2), a sum of four bumps on the unit cube: bump i has height alpha_i,
# its centre at P_i, and falls off along coordinate c at the rate A_ic.
#
# The four-dimensional form is rescaled to a mean of about 0 and a variance of about 1 by Picheny, Wagner and
# Ginsbourger (2013, "A benchmark of kriging-based infill criteria for noisy optimization"), who minimise
# (1.1 - f) / 0.839. Here it is (f - 1.1) / 0.839, with the first four columns of the six-dimensional A and P.

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


# -- Rosenbrock -------------------------------------------------------------------------------------------------------
#
# f(x) = -sum_{c < d} (100 (x_{c+1} - x_c^2)^2 + (1 - x_c)^2), for x in De Jong's domain, [-2.048, 2.048]^d.


def _rosenbrock(X: Array) -> Array:
    here, following = X[:, :-1], X[:, 1:]
    return np.asarray(-(100.0 * (following - here**2) ** 2 + (1.0 - here) ** 2).sum(axis=1))


ROSENBROCK3 = Problem.on_box(
    "rosenbrock3",
    _rosenbrock,
    [[-2.048, 2.048]] * 3,
    optimum=np.ones(3),
    maximum=0.0,
    minimum=-7811.852453683199,
)
"""A narrow curved ridge in three dimensions; the worst design is the corner of the lower bounds."""


# -- Levy -------------------------------------------------------------------------------------------------------------
#
# With w_c = 1 + (x_c - 1) / 4 and x in [-10, 10]^d,
#
# f(x) = -sin(pi w_1)^2 - sum_{c < d} (w_c - 1)^2 (1 + 10 sin(pi w_c + 1)^2) - (w_d - 1)^2 (1 + sin(2 pi w_d)^2)


def _levy(X: Array) -> Array:
    W = 1.0 + (X - 1.0) / 4.0
    first, most, last = W[:, 0], W[:, :-1], W[:, -1]
    waves = (most - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * most + 1.0) ** 2)
    end = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.asarray(-(np.sin(np.pi * first) ** 2) - waves.sum(axis=1) - end)


LEVY4 = Problem.on_box(
    "levy4", _levy, [[-10.0, 10.0]] * 4, optimum=np.ones(4), maximum=0.0, minimum=-254.89842685553828
)
"""Waves on a bowl in four dimensions; the worst design is the corner of the lower bounds."""


# -- Styblinski and Tang ----------------------------------------------------------------------------------------------
#
# f(x) = -sum_c (x_c^4 - 16 x_c^2 + 5 x_c) / 2, for x in [-5, 5]^d.


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
"""Two hills per coordinate, so 32 in five dimensions; one of them is best, and the corner (5, ..., 5) is worst."""


# -- Ackley -----------------------------------------------------------------------------------------------------------
#
# f(x) = 20 exp(-r / 5) + exp(m) - 20 - e, with r = sqrt(sum_c x_c^2 / d) the distance from the middle and
# m = sum_c cos(2 pi x_c) / d the waves, for x in [-32.768, 32.768]^d.

# All coordinates of the worst designs have the same absolute value, just above 32.5, where the cosine is -1. So r, m
# and the smallest utility are the same in any dimension.
_ACKLEY_MINIMUM = -22.320334848401284


def _ackley(X: Array) -> Array:
    distance = np.sqrt((X**2).mean(axis=1))
    waves = np.cos(2.0 * np.pi * X).mean(axis=1)
    # expm1 keeps the best value at exactly 0
    return np.asarray(20.0 * np.expm1(-distance / 5.0) + math.e * np.expm1(waves - 1.0))


def ackley(dimension: int) -> Problem:
    """Return Ackley's function in `dimension` dimensions: one best design, in the cube's centre, and many waves."""
    d = as_integer("dimension", dimension, minimum=1)
    return Problem.on_box(
        f"ackley{d}", _ackley, [[-32.768, 32.768]] * d, optimum=np.zeros(d), maximum=0.0, minimum=_ACKLEY_MINIMUM
    )


ACKLEY6 = ackley(6)
"""Ackley's function in six dimensions."""


# -- the toy problem --------------------------------------------------------------------------------------------------
#
# A utility in one dimension with two high hills, one of them far from all anchors.
#
# f(x) = sum_i a_i exp(-((x - c_i) / w_i)^2 / 2), three hills of height a_i at c_i, for x in [0, 1]. The hill at 0.78 is
# a little higher than the one at 0.25, and all anchors are around the lower one. So the best design is at 0.78, and the
# best one after a penalty on noise is at 0.25: risk-averse and risk-neutral methods give different results here.

_TOY_HEIGHTS = np.array([2.8, 1.2, 3.0])
_TOY_CENTRES = np.array([0.25, 0.52, 0.78])
_TOY_WIDTHS = np.array([0.1, 0.06, 0.08])


def _toy(X: Array) -> Array:
    return np.asarray(np.exp(-0.5 * ((X - _TOY_CENTRES) / _TOY_WIDTHS) ** 2) @ _TOY_HEIGHTS)


TOY = Problem("toy", 1, _toy, np.array([0.7799842658330765]), maximum=3.0001026618075546, minimum=0.06838254265256087)
"""Two hills of nearly the same height and a low one between them; the worst design is at 1."""

TOY_ANCHORS = freeze(np.array([[0.12], [0.2], [0.27], [0.35]]))
"""Designs that the user knows well, (4, 1): around the lower of the two high hills."""
