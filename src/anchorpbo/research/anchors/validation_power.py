"""Power of the validation of anchors: simulated experts answer a study, and `Optimizer.validate_anchors` judges it.

The noise of an expert rises linearly from a standard deviation of 0.05 of the range at the true places to 0.5. Cases::

    true        the anchors are the true places
    noisiest    the anchors are among the designs where the expert is least reliable
    constant    the noise is the same everywhere: 0.05, 0.16 or 0.5 of the range, by seed in turn

A share of the questions are checks (`Optimizer.ask_anchor_check`); the others are chosen as always.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer, as_share
from anchorpbo.research.anchors.anchored_experts import AnchoredExpert, get_anchored_problem
from anchorpbo.research.answers.study_task import draw_uniform
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.study import Optimizer

LOW, HIGH = 0.05, 0.5
"""Standard deviation of a judgement at the true places and farthest from them, as shares of the range."""
LEVELS = (LOW, math.sqrt(LOW * HIGH), HIGH)
"""Levels of constant noise."""
ANSWERS = 60
Case = Literal["true", "noisiest", "constant"]
CASES: tuple[Case, ...] = get_args(Case)
_TOLD = {"true": "true", "noisiest": "false", "constant": "true"}


@dataclass(frozen=True)
class ValidationStudy(ExperimentTask):
    """A study of one expert, and the verdict on the anchors; one row."""

    kind: ClassVar[str] = "validation"

    problem: str
    case: Case
    seed: int
    checks: float = 1.0
    """Share of the questions that are checks of the anchors."""
    repeats: float = 0.0
    """`Optimizer.repeat_rate` of the other questions."""
    placement: str = "random"
    answers: int = ANSWERS

    def __post_init__(self) -> None:
        if self.case not in CASES:
            raise UnknownNameError.of("a case", self.case, CASES)
        for name in ("checks", "repeats"):
            object.__setattr__(self, name, as_share(name, getattr(self, name)))
        object.__setattr__(self, "seed", as_integer("seed", self.seed, 0))
        object.__setattr__(self, "answers", as_integer("answers", self.answers, 1))

    @property
    def effort(self) -> float:
        """Answers."""
        return float(self.answers)

    def run(self) -> RecordColumns:
        """Run the study and validate its anchors."""
        problem = get_anchored_problem(self.problem, self.seed)
        low, high = (LEVELS[self.seed % len(LEVELS)],) * 2 if self.case == "constant" else (LOW, HIGH)
        expert = AnchoredExpert.draw(problem, self.placement, _TOLD[self.case], self.seed, low, high)
        space = problem.space
        anchors = [space.decode(x) for x in expert.anchors]
        optimizer = Optimizer(space, anchors, seed=self.seed, repeat_rate=self.repeats)
        for number in range(1, self.answers + 1):
            is_check = math.floor(number * self.checks) > math.floor((number - 1) * self.checks)
            duel = optimizer.ask_anchor_check() if is_check else optimizer.ask()
            pair = np.array([space.encode(duel.first), space.encode(duel.second)])
            first_won = expert.judge.prefers_first(pair, draw_uniform(self.seed, number))
            optimizer.tell(duel, "first" if first_won else "second")
        result = optimizer.validate_anchors()
        share = float(problem.share(space.encode(optimizer.recommended))[0])
        return {
            "bayes_factor": [result.bayes_factor],
            "verdict": [result.verdict],
            "share": [share],
            "lowest_noise": [low],
        }
