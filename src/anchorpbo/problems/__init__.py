"""Test problems, simulated users and simulated studies."""

from collections.abc import Callable

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import mixed
from anchorpbo.problems.answers import PairAnswers
from anchorpbo.problems.base import Problem
from anchorpbo.problems.candy import candy, candy_anchors, candy_items
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.problems.judge import ExactJudge, SimulatedJudge
from anchorpbo.problems.nearest_neighbours import RatedItems
from anchorpbo.problems.simulation import SimulatedDuel, SimulatedRound, play, simulate
from anchorpbo.problems.soundquality import RepeatedAnswers, soundquality_answers, soundquality_modes
from anchorpbo.problems.sushi import (
    sushi,
    sushi_anchors,
    sushi_catalogue,
    sushi_items,
    sushi_orders,
    sushi_scores,
)
from anchorpbo.problems.synthetic import (
    ACKLEY6,
    BRANIN,
    HARTMANN3,
    HARTMANN4,
    HARTMANN6,
    LEVY4,
    ROSENBROCK3,
    SIX_HUMP_CAMEL,
    STYBLINSKI_TANG5,
    TOY,
    TOY_ANCHORS,
    ackley,
)
from anchorpbo.problems.train import train_answers

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        BRANIN,
        SIX_HUMP_CAMEL,
        HARTMANN3,
        ROSENBROCK3,
        HARTMANN4,
        LEVY4,
        STYBLINSKI_TANG5,
        HARTMANN6,
        ACKLEY6,
    )
}
"""Test problems by name, from two dimensions to six."""

_FROM_FILES: dict[str, Callable[[], Problem]] = {"sushi": sushi, "candy": candy}


def get_problem(name: str) -> Problem:
    """Return a problem by name: one of `PROBLEMS`, ``"toy"``, or ``"sushi"`` or ``"candy"``, which need data files."""
    if name in _FROM_FILES:
        return _FROM_FILES[name]()
    problems = {**PROBLEMS, TOY.name: TOY}
    if name not in problems:
        raise UnknownNameError.of("a problem", name, {*problems, *_FROM_FILES})
    return problems[name]


__all__ = [
    "ACKLEY6",
    "BRANIN",
    "HARTMANN3",
    "HARTMANN4",
    "HARTMANN6",
    "LEVY4",
    "PROBLEMS",
    "ROSENBROCK3",
    "SIX_HUMP_CAMEL",
    "STYBLINSKI_TANG5",
    "TOY",
    "TOY_ANCHORS",
    "ExactJudge",
    "PairAnswers",
    "Problem",
    "RatedItems",
    "RepeatedAnswers",
    "SimulatedDuel",
    "SimulatedJudge",
    "SimulatedRound",
    "ackley",
    "candy",
    "candy_anchors",
    "candy_items",
    "fetch_data_file",
    "get_problem",
    "mixed",
    "play",
    "simulate",
    "soundquality_answers",
    "soundquality_modes",
    "sushi",
    "sushi_anchors",
    "sushi_catalogue",
    "sushi_items",
    "sushi_orders",
    "sushi_scores",
    "train_answers",
]
