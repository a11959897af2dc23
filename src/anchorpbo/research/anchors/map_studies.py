"""Studies under each kind of noise map, with anchors that are true, false or not told.

The records have one row per answer::

    answer              number of the answer, from 1
    share               share of the recommended design, see `anchorpbo.research.answers.problems`
    log_score           mean log probability of held-out answers of the expert, from 64 random pairs; at the last answer
    log_noise_spread    standard deviation of the map's log noise over 512 designs; at the last answer
    map_error           root mean squared difference of the map's log noise and the true one over these designs, up to a
                        constant; at the last answer
    seconds             processor time to ask

Studies of one problem and seed share the expert, the random numbers of the answers and the initial duels, so that arms
are paired.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.anchors.anchored_experts import TOLD, AnchoredExpert, get_anchored_problem
from anchorpbo.research.answers.study_task import draw_uniform
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.study import BoundedNoise, LearntNoise, NoiseRule, Optimizer

ANSWERS = 40
MIN_DEVIATION = 0.01
"""Smallest standard deviation of a judgement that counts in the error of a map, as a share of the range."""
Questions = Literal["chosen", "random"]
TEST_PAIRS, NOISE_DESIGNS = 64, 512
NOISE_RULES: dict[str, Callable[[], NoiseRule]] = {
    "fixed": BoundedNoise,
    "learnt": LearntNoise,
    "learnt-metric": lambda: BoundedNoise(metric="learnt"),
    "per-dimension": lambda: BoundedNoise(bandwidth="loo-per-dimension"),
    "adaptive": lambda: BoundedNoise(adaptive=True),
}
"""Rules of noise maps, by the name of the arm."""


@dataclass(frozen=True)
class MapStudy(ExperimentTask):
    """A study of an expert under one kind of noise map."""

    kind: ClassVar[str] = "map-study"

    problem: str
    noise: str
    """Kind of noise map, see `NOISE_RULES`."""
    told: str
    """Anchors told: ``true``, ``false`` or ``none``."""
    seed: int
    low: float = 0.0
    """Standard deviation of the expert's judgement at the true places, as a share of the range."""
    high: float = 0.3
    """The same, farthest from them."""
    placement: str = "good"
    answers: int = ANSWERS
    questions: Questions = "chosen"
    """Whether the study chooses the pairs or they are random, which is enough to judge a map by its predictions."""

    def __post_init__(self) -> None:
        for name, value, known in (("a noise map", self.noise, NOISE_RULES), ("anchors told", self.told, TOLD)):
            if value not in known:
                raise UnknownNameError.of(name, value, known)
        if self.questions not in get_args(Questions):
            raise UnknownNameError.of("questions", self.questions, get_args(Questions))
        object.__setattr__(self, "seed", as_integer("seed", self.seed, 0))
        object.__setattr__(self, "answers", as_integer("answers", self.answers, 1))

    @property
    def effort(self) -> float:
        """Answers; a random question costs little."""
        return self.answers * (1.0 if self.questions == "chosen" else 0.1)

    def run(self) -> RecordColumns:
        """Run the study."""
        problem = get_anchored_problem(self.problem, self.seed)
        expert = AnchoredExpert.draw(problem, self.placement, self.told, self.seed, self.low, self.high)
        anchors = [problem.space.decode(x) for x in expert.anchors]
        optimizer = Optimizer(problem.space, anchors, seed=self.seed, noise=NOISE_RULES[self.noise]())
        rows = list(_play(optimizer, expert, self.seed, self.answers, self.questions))
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
        spread, error = _measure_map(optimizer, expert, self.seed)
        log_score = _score_held_out(optimizer, expert, self.seed)
        last = {"log_score": log_score, "log_noise_spread": spread, "map_error": error}
        return columns | {name: [None] * (len(rows) - 1) + [value] for name, value in last.items()}


def _play(
    optimizer: Optimizer, expert: AnchoredExpert, seed: int, answers: int, questions: Questions
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a study; of random questions only the last one has a share."""
    space, problem = optimizer.space, expert.judge.problem
    rng = np.random.default_rng([seed, 123])
    for number in range(1, answers + 1):
        began, level = time.process_time(), draw_uniform(seed, number)
        if questions == "chosen":
            duel = optimizer.ask()
            seconds = time.process_time() - began
            pair = np.array([space.encode(duel.first), space.encode(duel.second)])
            optimizer.tell(duel, "first" if expert.judge.prefers_first(pair, level) else "second")
        else:
            pair, seconds = space.sample(2, rng), 0.0
            winner, loser = pair if expert.judge.prefers_first(pair, level) else pair[::-1]
            optimizer.tell_preference(space.decode(winner), space.decode(loser))
        measured = questions == "chosen" or number == answers
        share = float(problem.share(space.encode(optimizer.recommended))[0]) if measured else None
        yield {"answer": number, "share": share, "seconds": seconds}


def _score_held_out(optimizer: Optimizer, expert: AnchoredExpert, seed: int) -> float:
    """Return the mean log probability of answers, averaged over the expert's own probabilities of giving them."""
    pairs = optimizer.space.sample(2 * TEST_PAIRS, np.random.default_rng([seed, 121])).reshape(TEST_PAIRS, 2, -1)
    truth = np.array([expert.judge.prob_first(pair) for pair in pairs])
    predicted = np.clip(optimizer.model.prob_choose(pairs[:, 0], pairs[:, 1]), 1e-12, 1.0 - 1e-12)
    return float(np.mean(truth * np.log(predicted) + (1.0 - truth) * np.log1p(-predicted)))


def _measure_map(optimizer: Optimizer, expert: AnchoredExpert, seed: int) -> tuple[float, float]:
    """Return the spread of the map's log noise and its error."""
    designs = optimizer.space.sample(NOISE_DESIGNS, np.random.default_rng([seed, 122]))
    found = np.log(optimizer.noise_map(designs))
    smallest = MIN_DEVIATION * expert.judge.problem.range
    truth = 2.0 * np.log(np.maximum(expert.judge.deviation(designs), smallest))
    return float(found.std()), float((found - truth).std())
