"""Formulas of the docstrings, one design at a time without numpy, and values known from the literature."""

from math import cos, e, exp, pi, sin, sqrt

import numpy as np
import pytest

from anchorpbo.problems import PROBLEMS, ackley

# The boxes of the literature, stated again here so that a wrong one in the library is found.
BOXES = {
    "branin": [(-5, 10), (0, 15)],
    "six_hump_camel": [(-3, 3), (-2, 2)],
    "hartmann3": [(0, 1)] * 3,
    "hartmann4": [(0, 1)] * 4,
    "hartmann6": [(0, 1)] * 6,
    "levy4": [(-10, 10)] * 4,
    "styblinski_tang5": [(-5, 5)] * 5,
    "rosenbrock3": [(-2.048, 2.048)] * 3,
    "ackley6": [(-32.768, 32.768)] * 6,
}

# Rows alpha | A | P of Hartmann's functions, as in Surjanovic and Bingham's library of simulation experiments.
ROWS3 = [
    (1.0, (3, 10, 30), (0.3689, 0.1170, 0.2673)),
    (1.2, (0.1, 10, 35), (0.4699, 0.4387, 0.7470)),
    (3.0, (3, 10, 30), (0.1091, 0.8732, 0.5547)),
    (3.2, (0.1, 10, 35), (0.0381, 0.5743, 0.8828)),
]
ROWS6 = [
    (1.0, (10, 3, 17, 3.50, 1.7, 8), (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886)),
    (1.2, (0.05, 10, 17, 0.1, 8, 14), (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991)),
    (3.0, (3, 3.5, 1.7, 10, 17, 8), (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650)),
    (3.2, (17, 8, 0.05, 10, 0.1, 14), (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381)),
]


def bumps(x, rows):  # zip stops at the coordinates there are
    return sum(alpha * exp(-sum(a * (z - p) ** 2 for z, a, p in zip(x, A, P, strict=False))) for alpha, A, P in rows)


def branin(x):
    b, c, t = 5.1 / (4 * pi**2), 5 / pi, 1 / (8 * pi)
    return -((x[1] - b * x[0] ** 2 + c * x[0] - 6) ** 2) - 10 * (1 - t) * cos(x[0]) - 10


def six_hump_camel(x):
    return -(4 * x[0] ** 2 - 2.1 * x[0] ** 4 + x[0] ** 6 / 3 + x[0] * x[1] - 4 * x[1] ** 2 + 4 * x[1] ** 4)


def levy(x):
    w = [1 + (z - 1) / 4 for z in x]
    total = sin(pi * w[0]) ** 2 + (w[-1] - 1) ** 2 * (1 + sin(2 * pi * w[-1]) ** 2)
    return -total - sum((v - 1) ** 2 * (1 + 10 * sin(pi * v + 1) ** 2) for v in w[:-1])


def rosenbrock(x):
    return -sum(100 * (x[c + 1] - x[c] ** 2) ** 2 + (1 - x[c]) ** 2 for c in range(len(x) - 1))


def naive_ackley(x):
    r, m = sqrt(sum(z * z for z in x) / len(x)), sum(cos(2 * pi * z) for z in x) / len(x)
    return 20 * exp(-0.2 * r) + exp(m) - 20 - e


NAIVE = {
    "branin": branin,
    "six_hump_camel": six_hump_camel,
    "hartmann3": lambda x: bumps(x, ROWS3),
    "hartmann4": lambda x: (bumps(x, ROWS6) - 1.1) / 0.839,
    "hartmann6": lambda x: bumps(x, ROWS6),
    "levy4": levy,
    "styblinski_tang5": lambda x: -sum(z**4 - 16 * z**2 + 5 * z for z in x) / 2,
    "rosenbrock3": rosenbrock,
    "ackley6": naive_ackley,
}

# Designs and utilities as printed in the literature, with the digits printed there.
KNOWN = [
    ("branin", (-pi, 12.275), -0.397887, 1e-6),
    ("branin", (pi, 2.275), -0.397887, 1e-6),
    ("branin", (9.42478, 2.475), -0.397887, 1e-6),
    ("branin", (0, 0), -55.6021, 1e-4),
    ("six_hump_camel", (0.0898, -0.7126), 1.0316, 5e-5),
    ("six_hump_camel", (-0.0898, 0.7126), 1.0316, 5e-5),
    ("hartmann3", (0.114614, 0.555649, 0.852547), 3.86278, 1e-6),
    ("hartmann4", (0.1874, 0.1942, 0.5579, 0.2648), 3.134494, 1e-6),
    ("hartmann6", (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573), 3.32237, 5e-6),
    ("levy4", (1, 1, 1, 1), 0.0, 1e-12),
    ("styblinski_tang5", (-2.903534,) * 5, 5 * 39.16617, 5e-5),
    ("rosenbrock3", (1, 1, 1), 0.0, 1e-12),
    ("rosenbrock3", (-2.048,) * 3, 2 * -3905.926227, 2e-6),  # twice De Jong's in two dimensions
    ("ackley6", (0,) * 6, 0.0, 1e-12),
    ("ackley6", (1,) * 6, -3.625385, 1e-6),
]


def in_cube(name, x):
    lower, upper = np.array(BOXES[name], float).T
    return (np.asarray(x) - lower) / (upper - lower)


def test_every_problem_has_its_formula_here():
    assert set(NAIVE) == set(BOXES) == set(PROBLEMS)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_utility_is_the_formula(name):
    problem = PROBLEMS[name]
    X = np.random.default_rng(0).random((50, problem.dimension))
    lower, upper = np.array(BOXES[name], float).T
    expected = [NAIVE[name](x) for x in (lower + X * (upper - lower)).tolist()]
    np.testing.assert_allclose(problem(X), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("name", "x", "utility", "digits"), KNOWN)
def test_known_designs_have_their_known_utility(name, x, utility, digits):
    assert PROBLEMS[name]([in_cube(name, x)])[0] == pytest.approx(utility, abs=digits)


@pytest.mark.parametrize("dimension", [1, 2, 11])
def test_ackley_is_the_formula_in_any_dimension(dimension):
    problem = ackley(dimension)
    assert problem.name == f"ackley{dimension}"
    X = np.random.default_rng(1).random((20, dimension))
    expected = [naive_ackley(x) for x in (65.536 * X - 32.768).tolist()]
    np.testing.assert_allclose(problem(X), expected, rtol=1e-10)
