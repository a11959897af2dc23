"""The studies of the benchmark: which contenders meet which judges on which problems.

Only informative combinations are run. The anchors matter to a contender that is told them and to the heteroscedastic
judges; elsewhere one placement is enough. Other libraries and random pairs do not use anchors, so they are run with
good anchors only. Slow libraries are run with some judges only, unless they are named. The default preset without
anchors is run to more answers with the judges for whom its stopping rule must hold; tables and curves cover the first
answers of these studies, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.answers.contenders import CONTENDERS, get_contender
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS
from anchorpbo.research.answers.problems import SETS
from anchorpbo.research.answers.study_task import ANSWERS, AnswersStudy

SEEDS = 20
"""Number of seeds at full size."""
HETEROSCEDASTIC = ("believed", "linear")
"""Judges whose error depends on their anchors."""
ALL_JUDGES_PEER = "botorch-probit"
"""The other library that is run with all judges."""
OPT_IN_CONTENDER = "botorch-probit-3"
"""A variant of a library that is run only if it is named."""
PEER_JUDGES = ("sure", "constant-low", "constant-high", "linear")
"""Judges with whom all other libraries are run."""
STOPPING_CONTENDER, STOPPING_JUDGES = "default", ("sure", "constant-low", "constant-high")
"""The contender whose stopping rule is judged, and the judges with whom."""
STOPPING_ANSWERS = 60
"""Number of answers of these studies at full size."""
QUICK_CONTENDERS = ("default", "default-anchors", "glisp", "random")
QUICK_PROBLEMS = {"tuning": ("gp2", "espresso"), "confirmation": ("gp3", "coffee")}
QUICK_JUDGES, QUICK_PLACEMENTS = ("sure", "linear"), ("good", "misleading")
QUICK_SEEDS, QUICK_ANSWERS = 2, 8


@dataclass(frozen=True)
class BenchmarkPart:
    """A part of the benchmark; ``None`` stands for all of it, or for a little if `quick`."""

    problem_set: str = "tuning"
    contenders: tuple[str, ...] | None = None
    judges: tuple[str, ...] | None = None
    placements: tuple[str, ...] | None = None
    problems: tuple[str, ...] | None = None
    seeds: int | None = None
    """Number of seeds."""
    first_seed: int = 0
    answers: int | None = None
    """Number of answers of every study."""
    quick: bool = False

    def __post_init__(self) -> None:
        _check_names("a set of problems", [self.problem_set], SETS)
        _check_names("a contender", self.contenders, CONTENDERS)
        _check_names("a judge", self.judges, JUDGES)
        _check_names("a placement", self.placements, PLACEMENTS)
        _check_names(f"a problem of the {self.problem_set} set", self.problems, SETS[self.problem_set])
        for name in ("seeds", "answers"):
            if getattr(self, name) is not None:
                as_integer(name, getattr(self, name), 1)
        as_integer("first_seed", self.first_seed, 0)

    @property
    def horizon(self) -> int:
        """Number of answers that tables and figures cover: longer studies only test the stopping rule."""
        return min(self.answers or (QUICK_ANSWERS if self.quick else ANSWERS), ANSWERS)

    def count_answers(self, contender: str, judge: str) -> int:
        """Return the number of answers of a study."""
        judges_stop = contender == STOPPING_CONTENDER and judge in STOPPING_JUDGES and not self.quick
        return self.answers or (STOPPING_ANSWERS if judges_stop else self.horizon)


def plan_studies(part: BenchmarkPart) -> list[AnswersStudy]:
    """Return the studies of a part, seed by seed, so that an unfinished benchmark is as useful as possible."""
    quick = part.quick
    problems = part.problems or (QUICK_PROBLEMS[part.problem_set] if quick else tuple(SETS[part.problem_set]))
    seeds = part.seeds or (QUICK_SEEDS if quick else SEEDS)
    arms = list(dict.fromkeys(_list_arms(part)))
    if not arms:
        rule = "the contenders must be run with one of the judges and placements"
        raise InputError(rule, "none of them is", "add the placement good")
    return [
        AnswersStudy(problem, judge, placement, contender, seed, part.count_answers(contender, judge))
        for seed in range(part.first_seed, part.first_seed + seeds)
        for problem in problems
        for judge, placement, contender in arms
    ]


def meets_judge(contender: str, judge: str) -> bool:
    """Return whether the whole benchmark runs a contender with a judge."""
    if contender == OPT_IN_CONTENDER:
        return False
    return not get_contender(contender).packages or contender == ALL_JUDGES_PEER or judge in PEER_JUDGES


def _list_arms(part: BenchmarkPart) -> Iterator[tuple[str, str, str]]:
    """Yield judge, placement and contender."""
    contenders = part.contenders or (_list_quick_contenders() if part.quick else tuple(CONTENDERS))
    placements = part.placements or (QUICK_PLACEMENTS if part.quick else PLACEMENTS)
    for contender in contenders:
        entry = get_contender(contender)
        for judge in part.judges or (QUICK_JUDGES if part.quick else JUDGES):
            if part.contenders is None and not meets_judge(contender, judge):
                continue
            varies = entry.anchored or (entry.kind == "ours" and judge in HETEROSCEDASTIC)
            for placement in placements if varies else placements[:1]:
                yield judge, placement, contender


def _list_quick_contenders() -> tuple[str, ...]:
    """Return the contenders of a quick run whose libraries are installed."""
    return tuple(name for name in QUICK_CONTENDERS if not get_contender(name).missing_packages)


def _check_names(noun: str, names: Collection[str] | None, known: Collection[str]) -> None:
    if names is not None and not names:
        raise InputError(f"{noun} must be named", "nothing", "leave the option out for all")
    for name in names or ():
        if name not in known:
            raise UnknownNameError.of(noun, name, known)
