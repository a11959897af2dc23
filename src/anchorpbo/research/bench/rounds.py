"""Rounds: each library does a step on the same duels, in turns, so that a busy minute affects all of them.

The first call of each library at a size is a warm-up, unless it takes very long. The slowest first call decides on how
many studies the step is repeated, the same number for all. Fast libraries are timed several times on each study.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.research.bench.benchmark_worker import Answer
from anchorpbo.research.bench.contender import Step, load_contender
from anchorpbo.research.bench.measurement import Measurement, Row, find_limit, is_stopped
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.simulated_duels import simulate_dataset

STUDIES_BY_SECONDS = ((2.0, 5), (20.0, 3))
"""Pairs (seconds, studies): steps faster than this are repeated on that many studies. Slower steps run on one study,
and the first call counts."""
FAST_SECONDS, FAST_REPEATS = 0.3, 5
"""Steps faster than FAST_SECONDS are timed FAST_REPEATS times on each study, and the median is used."""


@dataclass(frozen=True)
class RoundTiming(Measurement):
    """The times of a step at one size."""

    section = "rounds"

    step: Step
    m: int
    """Duels."""
    d: int
    """Dimension."""
    threads: int
    """1, or 0 for the libraries' defaults."""
    contenders: tuple[str, ...]
    """Names of the contenders; libraries without this step are left out."""
    most: int | None = None
    """Maximum number of studies."""

    @property
    def effort(self) -> float:
        """Relative duration, estimated from the growth of the slowest library."""
        return 2.0 + self.m**2 / 2500.0

    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the answers of every library, ``{"runs": {name: [answer, ...]}}``, one per study."""
        names = [name for name in self.contenders if self.step in load_contender(name).performs]
        runs: dict[str, list[Answer]] = {}
        firsts: dict[str, Answer] = {}
        for name in names:
            hopeless = self._hopeless(name, rows, pool.limit)
            answer = self._call(pool, name, 0) if hopeless is None else hopeless
            if is_stopped(answer):
                runs[name] = [answer]
            else:
                firsts[name] = answer
                runs[name] = []
        studies = self._studies(firsts.values())
        for seed in range(studies):
            for name in list(firsts):
                first = firsts[name]
                slow = first["seconds"] >= STUDIES_BY_SECONDS[-1][0]
                answer = (
                    first if slow and seed == 0 else self._typical(pool, name, seed, first["seconds"] < FAST_SECONDS)
                )
                runs[name].append(answer)
                if is_stopped(answer):
                    del firsts[name]
        return {"limit": pool.limit, "runs": runs}

    def _call(self, pool: BenchmarkPool, name: str, seed: int) -> Answer:
        dataset = simulate_dataset(self.d, self.m, seed)
        job = {"do": "step", "contender": name, "step": self.step, "dataset": dataset.to_plain()}
        return {"seed": seed, **pool.call(name, self.threads, job)}

    def _typical(self, pool: BenchmarkPool, name: str, seed: int, fast: bool) -> Answer:
        """Return the answer with the median time."""
        answers = [self._call(pool, name, seed) for _ in range(FAST_REPEATS if fast and self.most is None else 1)]
        bad = [answer for answer in answers if answer["status"] != "ok"]
        return bad[0] if bad else sorted(answers, key=lambda answer: answer["seconds"])[len(answers) // 2]

    def _studies(self, firsts: Iterable[Answer]) -> int:
        slowest = max((first["seconds"] for first in firsts), default=None)
        if slowest is None:
            return 0
        count = next((count for below, count in STUDIES_BY_SECONDS if slowest < below), 1)
        return count if self.most is None else min(count, self.most)

    def _hopeless(self, name: str, rows: Sequence[Row], limit: float) -> Answer | None:
        """Return a stopped answer if the library was stopped at fewer duels and this limit or more, else ``None``."""
        for row in rows:
            if row["section"] != self.section or row["m"] >= self.m:
                continue
            if (row["step"], row["d"], row["threads"]) == (self.step, self.d, self.threads):
                for answer in row["runs"].get(name, ()):
                    if is_stopped(answer) and find_limit(answer) >= limit:
                        # If other parts finished before it, the running part says nothing about larger sizes.
                        running = None if answer.get("laps") else answer.get("running")
                        return {**answer, "laps": {}, "running": running, "seed": 0, "assumed": True}
        return None
