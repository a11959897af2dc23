"""Replays of real orders: a contender asks duels that a person's order of ten kinds of sushi answers, never wrongly.

Symbols: n = 10 kinds; r the rank of the recommended kind in the person's order, 0 for the best.

    share      1 - r / ((n - 1) / 2): the way from the median rank to the best, 1 for the best and -1 for the worst
    answers    number of answers from which on the recommended kind is the best, T; T = (number asked) + 1 if never

The contender sees the kinds in the order of the data set, with their features and categories. T is known only in
hindsight: a knock-out is sure of the best after n - 1 = 9 answers, but has T = 4.6 on average, when it meets the best.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import sushi_catalogue, sushi_orders
from anchorpbo.research.answers.answer_prediction import STUDY_OPTIONS
from anchorpbo.research.answers.pairwise_models import expand_categories, fit_pairwise_gp
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.space import Catalogue
from anchorpbo.study import Duel, Optimizer
from anchorpbo.typing import IntArray

REPLAY_USERS = 50
REPLAY_ANSWERS = 20
SAMPLES: tuple[Literal["a", "b"], ...] = ("a", "b")
"""``"a"``: everyone ordered the same ten kinds; ``"b"``: each person ordered ten of the hundred."""
_USER_SEED = 18


# -- contenders --------------------------------------------------------------------------------------------------------


class ReplayContender(ABC):
    """Abstract method that asks duels between the items of a catalogue and recommends one of them."""

    @abstractmethod
    def ask(self) -> tuple[int, int]:
        """Return the row numbers of the next two items to compare."""

    @abstractmethod
    def tell(self, winner: int, loser: int) -> None:
        """Add the answer to the last duel."""

    @abstractmethod
    def recommend(self) -> int:
        """Return the row number of the recommended item; called after at least one answer."""


class StudyReplay(ReplayContender):
    """A study of this library."""

    def __init__(self, catalogue: Catalogue, seed: int, options: Mapping[str, Any]) -> None:
        self.study = Optimizer(catalogue, seed=seed, **options)
        self.rows = {item[catalogue.key]: row for row, item in enumerate(catalogue.items)}
        self.key = catalogue.key
        self.duel: Duel | None = None

    def ask(self) -> tuple[int, int]:
        """Return the duel of the study."""
        self.duel = self.study.ask()
        return self.rows[self.duel.first[self.key]], self.rows[self.duel.second[self.key]]

    def tell(self, winner: int, loser: int) -> None:
        """Tell the study the outcome."""
        assert self.duel is not None
        self.study.tell(self.duel, "first" if self.rows[self.duel.first[self.key]] == winner else "second")

    def recommend(self) -> int:
        """Return the recommendation of the study."""
        return self.rows[self.study.recommend().design[self.key]]


class RandomReplay(ReplayContender):
    """Random pairs, none twice, with the model of a study of the default preset."""

    def __init__(self, catalogue: Catalogue, seed: int) -> None:
        self.study, self.items = Optimizer(catalogue, seed=seed), catalogue.items
        self.rows = {item[catalogue.key]: row for row, item in enumerate(self.items)}
        self.key = catalogue.key
        pairs = list(combinations(range(len(self.items)), 2))
        order: list[int] = np.random.default_rng([seed, 1]).permutation(len(pairs)).tolist()
        self.pairs = iter([pairs[i] for i in order])

    def ask(self) -> tuple[int, int]:
        """Return the next pair."""
        return next(self.pairs)

    def tell(self, winner: int, loser: int) -> None:
        """Tell the study which item won."""
        self.study.tell_preference(self.items[winner], self.items[loser])

    def recommend(self) -> int:
        """Return the recommendation of the study."""
        return self.rows[self.study.recommend().design[self.key]]


class BoTorchReplay(ReplayContender):
    """BoTorch's `PairwiseGP`, refitted after every answer, and EUBO over all pairs; recommends the best mean.

    It starts with the initial duels of a study with the same seed.
    """

    def __init__(self, catalogue: Catalogue, seed: int) -> None:
        self.initial: StudyReplay | None = StudyReplay(catalogue, seed, {})
        self.points = expand_categories(catalogue, catalogue.points)
        self.pairs = np.array(list(combinations(range(len(catalogue)), 2)))
        self.comparisons: list[tuple[int, int]] = []
        self.model: Any = None

    def ask(self) -> tuple[int, int]:
        """Return an initial pair, or the pair of largest EUBO."""
        if self.initial is not None:
            return self.initial.ask()
        import torch
        from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

        with torch.no_grad():
            values = AnalyticExpectedUtilityOfBestOption(pref_model=self.model)(torch.tensor(self.points[self.pairs]))
        first, second = self.pairs[int(values.argmax())].tolist()
        return first, second

    def tell(self, winner: int, loser: int) -> None:
        """Add the answer and fit again."""
        if self.initial is not None:
            self.initial.tell(winner, loser)
            if len(self.initial.study) >= self.initial.study.plan.initial:
                self.initial = None
        self.comparisons.append((winner, loser))
        self.model = fit_pairwise_gp(self.points, np.array(self.comparisons))

    def recommend(self) -> int:
        """Return the item of best posterior mean."""
        import torch

        with torch.no_grad():
            return int(self.model.posterior(torch.tensor(self.points)).mean[:, 0].argmax())


class KnockoutReplay(ReplayContender):
    """The winner of a duel meets the next item; after the last item, the duels repeat without effect."""

    def __init__(self, catalogue: Catalogue, seed: int) -> None:
        order: list[int] = np.random.default_rng([seed, 1]).permutation(len(catalogue)).tolist()
        self.champion, self.waiting, self.beaten = order[0], order[1:], order[1]

    def ask(self) -> tuple[int, int]:
        """Return the champion and the next item."""
        return self.champion, self.waiting[0] if self.waiting else self.beaten

    def tell(self, winner: int, loser: int) -> None:
        """Keep the winner."""
        self.champion, self.beaten = winner, loser
        self.waiting = self.waiting[1:]

    def recommend(self) -> int:
        """Return the champion."""
        return self.champion


def _make_study(name: str) -> Callable[[Catalogue, int], ReplayContender]:
    return lambda catalogue, seed: StudyReplay(catalogue, seed, STUDY_OPTIONS[name](catalogue))


REPLAY_CONTENDERS: Mapping[str, Callable[[Catalogue, int], ReplayContender]] = {
    **{name: _make_study(name) for name in STUDY_OPTIONS},
    "botorch": BoTorchReplay,
    "random": RandomReplay,
    "knock-out": KnockoutReplay,
}
"""Contenders of the replays by name: functions of a catalogue and a seed."""


# -- replay ------------------------------------------------------------------------------------------------------------


def replay_order(order: Sequence[int], contender: ReplayContender, answers: int) -> list[int]:
    """Return the rank of the recommended item after each answer, 0 for the best.

    Parameters
    ----------
    order
        Row numbers of the items, the best first.
    """
    rank = {row: position for position, row in enumerate(order)}
    ranks = []
    for _ in range(answers):
        pair = contender.ask()
        contender.tell(*sorted(pair, key=rank.__getitem__))
        ranks.append(rank[contender.recommend()])
    return ranks


def draw_users(count: int = REPLAY_USERS) -> IntArray:
    """Return users of the data set, (count,): the first of one fixed draw, so that fewer are a part of more."""
    return np.random.default_rng(_USER_SEED).permutation(5000)[:count]


@dataclass(frozen=True)
class ReplayTask(ExperimentTask):
    """The replays of one contender for a block of users; one row per user and answer."""

    kind: ClassVar[str] = "replay"
    sample: Literal["a", "b"]
    contender: str
    start: int
    """Position of the first user in `draw_users`."""
    stop: int
    answers: int = REPLAY_ANSWERS

    def __post_init__(self) -> None:
        if self.sample not in SAMPLES:
            raise UnknownNameError.of("a sample", self.sample, SAMPLES)
        if self.contender not in REPLAY_CONTENDERS:
            raise UnknownNameError.of("a contender", self.contender, REPLAY_CONTENDERS)

    def prepare(self) -> None:
        """Load the orders, or raise if they are missing."""
        sushi_catalogue(sushi_orders(self.sample)[0].tolist())

    @property
    def effort(self) -> float:
        """Answers, weighted by the time of the contender."""
        return (self.stop - self.start) * self.answers * {"knock-out": 0.01, "botorch": 4.0}.get(self.contender, 1.0)

    def run(self) -> RecordColumns:
        """Replay the orders."""
        users, ranks = draw_users(self.stop)[self.start :].tolist(), []
        for user in users:
            kinds = sushi_orders(self.sample)[user]
            # The catalogue lists the kinds by number: the order of its rows must not tell the person's order.
            rows = np.argsort(np.argsort(kinds)).tolist()
            contender = REPLAY_CONTENDERS[self.contender](sushi_catalogue(np.sort(kinds).tolist()), user)
            ranks.append(replay_order(rows, contender, self.answers))
        table = np.array(ranks)
        return {
            "user": np.repeat(users, self.answers),
            "answer": np.tile(np.arange(1, self.answers + 1), len(users)),
            "rank": table.ravel(),
            "share": 1.0 - table.ravel() / ((len(kinds) - 1) / 2.0),
        }


def make_replay_tasks(
    contenders: Sequence[str] = tuple(REPLAY_CONTENDERS),
    users: int = REPLAY_USERS,
    block: int = 10,
    answers: int = REPLAY_ANSWERS,
) -> list[ReplayTask]:
    """Return the tasks of both samples; one per contender and block of users."""
    return [
        ReplayTask(sample, contender, start, min(start + block, users), answers)
        for start in range(0, users, block)
        for sample in SAMPLES
        for contender in contenders
    ]


# -- tables ------------------------------------------------------------------------------------------------------------


def count_answers(ranks: Sequence[int]) -> int:
    """Return the number of answers from which on the recommended item is the best, or one more than all if never."""
    wrong = np.flatnonzero(np.asarray(ranks) != 0)
    return int(wrong[-1]) + 2 if len(wrong) else 1


_BY = ("sample", "contender")


def measure_users(records: pl.DataFrame, at: Sequence[int] = (5, 10, 15, 20)) -> pl.DataFrame:
    """Return one row per sample, contender and user: shares after some answers, their area, T, and whether T exists."""
    rows = []
    replays = records.filter(pl.col("kind") == ReplayTask.kind).sort("answer", maintain_order=True)
    for key, group in replays.group_by(*_BY, "user", maintain_order=True):
        share, needed = group["share"].to_numpy(), count_answers(group["rank"].to_list())
        shares = {f"share after {n}": float(share[n - 1]) for n in at if n <= len(share)}
        measures = {"area": float(share.mean()), "answers": float(needed), "found": float(needed <= len(share))}
        rows.append({**dict(zip((*_BY, "user"), key, strict=True)), **shares, **measures})
    return pl.DataFrame(rows)


def summarise_replays(records: pl.DataFrame, baseline: str | None = None) -> pl.DataFrame:
    """Return the means over users with 95 % intervals; with a baseline, of the paired differences from it."""
    users = measure_users(records)
    measures = [name for name in users.columns if name not in (*_BY, "user")]
    if baseline is not None:
        base = users.filter(pl.col("contender") == baseline).drop("contender")
        users = users.filter(pl.col("contender") != baseline).join(base, on=["sample", "user"], suffix=" of baseline")
        users = users.with_columns([pl.col(name) - pl.col(f"{name} of baseline") for name in measures])
    rows = []
    for key, group in users.group_by(*_BY, maintain_order=True):
        for measure in measures:
            over = Interval.of_mean(group[measure].to_numpy())
            rows.append((*key, measure, len(group), over.mean, over.low, over.high))
    return pl.DataFrame(rows, schema=[*_BY, "measure", "users", "mean", "low", "high"], orient="row")
