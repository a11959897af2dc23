"""The tasks of the benchmark of anchors: studies by name, each with arms that share problems and seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.anchors import map_accuracy
from anchorpbo.research.anchors.ask_cost import TIMED, AskTask
from anchorpbo.research.anchors.audit_power import (
    ASKED,
    ASKED_NOISY,
    ASKED_NOISY_SEEDS,
    ASKED_SEEDS,
    LONG,
    LONG_SEEDS,
    SHORT,
    SHORT_SEEDS,
    AuditSetting,
    plan_audits,
)
from anchorpbo.research.anchors.map_accuracy import make_map_tasks
from anchorpbo.research.anchors.map_studies import ANSWERS, MapStudy
from anchorpbo.research.anchors.risk_adjusted import PRESETS, ROUNDS, RiskStudy
from anchorpbo.research.anchors.validation_power import ANSWERS as VALIDATION_ANSWERS
from anchorpbo.research.anchors.validation_power import CASES, ValidationStudy
from anchorpbo.research.experiments.experiment import ExperimentTask

VALIDATION_PROBLEMS = ("gp2m", "gp3", "gp3m", "coffee")
VALIDATION_SEEDS = 25
"""Number of seeds of each problem: four times as many experts a case."""
CHECKS = 1.0
"""Share of questions that are checks of anchors, in the study of 100 experts a case."""
OTHER_SHARES = ((0.0, 0.0), (0.0, 0.05), (0.0, 0.5), (1.0 / 3.0, 0.0), (2.0 / 3.0, 0.0))
"""Other shares of checks and of repeated pairs."""
OTHER_SHARES_SEEDS = 5

Arm = tuple[str, str]
"""Kind of noise map, and anchors told."""
LEARNT_ARMS: tuple[Arm, ...] = (
    ("fixed", "none"), ("fixed", "true"), ("learnt", "true"), ("fixed", "false"), ("learnt", "false"),
)  # fmt: skip
LEARNT_PROBLEMS = ("gp3", "coffee", "gp2m", "gp3m")
LEARNT_SEEDS = 40
LEARNT_JUDGE = (0.05, 0.5)
"""Standard deviation of a judgement at the true places and farthest from them, as shares of the range."""
JUDGE = (0.0, 0.3)
"""The same in the studies of metrics."""
FLAT_ARM: Arm = ("learnt", "none")
FLAT_JUDGE = (0.15, 0.15)
"""The same for a judge of constant noise."""
FLAT_PROBLEMS = ("gp3", "coffee")
FLAT_SEEDS = 10

METRIC_ARMS: tuple[Arm, ...] = (("fixed", "true"), ("learnt-metric", "true"))
METRIC_PROBLEMS = ("hartmann3in6", "camel2in6", "branin2in10", "hartmann4in10")
METRIC_SEEDS, METRIC_ANSWERS = 40, 60

RISK_SEEDS = 20
ASK_SEEDS = 3

QUICK_SEEDS, QUICK_ANSWERS = 2, 8
QUICK_ROUNDS, QUICK_ASKS = 10, 2
QUICK_AUDIT = (AuditSetting(20, 0.35, ("none", "sides", "drift", "coins")), AuditSetting(10, 0.35, ("coins",), "asked"))


@dataclass(frozen=True)
class SeededTasks:
    """Tasks that are repeated with several seeds."""

    seeds: int
    """Number of seeds at full size."""
    make: Callable[[int], Sequence[ExperimentTask]]
    """Function from a seed to its tasks."""


def _validate(problems: Iterable[str], checks: float, repeats: float, answers: int, seed: int) -> list[ExperimentTask]:
    return [
        ValidationStudy(problem, case, seed, checks, repeats, answers=answers) for problem in problems for case in CASES
    ]


def _map(
    problems: Iterable[str], arms: Iterable[Arm], judge: tuple[float, float], answers: int, seed: int, **settings: Any
) -> list[ExperimentTask]:
    low, high = judge
    return [
        MapStudy(problem, noise, told, seed, low, high, answers=answers, **settings)
        for problem in problems
        for noise, told in arms
    ]


RANDOM_QUESTIONS: dict[str, Any] = {"placement": "random", "questions": "random"}
"""Settings of the studies of metrics: a map is judged by its predictions, whatever the study would have asked."""


STUDIES: dict[str, tuple[SeededTasks, ...]] = {
    "validation": (
        SeededTasks(
            VALIDATION_SEEDS, lambda seed: _validate(VALIDATION_PROBLEMS, CHECKS, 0.0, VALIDATION_ANSWERS, seed)
        ),
    ),
    "checks": (
        SeededTasks(
            OTHER_SHARES_SEEDS,
            lambda seed: [
                task
                for checks, repeats in OTHER_SHARES
                for task in _validate(VALIDATION_PROBLEMS, checks, repeats, VALIDATION_ANSWERS, seed)
            ],
        ),
    ),
    "learnt": (
        SeededTasks(LEARNT_SEEDS, lambda seed: _map(LEARNT_PROBLEMS, LEARNT_ARMS, LEARNT_JUDGE, ANSWERS, seed)),
        SeededTasks(
            FLAT_SEEDS,
            lambda seed: [
                task
                for judge in (FLAT_JUDGE, LEARNT_JUDGE)
                for task in _map(FLAT_PROBLEMS, (FLAT_ARM,), judge, ANSWERS, seed)
            ],
        ),
    ),
    "metric": (
        SeededTasks(
            METRIC_SEEDS,
            lambda seed: _map(METRIC_PROBLEMS, METRIC_ARMS, JUDGE, METRIC_ANSWERS, seed, **RANDOM_QUESTIONS),
        ),
    ),
    "ackley": (SeededTasks(RISK_SEEDS, lambda seed: [RiskStudy(preset, seed, ROUNDS) for preset in PRESETS]),),
    "maps": (SeededTasks(map_accuracy.SEEDS, lambda seed: make_map_tasks(1, seed)),),
    "audit": (
        SeededTasks(ASKED_SEEDS, lambda seed: plan_audits(ASKED, 1, seed)),
        SeededTasks(ASKED_NOISY_SEEDS, lambda seed: plan_audits(ASKED_NOISY, 1, seed)),
        SeededTasks(SHORT_SEEDS, lambda seed: plan_audits(SHORT, 1, seed)),
        SeededTasks(LONG_SEEDS, lambda seed: plan_audits(LONG, 1, seed)),
    ),
    "ask": (SeededTasks(ASK_SEEDS, lambda seed: [AskTask(noise, seed) for noise in TIMED]),),
}
"""Studies of the benchmark by name."""

QUICK_STUDIES: dict[str, tuple[SeededTasks, ...]] = {
    "validation": (
        SeededTasks(QUICK_SEEDS, lambda seed: _validate(VALIDATION_PROBLEMS[:1], CHECKS, 0.0, QUICK_ANSWERS, seed)),
    ),
    "checks": (SeededTasks(1, lambda seed: _validate(VALIDATION_PROBLEMS[:1], 0.0, 0.05, QUICK_ANSWERS, seed)),),
    "learnt": (
        SeededTasks(
            QUICK_SEEDS, lambda seed: _map(LEARNT_PROBLEMS[:1], LEARNT_ARMS, LEARNT_JUDGE, QUICK_ANSWERS, seed)
        ),
        SeededTasks(QUICK_SEEDS, lambda seed: _map(FLAT_PROBLEMS[:1], (FLAT_ARM,), FLAT_JUDGE, QUICK_ANSWERS, seed)),
    ),
    "metric": (
        SeededTasks(
            QUICK_SEEDS,
            lambda seed: _map(METRIC_PROBLEMS[:1], METRIC_ARMS, JUDGE, QUICK_ANSWERS, seed, **RANDOM_QUESTIONS),
        ),
    ),
    "ackley": (SeededTasks(QUICK_SEEDS, lambda seed: [RiskStudy(preset, seed, QUICK_ROUNDS) for preset in PRESETS]),),
    "maps": (SeededTasks(QUICK_SEEDS, lambda seed: make_map_tasks(1, seed)),),
    "audit": (SeededTasks(QUICK_SEEDS, lambda seed: plan_audits(QUICK_AUDIT, 1, seed)),),
    "ask": (SeededTasks(1, lambda seed: [AskTask(noise, seed, QUICK_ANSWERS, QUICK_ASKS) for noise in TIMED]),),
}
"""A few short runs of each study."""


@dataclass(frozen=True)
class AnchorsPart:
    """A part of the benchmark; ``None`` stands for all of it, or for a little if `quick`."""

    studies: tuple[str, ...] | None = None
    seeds: int | None = None
    """Number of seeds of every arm; ``None`` for that of each study."""
    first_seed: int = 0
    quick: bool = False

    def __post_init__(self) -> None:
        for name in self.studies or ():
            if name not in STUDIES:
                raise UnknownNameError.of("a study", name, STUDIES)
        if self.seeds is not None:
            as_integer("seeds", self.seeds, 1)
        as_integer("first_seed", self.first_seed, 0)


def plan_anchors(part: AnchorsPart) -> list[ExperimentTask]:
    """Return the tasks of a part, those of the first seed first, so that an unfinished run covers all arms."""
    known = QUICK_STUDIES if part.quick else STUDIES
    wanted = [
        (group.make, part.seeds or group.seeds)
        for name in dict.fromkeys(part.studies or known)
        for group in known[name]
    ]
    return [
        task
        for number in range(max(seeds for _, seeds in wanted))
        for make, seeds in wanted
        if number < seeds
        for task in make(part.first_seed + number)
    ]
