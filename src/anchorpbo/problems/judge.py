"""A simulated user, who answers duels by the likelihood under a true noise map."""

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
    """Answers with the probabilities of a likelihood; its noise map may differ from the one a method is given."""

    problem: Problem
    likelihood: Likelihood
    noise: NoiseMap

    def probabilities(self, first: Array, second: Array) -> tuple[float, float, float]:
        """Of the first winning, the second winning, and a tie, for two designs (d,)."""
        pair = np.array([first, second])
        a, b = self.likelihood.coefficients(*np.split(self.noise(pair), 2))
        f = self.problem(pair)
        margin = a * f[0] - b * f[1]
        tau = self.likelihood.tau
        win, loss = (float(np.exp(self.likelihood.log_win(g - tau).value[0])) for g in (margin, -margin))
        return win, loss, max(1.0 - win - loss, 0.0)

    def answer(self, first: Array, second: Array, rng: np.random.Generator) -> JudgeOutcome:
        """One answer, drawn at random."""
        win, loss, _ = self.probabilities(first, second)
        level = rng.random()
        return "first" if level < win else "second" if level < win + loss else "tie"


class ExactJudge(SimulatedJudge):
    """Always prefers the design of larger utility; the noise map counts in what is measured alone."""

    def probabilities(self, first: Array, second: Array) -> tuple[float, float, float]:
        """One for the better design, a half each where both are equally good."""
        f, g = self.problem(np.array([first, second])).tolist()
        win = 0.5 if f == g else float(f > g)
        return win, 1.0 - win, 0.0
