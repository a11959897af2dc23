"""Simulation of a whole study with a simulated judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from anchorpbo.problems.judge import SimulatedJudge
from anchorpbo.study import Duel, Optimizer, Outcome
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class SimulatedDuel:
    """One duel of a study and its answer."""

    number: int
    """Number of the duel, from 1."""
    duel: Duel
    pair: Array
    """Coordinates of the two designs, (2, d)."""
    outcome: Outcome
    pair_noise: float
    """Mean noise of the two designs under the judge's true map."""
    seconds: float
    """Seconds to fit the model to the answers so far and to choose the pair."""


@dataclass(frozen=True, eq=False)
class SimulatedRound(SimulatedDuel):
    """One duel of a study and the recommendation after it."""

    best: Array
    """Recommended design, (d,)."""
    best_utility: float
    """True utility of the recommended design."""


def play(optimizer: Optimizer, judge: SimulatedJudge, turns: int, seed: int) -> Iterator[SimulatedDuel]:
    """Yield the duels of a study on ``judge.problem.space``, each after its answer and the choice of the next duel.

    Parameters
    ----------
    optimizer
        Optimizer of the study; it keeps the answers.
    judge
        Simulated user.
    turns
        Number of duels, including the initial ones.
    seed
        Seed of the judge's answers.
    """
    rng, space = np.random.default_rng([seed, 5]), optimizer.space
    duel, seconds = _ask_timed(optimizer)
    for number in range(1, turns + 1):
        pair = np.array([space.encode(duel.first), space.encode(duel.second)])
        outcome = judge.answer(pair[0], pair[1], rng)
        optimizer.tell(duel, outcome)
        asked, took = duel, seconds
        # Ask before anything else uses the answer, so that the time includes fitting the model to it.
        duel, seconds = _ask_timed(optimizer)
        yield SimulatedDuel(number, asked, pair, outcome, float(judge.noise(pair).mean()), took)


def simulate(optimizer: Optimizer, judge: SimulatedJudge, rounds: int, seed: int) -> Iterator[SimulatedRound]:
    """Yield the duels as `play` does, with the recommendation after each answer."""
    for turn in play(optimizer, judge, rounds, seed):
        best = optimizer.space.encode(optimizer.recommended)
        yield SimulatedRound(**vars(turn), best=best, best_utility=float(judge.problem(best[None])[0]))


def _ask_timed(optimizer: Optimizer) -> tuple[Duel, float]:
    began = perf_counter()
    duel = optimizer.ask()
    return duel, perf_counter() - began
