"""Costs of a fresh process: start-up time including imports, and peak memory after one whole round."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from anchorpbo.errors import RunError
from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.process_pool import BenchmarkPool, make_environment
from anchorpbo.research.bench.simulated_duels import simulate_dataset

_FIRST_ASK = """
import anchorpbo as ap
study = ap.Optimizer(ap.Space(a=ap.Real(0, 1), b=ap.Real(0, 1), c=ap.Real(0, 1)), [{"a": 0.5, "b": 0.5, "c": 0.5}])
for i in range(10):
    study.tell_preference({"a": 0.1 * i, "b": 0.2, "c": 0.3}, {"a": 0.3, "b": 0.1 * i + 0.05, "c": 0.6})
study.ask()
"""
_BOTORCH_FIRST_ASK = """
import torch, warnings
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
warnings.simplefilter("ignore")
torch.set_default_dtype(torch.float64)
winners = [[0.1 * i, 0.2, 0.3] for i in range(10)]
losers = [[0.3, 0.1 * i + 0.05, 0.6] for i in range(10)]
model = PairwiseGP(torch.tensor(winners + losers), torch.tensor([[i, 10 + i] for i in range(10)]))
fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
bounds = torch.stack([torch.zeros(3), torch.ones(3)])
acquisition = AnalyticExpectedUtilityOfBestOption(pref_model=model)
optimize_acqf(acquisition, bounds=bounds, q=2, num_restarts=8, raw_samples=256)
"""
_COMPILED_FIRST_ASK = f"""
from anchorpbo.numerics.tiering import compile_eagerly
with compile_eagerly():
    exec({_FIRST_ASK!r})
"""
PROGRAMS: dict[str, str] = {
    "python": "pass",
    "numpy": "import numpy",
    "anchorpbo": "import numpy, anchorpbo",
    "stack": "import numpy, scipy.linalg, scipy.optimize, scipy.special, numba",
    "first ask": _FIRST_ASK,
    "first ask, cold": _FIRST_ASK,
    "botorch": "import botorch",
    "botorch first ask": _BOTORCH_FIRST_ASK,
}
"""Programs by name: imports, and the first ask after ten duels in three dimensions."""
WARM_PROGRAM = "first ask"
"""The program that runs with all machine code cached on disk."""
COLD_PROGRAM = "first ask, cold"
"""The program that runs with an empty cache of machine code, as after an installation."""


@dataclass(frozen=True)
class StartupTime(Measurement):
    """The time of each program in a fresh process, measured in turns."""

    section = "startup"

    programs: tuple[str, ...]
    repeats: int

    @property
    def effort(self) -> float:
        """About one second per program, plus compilation."""
        return 2.0 * len(self.programs) * self.repeats + 20.0

    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return ``{"seconds": {name: [...]}}``."""
        seconds: dict[str, list[float]] = {name: [] for name in self.programs}
        for name in self.programs:  # warm up the system's caches and the cache of machine code
            if name != COLD_PROGRAM:
                _time_program(name, _COMPILED_FIRST_ASK if name == WARM_PROGRAM else None)
        for _ in range(self.repeats):
            for name in self.programs:
                seconds[name].append(_time_program(name))
        return {"seconds": seconds}


def _time_program(name: str, instead: str | None = None) -> float:
    """Return the seconds that a program takes, or ``instead`` under the same conditions."""
    with TemporaryDirectory() as empty:
        variables = {**make_environment(1), **({"NUMBA_CACHE_DIR": empty} if name == COLD_PROGRAM else {})}
        variables.pop(
            "PYTHONDONTWRITEBYTECODE", None
        )  # an installer writes bytecode; a checkout gets it at its first run
        began = perf_counter()
        command = [sys.executable, "-c", PROGRAMS[name] if instead is None else instead]
        ended = subprocess.run(command, check=False, env=variables, capture_output=True, text=True)
        seconds = perf_counter() - began
    if ended.returncode:
        message = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        remedy = "repair that installation, or leave startup out: anchorpbo bench rounds"
        raise RunError(f'the start-up program "{name}" must run', message, remedy)
    return seconds


@dataclass(frozen=True)
class PeakMemory(Measurement):
    """The peak memory of one library at one size; for 0 duels, after loading."""

    section = "memory"

    contender: str
    m: int
    d: int

    @property
    def effort(self) -> float:
        """About one round, plus the time to load."""
        return 3.0 + self.m**2 / 5000.0

    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the answer of the process; if stopped at the time limit, the peak memory until then."""
        job: dict[str, Any] = {"do": "load", "contender": self.contender}
        if self.m:
            # Compiling machine code that is not cached yet takes memory, but only once, so it is not counted.
            few = {**job, "do": "step", "step": "round", "dataset": simulate_dataset(self.d, 4, 0).to_plain()}
            pool.call(self.contender, 1, few)
            job = {**job, "do": "step", "step": "round", "dataset": simulate_dataset(self.d, self.m, 0).to_plain()}
        return {"limit": pool.limit, **pool.call_fresh(1, job)}
