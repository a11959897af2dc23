"""A whole study with a simulated judge: Sobol duels to start with, then one chosen duel after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from anchorpbo.acquisition import Acquisition, PairAcquisition
from anchorpbo.duels import Duels
from anchorpbo.model import PreferenceGP
from anchorpbo.numerics.sobol import sobol
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.problems.judge import Outcome, SimulatedJudge
from anchorpbo.search import maximise
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Round:
    """One duel of a study and what was known after it."""

    number: int
    pair: Array
    """The two designs, (2, d)."""
    outcome: Outcome
    pair_noise: float
    """Mean noise of the two, under the judge's true map."""
    best: Array
    """The queried design with the best posterior mean, (d,)."""
    best_utility: float
    """Its true utility."""
    seconds: float
    """Time to learn from the answers so far and to choose the pair; 0 for the first duels."""


def simulate(
    model: PreferenceGP,
    acquisition: Acquisition,
    judge: SimulatedJudge,
    *,
    rounds: int,
    seed: int,
    initial: int = 8,
    refit_every: int = 10,
) -> Iterator[Round]:
    """Yield the rounds of a study as they happen.

    A single-design acquisition challenges the winner of the last duel; a pair acquisition chooses both designs.
    """
    rng = np.random.default_rng(seed)
    dimension = judge.problem.dimension
    duels = Duels.none(dimension)
    starts = sobol(2 * initial, dimension, rng).reshape(initial, 2, dimension)
    champion = starts[0, 0]
    for number in range(1, rounds + initial + 1):
        began = perf_counter()
        if number <= initial:
            pair = starts[number - 1]
        else:
            learn = model.fit if (number - initial - 1) % refit_every == 0 else model.condition
            pair = _choose(learn(duels), acquisition, champion, rng)
        seconds = perf_counter() - began if number > initial else 0.0
        outcome = judge.answer(pair[0], pair[1], rng)
        if outcome == "tie":
            duels = duels.and_tie(pair[0], pair[1])
        else:
            winner, loser = pair if outcome == "first" else pair[::-1]
            duels, champion = duels.and_win(winner, loser), winner
        best = champion
        if number > initial:
            best = _recommended(model, duels)
        noise = float(judge.noise(pair).mean())
        yield Round(number, pair, outcome, noise, best, float(judge.problem(best[None])[0]), seconds)


def _recommended(model: PreferenceGP, duels: Duels) -> Array:
    # By EP whatever chose the duel: a hallucination is one draw of the posterior, not its mean.
    judge = PreferenceGP(model.kernel, model.likelihood, "ep", model.noise, learn=None)
    posterior = judge.condition(duels).posterior
    return np.asarray(duels.points[int(posterior.mean(duels.points).argmax())])


def _choose(model: PreferenceGP, acquisition: Acquisition, champion: Array, rng: np.random.Generator) -> Array:
    posterior = model.posterior
    bound = acquisition.bind(posterior, model.noise)
    with one_blas_thread():
        x = maximise(bound, posterior.dimension, rng).x
    return x if isinstance(acquisition, PairAcquisition) else np.array([champion, x])
