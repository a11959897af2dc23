"""Test problems, simulated users, and studies with them."""

from anchorpbo.problems.base import Problem
from anchorpbo.problems.hartmann import HARTMANN3
from anchorpbo.problems.judge import SimulatedJudge
from anchorpbo.problems.simulation import Round, simulate

__all__ = ["HARTMANN3", "Problem", "Round", "SimulatedJudge", "simulate"]
