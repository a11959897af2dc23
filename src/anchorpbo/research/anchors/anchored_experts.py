"""Simulated experts whose noise depends on how far a design is from those they know well.

R is the range of the utility, D(x) the distance of a design to the nearest of the places the expert knows, as a share
of the largest such distance::

    linear      s(x) = (low + (high - low) D(x)) R        standard deviation of a judgement
    constant    s(x) = level R

Anchors told to a study are the true places (``true``), or designs among the fifth where the expert is least reliable
(``false``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import BRANIN, HARTMANN3, HARTMANN4, SIX_HUMP_CAMEL, Problem
from anchorpbo.research.answers.judges import NoisyJudge, place_anchors
from anchorpbo.research.answers.problems import JudgedProblem, add_irrelevant, get_judged_problem
from anchorpbo.typing import Array, BoolArray

POOL, SHARE = 200, 5
"""Number of random designs, and the divisor of the share of them among which false anchors are drawn."""
DISTANCE_DESIGNS = 1024
"""Number of random designs that give the largest distance."""
TOLD = ("true", "false", "none")
PADDED: dict[str, tuple[Problem, int]] = {
    "branin2in6": (BRANIN, 4),
    "hartmann3in6": (HARTMANN3, 3),
    "camel2in6": (SIX_HUMP_CAMEL, 4),
    "branin2in10": (BRANIN, 8),
    "hartmann3in10": (HARTMANN3, 7),
    "hartmann4in10": (HARTMANN4, 6),
}
"""Test functions with further coordinates that do not matter: the function and their number."""


def get_anchored_problem(name: str, seed: int) -> JudgedProblem:
    """Return a problem of the benchmark of answers, or a test function with irrelevant coordinates."""
    if name in PADDED:
        function, irrelevant = PADDED[name]
        return add_irrelevant(name, function, irrelevant)
    return get_judged_problem(name, seed)


def find_relevant(name: str, dimension: int) -> BoolArray:
    """Return which coordinates matter to the utility and to the noise, (d,)."""
    matters = np.ones(dimension, dtype=np.bool_)
    if name in PADDED:
        matters[PADDED[name][0].dimension :] = False
    return matters


@dataclass(frozen=True, eq=False)
class AnchoredExpert:
    """A simulated expert, and the anchors told to a study."""

    judge: NoisyJudge
    anchors: Array
    """Anchors told, (n, d); none with ``none``."""

    @classmethod
    def draw(
        cls, problem: JudgedProblem, placement: str, told: str, seed: int, low: float, high: float
    ) -> AnchoredExpert:
        """Draw an expert whose noise rises linearly from `low` to `high`; the same for both if it is constant.

        Parameters
        ----------
        problem
            What the expert judges.
        placement
            Where the true places lie, see `anchorpbo.research.answers.judges`.
        told
            ``"true"``, ``"false"`` or ``"none"``.
        seed
            Seed of the places.
        low, high
            Standard deviation at the true places and farthest from them, as shares of the range.
        """
        if told not in TOLD:
            raise UnknownNameError.of("anchors told", told, TOLD)
        places = place_anchors(problem, placement, seed)
        deviation = make_deviation(problem, places, low, high)
        judge = NoisyJudge(problem, deviation)
        if told == "true":
            return cls(judge, places)
        if told == "none":
            return cls(judge, places[:0])
        rng = np.random.default_rng([seed, 120])
        pool = np.unique([problem.space.nearest(x) for x in problem.space.sample(POOL, rng)], axis=0)
        noisiest = np.argsort(-deviation(pool), kind="stable")[: max(len(pool) // SHARE, len(places))]
        return cls(judge, pool[np.sort(rng.choice(noisiest, len(places), replace=False))])


def make_deviation(problem: JudgedProblem, places: Array, low: float, high: float) -> Callable[[Array], Array]:
    """Return the standard deviation of a judgement as a function of designs, (n, d)."""
    dimension = problem.space.dimension
    categorical = np.isin(np.arange(dimension), problem.space.columns.categorical)
    measure = partial(_measure, places=places, categorical=categorical, relevant=find_relevant(problem.name, dimension))
    designs = problem.space.sample(DISTANCE_DESIGNS, np.random.default_rng(0))
    largest = float(measure(designs).max())

    def deviation(X: Array) -> Array:
        return problem.range * (low + (high - low) * np.minimum(measure(X) / largest, 1.0))

    return deviation


def _measure(X: Array, places: Array, categorical: BoolArray, relevant: BoolArray) -> Array:
    """Return the distance to the nearest place over the relevant coordinates, (n,); categories are 0 or 1 apart."""
    gaps = np.abs(X[:, None] - places)
    gaps[:, :, categorical] = gaps[:, :, categorical] > 0.0
    return np.asarray(np.sqrt((gaps[:, :, relevant] ** 2).sum(axis=2)).min(axis=1))
