"""The tasks of the benchmark with real people: which contenders meet which data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.people import score_contradictions as contradictions
from anchorpbo.research.people.answer_consistency import ConsistencyTask
from anchorpbo.research.people.answer_prediction import PREDICTION_SIZES, make_prediction_tasks
from anchorpbo.research.people.order_replay import REPLAY_ANSWERS, REPLAY_USERS, make_replay_tasks
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS, PREDICTORS, REPLAYS
from anchorpbo.research.people.person_orders import PERSONS, make_person_tasks
from anchorpbo.research.people.population_orders import make_population_tasks, make_simulated_tasks
from anchorpbo.research.people.repeat_agreement import LISTENERS, make_agreement_tasks

DATASETS = ("sushi", "train", "soundquality")
"""Data sets, by the name of their folder."""
STUDIES = {
    "replays": ("sushi",),
    "predictions": ("train", "soundquality"),
    "consistency": ("soundquality",),
    "agreement": ("soundquality",),
    "contradictions": ("sushi",),
    "population": ("sushi",),
    "simulated": ("sushi",),
    "persons": ("sushi",),
}
"""Studies of the benchmark by name, with the data sets that they use."""
WITH_CONTENDERS = ("replays", "predictions", "consistency")
"""Studies that are run if contenders are named; the others compare models of their own."""
QUICK_CONTENDERS = ("default", "version-1", "linear", "chance", "random", "knock-out")
QUICK_PEOPLE, QUICK_ANSWERS = 2, 8
QUICK_TOLD, QUICK_ASKED, QUICK_ANCHORS = 20, 20, ("eaten",)
"""Numbers of people to learn from and to predict, and anchors, in a study of the population with few people."""


@dataclass(frozen=True)
class PeoplePart:
    """A part of the benchmark; ``None`` stands for all of it, or for a little if `quick`."""

    datasets: tuple[str, ...] | None = None
    contenders: tuple[str, ...] | None = None
    people: int | None = None
    """Number of people of each data set."""
    quick: bool = False
    studies: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _check_names("a study", self.studies, STUDIES)
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
    makers: dict[str, Callable[[], Iterable[ExperimentTask]]] = {
        "replays": lambda: make_replay_tasks(replaying, people or REPLAY_USERS, part.answers),
        "predictions": lambda: [
            task
            for name, size in PREDICTION_SIZES.items()
            if name.partition("-")[0] in datasets
            for task in make_prediction_tasks(name, predicting, people or size)
        ],
        "consistency": lambda: [ConsistencyTask(min(people or LISTENERS, LISTENERS))],
        "agreement": lambda: make_agreement_tasks(people or LISTENERS),
        "contradictions": lambda: [contradictions.ContradictionTask(people or contradictions.PERSONS)],
        "population": lambda: _plan_population(people),
        "simulated": lambda: make_simulated_tasks() if people is None else make_simulated_tasks(QUICK_TOLD, 1),
        "persons": lambda: make_person_tasks(people or PERSONS),
    }
    wanted = part.studies or (WITH_CONTENDERS if part.contenders else tuple(STUDIES))
    tasks = [task for name in wanted if set(STUDIES[name]) & {*datasets} for task in makers[name]()]
    if not tasks:
        rule = "the contenders must predict answers, or replay orders, of one of the data sets"
        raise InputError(rule, ", ".join(names), "leave out --data, --studies or --contenders")
    return tasks


def _plan_population(people: int | None) -> Sequence[ExperimentTask]:
    if people is None:
        return make_population_tasks()
    return make_population_tasks((max(people, QUICK_TOLD),), 1, max(people, QUICK_ASKED), QUICK_ANCHORS)


def _check_names(noun: str, names: Iterable[str] | None, known: Collection[str]) -> None:
    for name in names or ():
        if name not in known:
            raise UnknownNameError.of(noun, name, known)
