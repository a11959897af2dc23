"""One study of the benchmark: a contender plays against a judge, and every answer is a row.

::

    answer              number of the answer, from 1
    share               share of the recommended design after this answer, see `anchorpbo.research.answers.problems`
    first_share         shares of the two designs compared, with second_share
    right               whether the judge chose the better design
    stop                whether the contender tells the user to stop; null if it has no stopping rule
    failures            number of errors of the contender so far
    seconds             time to ask; recommend_seconds: time to recommend
    contender_version   version of the preset, or releases of the other library's packages

The judge's random numbers depend only on the seed and the number of the answer, so studies with one seed are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.answers.contenders import Contender, check_installed, get_contender
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS, NoisyJudge, draw_judge
from anchorpbo.research.answers.problems import SETS, JudgedProblem, get_judged_problem
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.typing import Array

ANSWERS = 40
"""Number of answers of a study at full size."""


@dataclass(frozen=True)
class AnswersStudy(ExperimentTask):
    """A contender, a judge and a problem with a seed.

    A contender that fails keeps its last recommendation; if it fails to ask, the judge compares two random designs.
    """

    kind: ClassVar[str] = "answers"

    problem: str
    judge: str
    placement: str
    """Where the judge's anchors lie, whether the contender is told or not."""
    contender: str
    seed: int
    answers: int = ANSWERS

    def __post_init__(self) -> None:
        # Convert to plain numbers, so that equal studies have equal keys.
        object.__setattr__(self, "seed", as_integer("seed", self.seed, 0))
        object.__setattr__(self, "answers", as_integer("answers", self.answers, 1))
        problems = {name for problems in SETS.values() for name in problems}
        for noun, name, known in (
            ("a problem", self.problem, problems),
            ("a judge", self.judge, JUDGES),
            ("a placement", self.placement, PLACEMENTS),
        ):
            if name not in known:
                raise UnknownNameError.of(noun, name, known)
        get_contender(self.contender)

    def prepare(self) -> None:
        """Raise if the contender's library is not installed."""
        check_installed([self.contender])

    @property
    def effort(self) -> float:
        """Answers, weighted by what an answer costs a library."""
        return self.answers * _EFFORTS.get(get_contender(self.contender).module, 1.0)

    def run(self) -> RecordColumns:
        """Play the study."""
        problem = get_judged_problem(self.problem, self.seed)
        judge, anchors = draw_judge(self.judge, problem, self.placement, self.seed)
        entry = get_contender(self.contender)
        contender = entry.make(problem.space, anchors, self.seed)
        rows = [row | {"contender_version": entry.version} for row in play(contender, judge, self.answers, self.seed)]
        return {name: [row[name] for row in rows] for name in rows[0]}


_EFFORTS = {"botorch_contender": 20.0, "optuna_contender": 20.0, "glisp_contender": 5.0}
"""Time per answer relative to ours, by module."""


def draw_uniform(seed: int, number: int) -> float:
    """Draw the uniform random number that decides an answer."""
    return float(np.random.default_rng([seed, 106, number]).random())


def play(contender: Contender, judge: NoisyJudge, answers: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a study.

    The next pair is asked for before the recommendation, so that its time includes fitting the model to the answer.
    """
    problem, failures = judge.problem, 0
    best = problem.space.nearest(problem.space.sample(1, np.random.default_rng([seed, 107]))[0])
    asked, asking = _try(contender.ask)
    for number in range(1, answers + 1):
        failures += asked is None
        pair = _draw_pair(problem, seed, number) if asked is None else asked
        first_won = judge.prefers_first(pair, draw_uniform(seed, number))
        row = {"answer": number, **_describe_pair(problem, pair, first_won), "seconds": asking}
        told, _ = _try(partial(_tell, contender, pair, first_won))
        asked, asking = _try(contender.ask) if number < answers else (None, 0.0)
        recommended, recommending = _try(contender.recommend)
        (stop,) = stops if (stops := _try(lambda: (contender.stops(),))[0]) is not None else (None,)
        failures += (told is None) + (recommended is None) + (stops is None)
        best = best if recommended is None else recommended
        yield row | {
            "share": float(problem.share(best)[0]),
            "stop": stop,
            "failures": failures + contender.failures,
            "recommend_seconds": recommending,
        }


def _describe_pair(problem: JudgedProblem, pair: Array, first_won: bool) -> dict[str, Any]:
    first, second = problem.share(pair).tolist()
    return {
        "first_share": first,
        "second_share": second,
        "right": first == second or first_won == (first > second),
    }


def _tell(contender: Contender, pair: Array, first_won: bool) -> bool:
    contender.tell(pair, first_won)
    return True


def _try(step: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a step, or ``None`` if it fails, and the time it took."""
    began = perf_counter()
    try:
        found = step()
    # Libraries fail in many ways; each failure is counted in the record.
    except Exception:
        found = None
    return found, perf_counter() - began


def _draw_pair(problem: JudgedProblem, seed: int, number: int) -> Array:
    rng = np.random.default_rng([seed, 107, number])
    return np.array([problem.space.nearest(x) for x in problem.space.sample(2, rng)])
