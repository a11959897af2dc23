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
class Turn:
    """One duel of a study and its answer."""

    number: int
    """From 1."""
    duel: Duel
    pair: Array
    """Its two designs as coordinates, (2, d)."""
    outcome: Outcome
    pair_noise: float
    """Mean noise of the two, under the judge's true map."""
    seconds: float
    """Time to learn from the answers so far and to choose the pair."""


@dataclass(frozen=True, eq=False)
class Round(Turn):
    """One duel of a study and what was known after it."""

    best: Array
    """The design recommended now, (d,)."""
    best_utility: float
    """Its true utility."""


def play(optimizer: Optimizer, judge: SimulatedJudge, turns: int, seed: int) -> Iterator[Turn]:
    """Yield the duels of a study of ``judge.problem.space`` once they are answered and the next one is chosen.

    Parameters
    ----------
    optimizer
        A study to ask and tell; it keeps what is told.
    judge
        Answers for the user.
    turns
        Duels, those to start with included.
    seed
        Of the judge's answers.
    """
    rng, space = np.random.default_rng([seed, 5]), optimizer.space
    duel, seconds = _ask_timed(optimizer)
    for number in range(1, turns + 1):
        pair = np.array([space.encode(duel.first), space.encode(duel.second)])
        outcome = judge.answer(pair[0], pair[1], rng)
        optimizer.tell(duel, outcome)
        asked, took = duel, seconds
        # Asked before anything else looks at the answer, so that the time includes learning from it.
        duel, seconds = _ask_timed(optimizer)
        yield Turn(number, asked, pair, outcome, float(judge.noise(pair).mean()), took)


def simulate(optimizer: Optimizer, judge: SimulatedJudge, rounds: int, seed: int) -> Iterator[Round]:
    """Like `play`, with what is recommended after each answer."""
    for turn in play(optimizer, judge, rounds, seed):
        best = optimizer.space.encode(optimizer.recommend().design)
        yield Round(**vars(turn), best=best, best_utility=float(judge.problem(best[None])[0]))


def _ask_timed(optimizer: Optimizer) -> tuple[Duel, float]:
    began = perf_counter()
    duel = optimizer.ask()
    return duel, perf_counter() - began
