"""Levy's function, turned upside down so that larger is better.

With w_c = 1 + (x_c - 1) / 4 and x in [-10, 10]^d,

f(x) = -sin(pi w_1)^2 - sum_{c < d} (w_c - 1)^2 (1 + 10 sin(pi w_c + 1)^2) - (w_d - 1)^2 (1 + sin(2 pi w_d)^2)
"""

import numpy as np

from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array


def _levy(X: Array) -> Array:
    W = 1.0 + (X - 1.0) / 4.0
    first, most, last = W[:, 0], W[:, :-1], W[:, -1]
    waves = (most - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * most + 1.0) ** 2)
    end = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.asarray(-(np.sin(np.pi * first) ** 2) - waves.sum(axis=1) - end)


LEVY4 = Problem.on_box(
    "levy4", _levy, [[-10.0, 10.0]] * 4, optimum=np.ones(4), maximum=0.0, minimum=-254.89842685553828
)
"""Waves on a bowl in four dimensions; the worst design is the corner of the lower ends."""
