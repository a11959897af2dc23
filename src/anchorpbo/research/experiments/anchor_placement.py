"""Placements of the simulated user's anchors; the paper only says "away from the optimum" on synthetic problems.

::

    away          around a centre drawn from the cube by the seed, at least MIN_DISTANCE from the optimum
    scattered     each drawn from the cube, at least MIN_DISTANCE from the optimum
    corner-101    around a corner of the cube, here (1, 0, 1)
    far           around the corner farthest from the optimum
    near          around the optimum
    own           the anchors of the data set: 13 sushi, 12 candies

"Around" means a normal distribution with standard deviation ANCHOR_SPREAD in each coordinate, reflected into the cube.
"""

from __future__ import annotations

import re
from itertools import product

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import Problem, candy_anchors, sushi_anchors
from anchorpbo.typing import Array

ANCHOR_SPREAD = 0.1
"""Standard deviation of synthetic anchors in each coordinate."""
DEFAULT_ANCHORS = 10
"""Default number of synthetic anchors."""
MIN_DISTANCE = 0.5
"""Smallest distance that counts as "away from the optimum": half the side of the cube."""

PLACEMENTS = ("away", "scattered", "far", "near", "own")
"""Names of placements; `list_corners` returns the names of the corners."""
_DATA_ANCHORS = {"sushi": sushi_anchors, "candy": candy_anchors}
_CORNER = re.compile(r"corner-([01]+)")


def place_anchors(problem: Problem, place: str, count: int, seed: int) -> Array:
    """Return the anchors of one run, (n, d): ``count`` drawn with its seed, or all anchors of the data set."""
    check_placement(place)
    if place == "own":
        if problem.name not in _DATA_ANCHORS:
            raise InputError("only data sets come with anchors", problem.name, 'use "away" or "near"')
        found = _DATA_ANCHORS[problem.name]()
        # Two candies have the same coordinates, and a study rejects duplicate anchors.
        return found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
    if place == "scattered":
        rng = np.random.default_rng([seed, 11])
        return np.array([_draw_away_from_optimum(problem, rng) for _ in range(count)])
    steps = ANCHOR_SPREAD * np.random.default_rng([seed, 7]).standard_normal((count, problem.dimension))
    return _reflect_into_cube(find_centre(problem, place, seed) + steps)


def find_centre(problem: Problem, place: str, seed: int) -> Array:
    """Return the centre, (d,), around which anchors are drawn."""
    if place == "away":
        return _draw_away_from_optimum(problem, np.random.default_rng([seed, 11]))
    if place == "near":
        return problem.optimum
    if place == "far":
        return np.where(problem.optimum < 0.5, 1.0, 0.0)
    corner = _CORNER.fullmatch(place)
    if corner is None or len(corner[1]) != problem.dimension:
        rule = f"a place with a centre must be away, near, far or a corner of {problem.dimension} coordinates"
        raise InputError(rule, place, f"write corner-{'0' * problem.dimension}")
    return np.array([float(bit) for bit in corner[1]])


def list_corners(dimension: int) -> list[str]:
    """Return the names of all corners of the cube."""
    return ["corner-" + "".join(bits) for bits in product("01", repeat=dimension)]


def check_placement(place: str) -> None:
    """Raise `InputError` if there is no placement of this name."""
    if place not in PLACEMENTS and not _CORNER.fullmatch(place):
        raise UnknownNameError.of("anchors", place, (*PLACEMENTS, "corner-010"))


def _draw_away_from_optimum(problem: Problem, rng: np.random.Generator) -> Array:
    while True:
        x = rng.random(problem.dimension)
        if np.linalg.norm(x - problem.optimum) >= MIN_DISTANCE:
            return x


def _reflect_into_cube(X: Array) -> Array:
    """Reflect points outside the cube at its sides."""
    Y = np.mod(X, 2.0)
    return np.minimum(Y, 2.0 - Y)
