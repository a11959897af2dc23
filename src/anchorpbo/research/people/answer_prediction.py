"""Prediction of real people's answers: each model learns from some answers of a person and predicts others.

Data sets: ``train``, where the first answers predict the rest, and ``soundquality``, where the first repetition of the
pairs predicts the later ones (``soundquality-category`` without a description of the modes). Measures per person:

    log_likelihood    mean of log p(answer) over the predicted answers; log(1/2) = -0.693 without knowledge
    accuracy          share of them with p(answer) > 1/2; a half counts for p(answer) = 1/2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import PairAnswers, RepeatedAnswers, soundquality_answers, train_answers
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS, PREDICTORS, check_installed
from anchorpbo.typing import Array, BoolArray

TRAIN_COUNTS = (4, 6, 8, 10)
"""Numbers of answers that a model of a traveller learns from."""
SOUND_COUNTS = (7, 14, 28)
"""Numbers of answers of a listener's first repetition, 28 pairs, that a model learns from."""
MEASURES = ("log_likelihood", "accuracy")


# -- data sets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AnswerSplit:
    """Answers of one person to learn from, and answers to predict."""

    told: PairAnswers
    asked: Mapping[str, PairAnswers]
    """Answers to predict by target: ``"rest"``; ``"retest"`` (time "before") and ``"later"`` (time "after")."""


def _split_train(people: Sequence[PairAnswers]) -> Iterator[AnswerSplit]:
    for person in people:
        for count in TRAIN_COUNTS:
            if len(person) > count:
                yield AnswerSplit(person.select(slice(count)), {"rest": person.select(slice(count, None))})


def _split_listener(number: int, blocks: Sequence[RepeatedAnswers]) -> Iterator[AnswerSplit]:
    for piece, block in enumerate(blocks):
        first = np.flatnonzero(~block.after & (block.repetitions == 1))
        # The order of asking is not known, so the answers told are drawn; fewer are a part of more.
        order = np.random.default_rng([number, piece, 7]).permutation(first)
        targets = {"retest": ~block.after & (block.repetitions > 1), "later": block.after}
        asked = {target: block.answers.select(rows) for target, rows in targets.items() if rows.any()}
        for count in SOUND_COUNTS:
            yield AnswerSplit(block.answers.select(order[:count]), asked)


def _load_people(dataset: str) -> list[Any]:
    """Return one entry per person: the answers, or the listener's number and blocks."""
    if dataset == "train":
        return list(train_answers())
    listeners: dict[str, list[RepeatedAnswers]] = {}
    for block in soundquality_answers(dataset == "soundquality"):
        listeners.setdefault(block.answers.person, []).append(block)
    return list(enumerate(listeners.values()))


PREDICTION_SIZES = {"train": 235, "soundquality": 40, "soundquality-category": 40}
"""Data sets, with their numbers of people."""


def split_answers(dataset: str, start: int, stop: int) -> Iterator[AnswerSplit]:
    """Yield the splits of some people of a data set, by their position in the file."""
    people = _load_people(dataset)[start:stop]
    if dataset == "train":
        yield from _split_train(people)
    else:
        for number, blocks in people:
            yield from _split_listener(number, blocks)


# -- task --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PredictionTask(ExperimentTask):
    """The predictions of one contender for a block of people; one row per person, target and number of answers told."""

    kind: ClassVar[str] = "prediction"
    dataset: str
    contender: str
    start: int
    """Position of the first person."""
    stop: int
    """Position after the last person."""

    def __post_init__(self) -> None:
        if self.dataset not in PREDICTION_SIZES:
            raise UnknownNameError.of("a data set", self.dataset, PREDICTION_SIZES)
        if self.contender not in PREDICTORS:
            raise UnknownNameError.of("a contender", self.contender, PREDICTORS)

    def prepare(self) -> None:
        """Load the data set; raise if it or the contender's library is missing."""
        check_installed(self.contender)
        _load_people(self.dataset)

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        weight = 0.2 if self.dataset == "train" else 1.0
        return (self.stop - self.start) * weight * PEOPLE_CONTENDERS[self.contender].effort

    def run(self) -> RecordColumns:
        """Predict the answers; materials of one listener are rows of their own."""
        predictor, rows = PREDICTORS[self.contender], []
        for split in split_answers(self.dataset, self.start, self.stop):
            p_first = predictor.predict(split.told, np.concatenate([asked.pairs for asked in split.asked.values()]))
            for target, asked in split.asked.items():
                part, p_first = p_first[: len(asked)], p_first[len(asked) :]
                scores = score_predictions(part, asked.first_won)
                rows.append((split.told.person, target, len(split.told), len(asked), *scores))
        names = ("person", "target", "told", "asked", *MEASURES)
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def score_predictions(p_first: Array, first_won: BoolArray) -> tuple[float, float]:
    """Return the mean log likelihood and the accuracy of predictions, (n,), of answers, (n,)."""
    p = np.where(first_won, p_first, 1.0 - p_first)
    # The smallest probability that a double can tell from zero, so that one confident error is not minus infinity.
    return float(np.log(np.maximum(p, 1e-300)).mean()), float(((p > 0.5) + 0.5 * (p == 0.5)).mean())


def make_prediction_tasks(
    dataset: str, contenders: Sequence[str], people: int, block: int = 10
) -> list[PredictionTask]:
    """Return the tasks of a data set.

    Parameters
    ----------
    dataset
        Name of `PREDICTION_SIZES`.
    contenders
        Names of `PREDICTORS`.
    people
        Number of people; at most all of the data set count.
    block
        Number of people per task.
    """
    people = min(people, PREDICTION_SIZES[dataset])
    return [
        PredictionTask(dataset, contender, start, min(start + block, people))
        for start in range(0, people, block)
        for contender in contenders
    ]


def average_by_person(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per data set, target, number of answers told, contender and person: the means of the measures."""
    keys = ("dataset", "target", "told", "contender", "person")
    return records.group_by(*keys, maintain_order=True).agg(pl.col(*MEASURES).mean())
