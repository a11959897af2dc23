"""A user in one dimension with two favourites, one of which lies where nothing is known well.

f(x) = sum_i a_i exp(-((x - c_i) / w_i)^2 / 2), three hills of height a_i at c_i, for x in [0, 1]. The hill at 0.78 is a
little higher than the one at 0.25, and the anchors are all around the lower one. So the best design is at 0.78, and
the best one after a penalty on noise at 0.25: a method that avoids risk and one that does not part here.
"""

import numpy as np

from anchorpbo.numerics.validation import freeze
from anchorpbo.problems.base import Problem
from anchorpbo.typing import Array

_HEIGHTS = np.array([2.8, 1.2, 3.0])
_CENTRES = np.array([0.25, 0.52, 0.78])
_WIDTHS = np.array([0.1, 0.06, 0.08])


def _toy(X: Array) -> Array:
    return np.asarray(np.exp(-0.5 * ((X - _CENTRES) / _WIDTHS) ** 2) @ _HEIGHTS)


TOY = Problem("toy", 1, _toy, np.array([0.7799842658330765]), maximum=3.0001026618075546, minimum=0.06838254265256087)
"""Two hills of nearly the same height and a low one between them; the worst design is at 1."""

TOY_ANCHORS = freeze(np.array([[0.12], [0.2], [0.27], [0.35]]))
"""Designs that the user knows well, (4, 1): around the lower of the two high hills."""
