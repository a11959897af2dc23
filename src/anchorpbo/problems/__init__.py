"""Test problems, simulated users, and studies with them."""

from anchorpbo.problems import designs
from anchorpbo.problems.ackley import ACKLEY6, ackley
from anchorpbo.problems.base import Problem
from anchorpbo.problems.branin import BRANIN
from anchorpbo.problems.camel import SIX_HUMP_CAMEL
from anchorpbo.problems.hartmann import HARTMANN3, HARTMANN4, HARTMANN6
from anchorpbo.problems.judge import SimulatedJudge
from anchorpbo.problems.levy import LEVY4
from anchorpbo.problems.rosenbrock import ROSENBROCK3
from anchorpbo.problems.simulation import Round, simulate
from anchorpbo.problems.styblinski_tang import STYBLINSKI_TANG5

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
    "Problem",
    "Round",
    "SimulatedJudge",
    "ackley",
    "designs",
    "simulate",
]
