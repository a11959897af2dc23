"""A whole study with a simulated judge, one duel after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from anchorpbo.problems.judge import SimulatedJudge
from anchorpbo.study import Duel, Optimizer, Outcome
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Round:
    """One duel of a study and what was known after it."""

    number: int
    """From 1."""
    duel: Duel
    pair: Array
    """Its two designs as coordinates, (2, d)."""
    outcome: Outcome
    pair_noise: float
    """Mean noise of the two, under the judge's true map."""
    best: Array
    """The design recommended now, (d,)."""
    best_utility: float
    """Its true utility."""
    seconds: float
    """Time to learn from the answers so far and to choose the pair."""


def simulate(optimizer: Optimizer, judge: SimulatedJudge, rounds: int, seed: int) -> Iterator[Round]:
    """Yield the rounds of a study of ``judge.problem.space`` as they happen.

    Parameters
    ----------
    optimizer
        A study to ask and tell; it keeps what is told.
    judge
        Answers for the user.
    rounds
        Duels, those to start with included.
    seed
        Of the judge's answers.
    """
    rng, space = np.random.default_rng([seed, 5]), optimizer.space
    duel, seconds = _timed(optimizer)
    for number in range(1, rounds + 1):
        pair = np.array([space.encode(duel.first), space.encode(duel.second)])
        outcome = judge.answer(pair[0], pair[1], rng)
        optimizer.tell(duel, outcome)
        asked, took = duel, seconds
        # Asked before anything else looks at the answer, so that the time includes learning from it.
        duel, seconds = _timed(optimizer)
        best = space.encode(optimizer.recommend().design)
        noise = float(judge.noise(pair).mean())
        yield Round(number, asked, pair, outcome, noise, best, float(judge.problem(best[None])[0]), took)


def _timed(optimizer: Optimizer) -> tuple[Duel, float]:
    began = perf_counter()
    duel = optimizer.ask()
    return duel, perf_counter() - began
