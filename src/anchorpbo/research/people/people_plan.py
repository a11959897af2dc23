"""The tasks of the benchmark with real people: which contenders meet which data."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.people.answer_consistency import ConsistencyTask
from anchorpbo.research.people.answer_prediction import PREDICTION_SIZES, make_prediction_tasks
from anchorpbo.research.people.order_replay import REPLAY_ANSWERS, REPLAY_USERS, make_replay_tasks
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS, PREDICTORS, REPLAYS

DATASETS = ("sushi", "train", "soundquality")
"""Data sets, by the name of their folder."""
QUICK_CONTENDERS = ("default", "version-1", "linear", "chance", "random", "knock-out")
QUICK_PEOPLE, QUICK_ANSWERS = 2, 8


@dataclass(frozen=True)
class PeoplePart:
    """A part of the benchmark; ``None`` stands for all of it, or for a little if `quick`."""

    datasets: tuple[str, ...] | None = None
    contenders: tuple[str, ...] | None = None
    people: int | None = None
    """Number of people of each data set."""
    quick: bool = False

    def __post_init__(self) -> None:
        _check_names("a data set", self.datasets, DATASETS)
        _check_names("a contender", self.contenders, PEOPLE_CONTENDERS)
        if self.people is not None:
            as_integer("people", self.people, 1)

    @property
    def answers(self) -> int:
        """Number of answers of a replay."""
        return QUICK_ANSWERS if self.quick else REPLAY_ANSWERS


def plan_people(part: PeoplePart) -> list[ExperimentTask]:
    """Return the tasks of a part."""
    names = part.contenders or (QUICK_CONTENDERS if part.quick else tuple(PEOPLE_CONTENDERS))
    predicting, replaying = ([name for name in names if name in known] for known in (PREDICTORS, REPLAYS))
    datasets = part.datasets or DATASETS
    people = part.people or (QUICK_PEOPLE if part.quick else None)
    tasks: list[ExperimentTask] = []
    if "sushi" in datasets:
        tasks += make_replay_tasks(replaying, people or REPLAY_USERS, part.answers)
    for name, size in PREDICTION_SIZES.items():
        if name.partition("-")[0] in datasets:
            tasks += make_prediction_tasks(name, predicting, people or size)
    if "soundquality" in datasets:
        tasks.append(ConsistencyTask(min(people or PREDICTION_SIZES["soundquality"], PREDICTION_SIZES["soundquality"])))
    if not tasks:
        rule = "the contenders must predict answers, or replay orders, of one of the data sets"
        raise InputError(rule, ", ".join(names), "leave out --data or --contenders")
    return tasks


def _check_names(noun: str, names: Iterable[str] | None, known: Collection[str]) -> None:
    for name in names or ():
        if name not in known:
            raise UnknownNameError.of(noun, name, known)
