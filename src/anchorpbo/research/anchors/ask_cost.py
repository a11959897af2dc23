"""Processor time of `Optimizer.ask` after many answers, by kind of noise map.

A study with four parameters and five anchors gets answers of a simulated judge to random pairs. Two asks are measured:
the first one, which fits the hyper-parameters, and one after a further answer. This is repeated, with one answer more
each time. The records have one row per ask::

    answered            number of answers before the ask
    fits                whether the ask fitted the hyper-parameters, see `Plan.last_fit`
    milliseconds        processor time of the ask, on one thread
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.anchors.anchored_experts import AnchoredExpert, get_anchored_problem
from anchorpbo.research.anchors.map_studies import NOISE_RULES
from anchorpbo.research.answers.study_task import draw_uniform
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.space import Design
from anchorpbo.study import Optimizer

PROBLEM = "gp4"
ANSWERS, ASKS = 150, 10
LOW, HIGH = 0.0, 0.3
"""Standard deviation of a judgement at the true places and farthest from them, as shares of the range."""
TIMED = ("fixed", "learnt", "learnt-metric")
"""Kinds of noise map that are measured."""
Pairs = list[tuple[Design, Design]]
"""Winners and losers."""


@dataclass(frozen=True)
class AskTask(ExperimentTask):
    """The processor times of the asks of one simulated study."""

    kind: ClassVar[str] = "ask-cost"

    noise: str
    """Kind of noise map, see `NOISE_RULES`."""
    seed: int
    answers: int = ANSWERS
    """Number of answers before the first ask."""
    asks: int = ASKS
    """Number of measured asks of each sort."""

    def __post_init__(self) -> None:
        if self.noise not in NOISE_RULES:
            raise UnknownNameError.of("a noise map", self.noise, NOISE_RULES)
        for name, least in (("seed", 0), ("answers", 1), ("asks", 1)):
            object.__setattr__(self, name, as_integer(name, getattr(self, name), least))

    @property
    def effort(self) -> float:
        """Asks, weighted by the answers before them."""
        return float(self.asks * self.answers) / 10.0

    def run(self) -> RecordColumns:
        """Measure the asks; one ask of another study comes first, so that all code is compiled."""
        problem = get_anchored_problem(PROBLEM, self.seed)
        expert = AnchoredExpert.draw(problem, "good", "true", self.seed, LOW, HIGH)
        pairs = _draw_answers(expert, self.seed, self.answers + self.asks)
        self._start(expert, pairs[: self.answers]).ask()
        rows: list[tuple[int, bool, float]] = []
        for told in range(self.answers, self.answers + self.asks):
            optimizer = self._start(expert, pairs[:told])
            rows.append((told, True, _time_ask(optimizer)))
            optimizer.tell_preference(*pairs[told])
            fits = optimizer.plan.last_fit(told + 1) > optimizer.plan.last_fit(told)
            rows.append((told + 1, fits, _time_ask(optimizer)))
        answered, fits_too, milliseconds = zip(*rows, strict=True)
        return {"answered": list(answered), "fits": list(fits_too), "milliseconds": list(milliseconds)}

    def _start(self, expert: AnchoredExpert, pairs: Pairs) -> Optimizer:
        """Return a study that has been told these answers, and has no model yet."""
        space = expert.judge.problem.space
        anchors = [space.decode(x) for x in expert.anchors]
        optimizer = Optimizer(space, anchors, seed=self.seed, noise=NOISE_RULES[self.noise]())
        for winner, loser in pairs:
            optimizer.tell_preference(winner, loser)
        return optimizer


def _time_ask(optimizer: Optimizer) -> float:
    began = time.process_time()
    optimizer.ask()
    return 1e3 * (time.process_time() - began)


def _draw_answers(expert: AnchoredExpert, seed: int, number: int) -> Pairs:
    space = expert.judge.problem.space
    found = []
    for at, pair in enumerate(space.sample(2 * number, np.random.default_rng([seed, 123])).reshape(number, 2, -1)):
        first_won = expert.judge.prefers_first(pair, draw_uniform(seed, at + 1))
        winner, loser = pair if first_won else pair[::-1]
        found.append((space.decode(winner), space.decode(loser)))
    return found
