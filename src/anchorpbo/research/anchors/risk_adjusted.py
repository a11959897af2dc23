"""Risk-adjusted value on Ackley in six dimensions, of RAHBO under the paper's preset and under ours.

Symbols: f the utility, n(x) the judge's true noise map, rho = 10 the risk weight, m(x) and n^(x) mean and noise map of
the study. The recommended design is x* = argmax m(x) - rho n^(x), and the value is f(x*) - rho n(x*), averaged over the
last ten rounds (`anchorpbo.research.experiments.simulated_study`). All arms have the same judge: a probit judge with
the paper's map of ten anchors away from the optimum, which are told.

::

    paper           the paper's preset: output scale fixed at 1
    default         the default preset, with the paper's map
    learnt          the default preset, with the paper's map as the prior of a learnt one
    learnt-kg       the same with the strategy of the default preset, the knowledge gradient, instead of RAHBO
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from anchorpbo.acquisition import RAHBO
from anchorpbo.errors import UnknownNameError
from anchorpbo.likelihoods import Probit
from anchorpbo.numerics.validation import as_integer
from anchorpbo.problems import SimulatedJudge, get_problem, play
from anchorpbo.research.experiments.anchor_placement import DEFAULT_ANCHORS, place_anchors
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.experiments.simulated_study import RISK_WEIGHT, maximise_risk_adjusted
from anchorpbo.study import LearntNoise, Optimizer, PaperNoise

PROBLEM, PLACEMENT = "ackley6", "away"
ROUNDS = 100
MEASURED_ROUNDS = 10
"""Number of last rounds that are averaged: a hallucination is a single draw, so that a single round is noisy."""


def _rahbo() -> RAHBO:
    return RAHBO(risk_aversion=RISK_WEIGHT)


def _learnt() -> LearntNoise:
    # A narrow prior of the strength: the judge's map is the paper's, so that its strength is known.
    return LearntNoise(PaperNoise(), strength_spread=0.7)


PRESETS: dict[str, Callable[[], dict[str, Any]]] = {
    "paper": lambda: {"preset": "paper", "strategy": "rahbo"},
    "default": lambda: {"strategy": _rahbo(), "noise": PaperNoise()},
    "learnt": lambda: {"strategy": _rahbo(), "noise": _learnt()},
    "learnt-kg": lambda: {"noise": _learnt()},
}
"""Options of `Optimizer`, by the name of the arm."""


@dataclass(frozen=True)
class RiskStudy(ExperimentTask):
    """A study of RAHBO; one row per measured round."""

    kind: ClassVar[str] = "risk-study"

    preset: str
    seed: int
    rounds: int = ROUNDS

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UnknownNameError.of("a preset", self.preset, PRESETS)
        object.__setattr__(self, "seed", as_integer("seed", self.seed, 0))
        object.__setattr__(self, "rounds", as_integer("rounds", self.rounds, 1))

    @property
    def effort(self) -> float:
        """Rounds."""
        return float(self.rounds)

    def run(self) -> RecordColumns:
        """Run the study."""
        problem = get_problem(PROBLEM)
        anchors = place_anchors(problem, PLACEMENT, DEFAULT_ANCHORS, self.seed)
        space = problem.space
        optimizer = Optimizer(space, [space.decode(x) for x in anchors], seed=self.seed, **PRESETS[self.preset]())
        truth = PaperNoise()(anchors, optimizer.plan.metric)
        judge, initial = SimulatedJudge(problem, Probit(), truth), optimizer.plan.initial
        rows: list[dict[str, float]] = []
        began = time.process_time()
        for turn in play(optimizer, judge, initial + self.rounds, self.seed):
            number = turn.number - initial
            if number > self.rounds - MEASURED_ROUNDS:
                posterior = optimizer.acquisition_model.posterior
                best = maximise_risk_adjusted(posterior, optimizer.noise_map, RISK_WEIGHT)[None]
                value, noise = float(problem(best)[0]), float(truth(best)[0])
                row = {"round": number, "value": value, "noise": noise, "risk_adjusted": value - RISK_WEIGHT * noise}
                rows.append(row)
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
        return columns | {"seconds": [time.process_time() - began] * len(rows)}
