"""Test problems, simulated users, and studies with them."""

from collections.abc import Callable

from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import designs
from anchorpbo.problems.ackley import ACKLEY6, ackley
from anchorpbo.problems.base import Problem
from anchorpbo.problems.branin import BRANIN
from anchorpbo.problems.camel import SIX_HUMP_CAMEL
from anchorpbo.problems.candy import candy, candy_anchors, candy_items
from anchorpbo.problems.data import data_file
from anchorpbo.problems.hartmann import HARTMANN3, HARTMANN4, HARTMANN6
from anchorpbo.problems.judge import ExactJudge, SimulatedJudge
from anchorpbo.problems.levy import LEVY4
from anchorpbo.problems.nearest import Items
from anchorpbo.problems.rosenbrock import ROSENBROCK3
from anchorpbo.problems.simulation import Round, Turn, play, simulate
from anchorpbo.problems.styblinski_tang import STYBLINSKI_TANG5
from anchorpbo.problems.sushi import sushi, sushi_anchors, sushi_items
from anchorpbo.problems.toy import TOY, TOY_ANCHORS

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


def problem_of(name: str) -> Problem:
    """Find a problem by name: one of `PROBLEMS`, ``"toy"``, or ``"sushi"`` or ``"candy"``, which need data files."""
    if name in _FROM_FILES:
        return _FROM_FILES[name]()
    known = {**PROBLEMS, TOY.name: TOY}
    if name not in known:
        raise UnknownNameError.of("a problem", name, {*known, *_FROM_FILES})
    return known[name]


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
    "Items",
    "Problem",
    "Round",
    "SimulatedJudge",
    "Turn",
    "ackley",
    "candy",
    "candy_anchors",
    "candy_items",
    "data_file",
    "designs",
    "play",
    "problem_of",
    "simulate",
    "sushi",
    "sushi_anchors",
    "sushi_items",
]
