"""The six-hump camel, turned upside down so that larger is better.

f(x) = -(4 - 2.1 x_1^2 + x_1^4 / 3) x_1^2 - x_1 x_2 - (4 x_2^2 - 4) x_2^2, for x_1 in [-3, 3] and x_2 in [-2, 2].
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array


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
"""Six humps, of which two are best, since f(x) = f(-x); the worst designs are the corners (3, 2) and (-3, -2)."""
