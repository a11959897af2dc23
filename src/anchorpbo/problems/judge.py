"""Simulated users, who answer duels by the likelihood under a true noise map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anchorpbo.likelihoods import Likelihood
from anchorpbo.problems.base import Problem
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array

JudgeOutcome = Literal["first", "second", "tie"]


@dataclass(frozen=True, eq=False)
class SimulatedJudge:
    """Judge whose answers follow a likelihood; the noise map may differ from the optimizer's."""

    problem: Problem
    likelihood: Likelihood
    noise: NoiseMap

    def probabilities(self, first: Array, second: Array) -> tuple[float, float, float]:
        """Return the probabilities that the first wins, the second wins, and a tie, for two designs (d,)."""
        pair = np.array([first, second])
        a, b = self.likelihood.coefficients(*np.split(self.noise(pair), 2))
        f = self.problem(pair)
        margin = a * f[0] - b * f[1]
        won = np.zeros(1, dtype=np.bool_)
        win, loss = (float(np.exp(self.likelihood.log_prob(g, won).value[0])) for g in (margin, -margin))
        return win, loss, max(1.0 - win - loss, 0.0)

    def answer(self, first: Array, second: Array, rng: np.random.Generator) -> JudgeOutcome:
        """Return a random answer."""
        win, loss, _ = self.probabilities(first, second)
        level = rng.random()
        return "first" if level < win else "second" if level < win + loss else "tie"


class ExactJudge(SimulatedJudge):
    """Judge that always prefers the design of larger utility; the noise map is only used in measurements."""

    def probabilities(self, first: Array, second: Array) -> tuple[float, float, float]:
        """Return 1 for the better design, or 1/2 each if both are equally good."""
        f, g = self.problem(np.array([first, second])).tolist()
        win = 0.5 if f == g else float(f > g)
        return win, 1.0 - win, 0.0
