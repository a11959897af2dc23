"""Simulated duels of the benchmark: a study of Hartmann's functions with a noisy judge.

As in real studies, two duels of three contain a design near the winner of the last duel; all other designs are uniform
in the cube. A smaller study is the beginning of a larger one with the same seed.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.likelihoods import Logistic
from anchorpbo.problems import HARTMANN3, HARTMANN4, HARTMANN6, Problem, SimulatedJudge
from anchorpbo.reliability import NoiseMap
from anchorpbo.research.bench.dataset import DuelDataset

BENCHMARK_PROBLEMS: dict[int, Problem] = {problem.dimension: problem for problem in (HARTMANN3, HARTMANN4, HARTMANN6)}
"""Problems by dimension."""
JUDGE_NOISE = 0.3
"""Level of the judge's logistic noise; utilities differ by up to 4."""
NEAR_WINNER_STD = 0.1
"""Standard deviation of a design near the winner of the last duel."""
DATASET_ANCHORS, DATASET_ANCHOR_STD = 5, 0.2
"""Number of anchors, and their standard deviation around the optimum."""


@lru_cache(maxsize=32)
def simulate_dataset(dimension: int, count: int, seed: int) -> DuelDataset:
    """Simulate a study of ``count`` duels; duel k is between designs 2 k and 2 k + 1."""
    if dimension not in BENCHMARK_PROBLEMS:
        raise UnknownNameError.of("a dimension of the benchmark", dimension, map(str, BENCHMARK_PROBLEMS))
    problem, rng = BENCHMARK_PROBLEMS[dimension], np.random.default_rng([seed, dimension])
    judge = SimulatedJudge(problem, Logistic(form="difference"), NoiseMap.constant(JUDGE_NOISE))
    anchors = np.clip(
        problem.optimum + DATASET_ANCHOR_STD * rng.standard_normal((DATASET_ANCHORS, dimension)), 0.0, 1.0
    )
    points, winners = np.empty((2 * count, dimension)), np.empty(count, dtype=np.intp)
    winner = rng.random(dimension)
    # Numbers are drawn duel by duel, so that a longer study begins like a shorter one.
    for k in range(count):
        pair = rng.random((2, dimension))
        step, chance = NEAR_WINNER_STD * rng.standard_normal(dimension), rng.random()
        if chance < 2 / 3:
            pair[0] = np.clip(winner + step, 0.0, 1.0)
        first_won = judge.answer(pair[0], pair[1], rng) == "first"
        winners[k] = 2 * k + (0 if first_won else 1)
        points[[2 * k, 2 * k + 1]] = pair
        winner = pair[0 if first_won else 1]
    losers = 4 * np.arange(count) + 1 - winners
    return DuelDataset(points, winners, losers, anchors, seed)
