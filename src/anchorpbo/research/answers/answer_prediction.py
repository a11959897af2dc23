"""Prediction of real people's answers: each model learns from some answers of a person and predicts others.

Data sets: ``train``, where the first answers predict the rest, and ``soundquality``, where the first repetition of the
pairs predicts the later ones (``soundquality-category`` without a description of the modes). Measures per person:

    log_likelihood    mean of log p(answer) over the predicted answers; log(1/2) = -0.693 without knowledge
    accuracy          share of them with p(answer) > 1/2; a half counts for p(answer) = 1/2

People are independent, so means have t intervals over people, and two models are compared on the same people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy.special import expit

from anchorpbo.errors import UnknownNameError
from anchorpbo.model import Learn, LogNormal
from anchorpbo.problems import PairAnswers, RepeatedAnswers, soundquality_answers, train_answers
from anchorpbo.research.answers.pairwise_models import (
    expand_categories,
    fit_linear_utility,
    fit_pairwise_gp,
    predict_pairwise_gp,
)
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.space import DesignSpace
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array, BoolArray

TRAIN_COUNTS = (4, 6, 8, 10)
"""Numbers of answers that a model of a traveller learns from."""
SOUND_COUNTS = (7, 14, 28)
"""Numbers of answers of a listener's first repetition, 28 pairs, that a model learns from."""
MEASURES = ("log_likelihood", "accuracy")

StudyOptions = Callable[[DesignSpace], Mapping[str, Any]]
"""Function from a space to the options of an `Optimizer`."""


# -- predictors --------------------------------------------------------------------------------------------------------


class AnswerPredictor(ABC):
    """Abstract model of one person's answers."""

    @abstractmethod
    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return the probability, (n,), that the person prefers the first of each pair, (n, 2, d).

        Parameters
        ----------
        told
            Answers to learn from.
        pairs
            Coordinates of the designs to compare.
        """


@dataclass(frozen=True)
class StudyPredictor(AnswerPredictor):
    """The model of a study, after it has been told the answers."""

    options: StudyOptions

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return the predictions of the model behind `Optimizer.recommend`."""
        study = Optimizer(told.space, **self.options(told.space))
        for winner, loser in zip(told.winners, told.losers, strict=True):
            study.tell_preference(told.space.decode(winner), told.space.decode(loser))
        return study.model.prob_choose(pairs[:, 0], pairs[:, 1])


class BoTorchPredictor(AnswerPredictor):
    """BoTorch's `PairwiseGP` with a probit likelihood."""

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Fit the hyper-parameters and return the predictions."""
        both = expand_categories(told.space, np.vstack([told.winners, told.losers]))
        model = fit_pairwise_gp(both, np.arange(2 * len(told)).reshape(2, -1).T)
        flat = expand_categories(told.space, pairs.reshape(-1, pairs.shape[-1]))
        return predict_pairwise_gp(model, flat.reshape(len(pairs), 2, -1))


@dataclass(frozen=True)
class LinearPredictor(AnswerPredictor):
    """Linear utility with a logit link and a ridge; Bradley-Terry for categories."""

    ridge: float

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Fit the weights and return the predictions."""
        differences = expand_categories(told.space, told.winners) - expand_categories(told.space, told.losers)
        first, second = (expand_categories(told.space, pairs[:, side]) for side in (0, 1))
        return np.asarray(expit((first - second) @ fit_linear_utility(differences, self.ridge)))


class CoinPredictor(AnswerPredictor):
    """No knowledge: one half for every answer."""

    def predict(self, told: PairAnswers, pairs: Array) -> Array:
        """Return one half."""
        return np.full(len(pairs), 0.5)


def use_default(space: DesignSpace) -> Mapping[str, Any]:
    """Return no options: the default preset."""
    return {}


def use_short_priors(space: DesignSpace) -> Mapping[str, Any]:
    """Return the default preset with shorter and tighter priors."""
    lengths = LogNormal(0.15 * float(np.sqrt(space.dimension)), 0.3)
    return {
        "learn": {
            "lengthscale": Learn((0.03, 10.0), lengths),
            "outputscale": Learn((1e-2, 1e4), LogNormal(20.0, 0.7)),
        }
    }


STUDY_OPTIONS: Mapping[str, StudyOptions] = {"default": use_default, "short-priors": use_short_priors}
"""Studies of this library by the name of the contender."""
PREDICTORS: Mapping[str, AnswerPredictor] = {
    **{name: StudyPredictor(options) for name, options in STUDY_OPTIONS.items()},
    "botorch": BoTorchPredictor(),
    "linear": LinearPredictor(1.0),
    "coin": CoinPredictor(),
}
"""Contenders of the prediction by name. The ridge of 1 was chosen among eight values from 0.01 to 2 on these data,
which favours the linear model; with a ridge of 0.1 its log likelihood is 0.01 to 0.18 lower."""


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
        """Load the data set, or raise if it is missing."""
        _load_people(self.dataset)

    @property
    def effort(self) -> float:
        """People, weighted by the time of the contender."""
        return (self.stop - self.start) * {"coin": 0.01, "linear": 0.02, "botorch": 10.0}.get(self.contender, 1.0)

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
    contenders: Sequence[str] = tuple(PREDICTORS), people: int | None = None, block: int = 10
) -> list[PredictionTask]:
    """Return the tasks of all data sets.

    Parameters
    ----------
    contenders
        Names of `PREDICTORS`.
    people
        Number of people per data set; ``None`` for all.
    block
        Number of people per task.
    """
    return [
        PredictionTask(dataset, contender, start, min(start + block, people or size, size))
        for dataset, size in PREDICTION_SIZES.items()
        for contender in contenders
        for start in range(0, min(people or size, size), block)
    ]


# -- tables ------------------------------------------------------------------------------------------------------------

_GROUP = ("dataset", "target", "told")


def average_by_person(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per data set, target, number of answers told, contender and person: the means of the measures."""
    rows = records.filter(pl.col("kind") == PredictionTask.kind)
    return rows.group_by(*_GROUP, "contender", "person", maintain_order=True).agg(pl.col(*MEASURES).mean())


def summarise_predictions(records: pl.DataFrame) -> pl.DataFrame:
    """Return the means over people of both measures with 95 % intervals; one row per contender and measure."""
    rows = []
    for key, group in average_by_person(records).group_by(*_GROUP, "contender", maintain_order=True):
        for measure in MEASURES:
            over = Interval.of_mean(group[measure].to_numpy())
            rows.append((*key, measure, len(group), over.mean, over.low, over.high))
    return _make_frame(rows, ("contender", "measure", "people"))


def compare_predictions(records: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Return the differences of contenders from one of them, paired by person, with 95 % intervals."""
    people = average_by_person(records)
    base = people.filter(pl.col("contender") == baseline).drop("contender")
    paired = people.filter(pl.col("contender") != baseline).join(base, on=[*_GROUP, "person"], suffix="_base")
    rows = []
    for key, group in paired.group_by(*_GROUP, "contender", maintain_order=True):
        for measure in MEASURES:
            over = Interval.of_mean((group[measure] - group[f"{measure}_base"]).to_numpy())
            rows.append((*key, baseline, measure, len(group), over.mean, over.low, over.high))
    return _make_frame(rows, ("contender", "baseline", "measure", "people"))


def _make_frame(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[*_GROUP, *names, "mean", "low", "high"], orient="row")
