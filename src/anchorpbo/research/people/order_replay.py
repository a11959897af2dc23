"""Replays of real orders: a contender asks duels that a person's order of ten kinds of sushi answers, never wrongly.

Symbols: n = 10 kinds; r the rank of the recommended kind in the person's order, 0 for the best.

    share      1 - r / ((n - 1) / 2): the way from the median rank to the best, 1 for the best and -1 for the worst
    answers    number of answers from which on the recommended kind is the best, T; T = (number asked) + 1 if never
    stopped    whether the contender tells the person to stop; right if the kind recommended then is the best

The contender sees the kinds in the order of the data set, with their features and categories. T is known only in
hindsight: a knock-out is sure of the best after n - 1 = 9 answers, but has T = 4.6 on average, when it meets the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import sushi_catalogue, sushi_orders
from anchorpbo.research.answers.judges import NoisyJudge
from anchorpbo.research.answers.problems import ItemUtility, JudgedProblem
from anchorpbo.research.answers.study_metrics import add_share_after, summarise_studies
from anchorpbo.research.answers.study_task import play
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS, REPLAYS, check_installed
from anchorpbo.typing import Array, IntArray

REPLAY_USERS = 100
REPLAY_ANSWERS = 20
SAMPLES: tuple[Literal["a", "b"], ...] = ("a", "b")
"""``"a"``: everyone ordered the same ten kinds; ``"b"``: each person ordered ten of the hundred."""
_USERS, _USER_SEED = 5000, 18
_SHOWN_ANSWERS = (5, 9, 15, 20)


def make_order_problem(sample: Literal["a", "b"], user: int) -> JudgedProblem:
    """Return the problem whose utility is minus the rank of a kind in the order of a user."""
    kinds = sushi_orders(sample)[user]
    # The catalogue lists the kinds by number: the order of its rows must not tell the person's order.
    catalogue = sushi_catalogue(np.sort(kinds).tolist())
    utility = ItemUtility(catalogue.points, -np.argsort(kinds).astype(np.float64))
    return JudgedProblem.of(f"sushi-{sample}", catalogue, utility, 0.0, catalogue.points)


def draw_users(count: int = REPLAY_USERS) -> IntArray:
    """Return users of the data set, (count,): the first of one fixed draw, so that fewer are a part of more."""
    return np.random.default_rng(_USER_SEED).permutation(_USERS)[:count]


@dataclass(frozen=True)
class ReplayTask(ExperimentTask):
    """The replay of a user's order with one contender; one row per answer, as in `AnswersStudy`."""

    kind: ClassVar[str] = "replay"
    sample: Literal["a", "b"]
    contender: str
    user: int
    """Row number of the user in the data set; also the seed."""
    answers: int = REPLAY_ANSWERS

    def __post_init__(self) -> None:
        if self.sample not in SAMPLES:
            raise UnknownNameError.of("a sample", self.sample, SAMPLES)
        if self.contender not in REPLAYS:
            raise UnknownNameError.of("a contender", self.contender, REPLAYS)

    def prepare(self) -> None:
        """Load the orders; raise if they or the contender's library are missing."""
        check_installed(self.contender)
        sushi_catalogue(sushi_orders(self.sample)[0].tolist())

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        return 0.1 * self.answers * PEOPLE_CONTENDERS[self.contender].effort

    def run(self) -> RecordColumns:
        """Replay the order."""
        problem = make_order_problem(self.sample, self.user)
        no_anchors = np.empty((0, problem.space.dimension))
        contender = REPLAYS[self.contender].make(problem.space, no_anchors, self.user)
        rows = list(play(contender, NoisyJudge(problem, _no_deviation), self.answers, self.user))
        return {name: [row[name] for row in rows] for name in rows[0]}


def _no_deviation(X: Array) -> Array:
    return np.zeros(len(X))


def make_replay_tasks(contenders: Sequence[str], users: int, answers: int = REPLAY_ANSWERS) -> list[ReplayTask]:
    """Return the tasks of both samples, user by user."""
    return [
        ReplayTask(sample, contender, user, answers)
        for user in draw_users(users).tolist()
        for sample in SAMPLES
        for contender in contenders
    ]


def measure_users(records: pl.DataFrame, answers: int) -> pl.DataFrame:
    """Return one row per sample, contender and person, with at least so many answers, of the measures of a replay."""
    names = {"problem": pl.col("sample"), "seed": pl.col("user"), "judge": pl.lit("sure"), "placement": pl.lit("none")}
    users = summarise_studies(records.with_columns(**names), answers)
    for shown in _SHOWN_ANSWERS:
        users = add_share_after(users, shown) if shown <= answers else users
    best = pl.col("reach_95")  # only the best kind has a share above 0.95
    stopped = pl.col("stop_answer").is_not_null().cast(pl.Float64)
    return users.select(
        pl.col("problem").alias("sample"),
        "contender",
        pl.col("seed").cast(pl.String).alias("person"),
        pl.col("^share_.*$"),
        "area",
        best.fill_null(answers + 1).cast(pl.Float64).alias("answers"),
        best.is_not_null().cast(pl.Float64).alias("found"),
        pl.when("has_rule").then(stopped).alias("stopped"),
        (pl.col("stop_share") == 1.0).cast(pl.Float64).alias("right"),
        pl.col("failures").cast(pl.Float64),
    )
