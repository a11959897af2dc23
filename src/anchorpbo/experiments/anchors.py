"""Where the simulated user's anchors are: the paper gives neither their number nor their place on synthetic problems.

::

    far     folded normal around the corner farthest from the optimum, SPREAD wide, inside the cube
    half    normal around the middle between that corner and the optimum, SPREAD wide, cut to the cube
    near    normal around the optimum, SPREAD wide, cut to the cube
    own     those that come with the data: 13 sushi, 12 candies
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import Problem, candy_anchors, sushi_anchors
from anchorpbo.typing import Array

SPREAD = 0.1
"""Standard deviation of synthetic anchors in each coordinate."""
COUNT = 10
"""Synthetic anchors, where an experiment does not say."""

Place = Literal["far", "half", "near", "own"]
_OWN = {"sushi": sushi_anchors, "candy": candy_anchors}


def anchors_of(problem: Problem, place: Place, count: int, seed: int) -> Array:
    """The anchors of one run, (n, d): `count` drawn by the run's seed, or all that come with the data."""
    if place == "own":
        if problem.name not in _OWN:
            raise InputError("only data sets come with anchors", problem.name, 'use "far" or "near"')
        found = _OWN[problem.name]()
        # Two candies share a place; a study takes an anchor in once.
        return found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
    if place not in get_args(Place):
        raise UnknownNameError.of("anchors", place, get_args(Place))
    steps = SPREAD * np.random.default_rng([seed, 7]).standard_normal((count, problem.dimension))
    corner = np.where(problem.optimum < 0.5, 1.0, 0.0)
    if place == "far":
        return np.asarray(np.abs(corner - np.minimum(np.abs(steps), 1.0)))
    centre = problem.optimum if place == "near" else 0.5 * (problem.optimum + corner)
    return np.clip(centre + steps, 0.0, 1.0)
