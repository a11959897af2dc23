"""Rosenbrock's function, turned upside down so that larger is better.

f(x) = -sum_{c < d} (100 (x_{c+1} - x_c^2)^2 + (1 - x_c)^2), for x in De Jong's domain, [-2.048, 2.048]^d.
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array


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
"""A narrow curved ridge in three dimensions; the worst design is the corner of the lower ends."""
