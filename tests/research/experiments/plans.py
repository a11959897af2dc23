"""Tasks for tests of the runner: studies of a few rounds, and tasks that misbehave."""

import os
import signal
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.records import MEASURED_COLUMNS
from anchorpbo.research.experiments.simulated_study import SimulatedStudy


def trials(seeds=2, rounds=2):
    """Eight studies of a second or so for two seeds."""
    return [
        SimulatedStudy("hartmann3", strategy, seed, rounds=rounds)
        for seed in range(seeds)
        for strategy in ("ucb", "eubo", "anpei", "raeubo")
    ]


def results(store, tasks):
    """All that does not depend on when and where the tasks were done."""
    return store.read(tasks).drop(MEASURED_COLUMNS, strict=False)


@dataclass(frozen=True)
class Draw(ExperimentTask):
    """Some random numbers."""

    kind: ClassVar[str] = "draw"
    seed: int
    rows: int = 3

    def run(self):
        rng = np.random.default_rng(self.seed)
        return {"row": np.arange(self.rows), "x": rng.random(self.rows), "pair": rng.random((self.rows, 2))}


@dataclass(frozen=True)
class Slow(Draw):
    """The same, after a while."""

    kind: ClassVar[str] = "slow"
    seconds: float = 0.2

    def run(self):
        time.sleep(self.seconds)
        return super().run()


@dataclass(frozen=True)
class Failing(Draw):
    """Raises."""

    kind: ClassVar[str] = "failing"

    def run(self):
        raise ZeroDivisionError(f"seed {self.seed}")


@dataclass(frozen=True)
class Deadly(Draw):
    """Kills the process it is in."""

    kind: ClassVar[str] = "deadly"

    def run(self):
        os.kill(os.getpid(), signal.SIGKILL)
