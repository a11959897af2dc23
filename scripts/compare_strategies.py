"""Compare strategies and inferences for the default preset: the tables of docs/decisions/0011-default-strategy.md.

Studies with simulated users differ only in the strategy and are paired by seed: same problem, judge, anchors and
initial duels. Studies that are in the folder are not run again; tables are of all studies in the folder.

    python scripts/compare_strategies.py run OUT --seeds 10 [--only rahbo/hallucination ...]
    python scripts/compare_strategies.py table OUT
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

import anchorpbo as ap
from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.problems import PROBLEMS, Problem, SimulatedJudge, simulate
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.experiments.records import RecordStore

NAMES = ("branin", "six_hump_camel", "hartmann3", "hartmann4", "styblinski_tang5", "hartmann6")
ROUNDS, CHECKPOINTS = 40, (20, 40)
LAST = f"share_{CHECKPOINTS[-1]}"
JUDGES = ("sure", "hesitant")
PLAIN = {"anpei": "ei", "rahbo": "ucb", "raeubo": "eubo"}
"""Risk-neutral twins of the risk-averse strategies."""


def make_judge(problem: Problem, kind: str, seed: int) -> tuple[SimulatedJudge, np.ndarray]:
    """Return a judge and its anchors: without error, or with five anchors and frequent errors far from them."""
    if kind == "sure":
        return SimulatedJudge(problem, ap.Probit(), ap.NoiseMap.constant(1e-12)), np.empty((0, problem.dimension))
    rng = np.random.default_rng([seed, 11])
    anchors = np.clip(problem.optimum + 0.25 * rng.standard_normal((5, problem.dimension)), 0.0, 1.0)
    # Far from all anchors the standard deviation of a judgement is a fifth of the range of utilities.
    scale = (0.2 * (problem.maximum - problem.minimum)) ** 2
    return SimulatedJudge(problem, ap.Probit(), ap.NoiseMap.bounded(anchors, scale=scale, strength=3.0)), anchors


@dataclass(frozen=True)
class StrategyTask(ExperimentTask):
    """A study with a strategy and an inference; one row."""

    kind: ClassVar[str] = "strategies"
    problem: str
    judge: str
    strategy: str
    inference: str
    seed: int

    def run(self) -> RecordColumns:
        """Run the study; record the share of the range that the recommended design reaches after `CHECKPOINTS`."""
        problem = PROBLEMS[self.problem]
        judge, anchors = make_judge(problem, self.judge, self.seed)
        known = [problem.space.decode(x) for x in anchors]
        optimizer = ap.Optimizer(problem.space, known, self.strategy, seed=self.seed, inference=self.inference)
        rounds = list(simulate(optimizer, judge, ROUNDS, self.seed))
        return {
            **{f"share_{look}": problem.share(rounds[look - 1].best[None]) for look in CHECKPOINTS},
            "noise": [np.mean([each.pair_noise for each in rounds[5:]]) / judge.noise.scale],
            "ms": [1e3 * sum(each.seconds for each in rounds) / ROUNDS],
        }


def list_tasks(seeds: int) -> list[StrategyTask]:
    """Return all studies, ordered by seed so that an unfinished run is still paired."""
    return [
        StrategyTask(problem, judge, strategy, inference, seed)
        for seed in range(seeds)
        for problem in NAMES
        for judge in JUDGES
        for strategy in (*PLAIN.values(), *(PLAIN if judge == "hesitant" else ()))
        for inference in ("ep", "hallucination", *(("laplace",) if strategy.endswith("eubo") else ()))
    ]


def print_judge(judge: str, studies: pl.DataFrame) -> None:
    """Print the mean shares for a judge, with the best strategy first, over the studies that all have finished."""
    arms = studies.select("strategy", "inference").n_unique()
    common = studies.filter(pl.len().over("problem", "seed") == arms)
    names = [name for name in NAMES if name in common["problem"]]
    print(f"\n{judge}: {len(common) // arms} studies per line, mean share of the range after {ROUNDS} duels\n")
    looks = [f"all after {look}" for look in CHECKPOINTS]
    headings = ["strategy", "inference", *names, *looks, "worst tenth", "noise", "ms"]
    print("| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings))
    rows = []
    for (strategy, inference), done in common.group_by("strategy", "inference", maintain_order=True):
        each = [done.filter(pl.col("problem") == name)[LAST].mean() for name in names]
        shares = [done[f"share_{look}"].mean() for look in CHECKPOINTS]
        worst = done[LAST].sort().head(max(len(done) // 10, 1)).mean()
        noise, ms = done["noise"].mean(), done["ms"].mean()
        cells = " | ".join(f"{value:.3f}" for value in [*each, *shares, worst, noise])
        rows.append((shares[-1], f"| {strategy} | {inference} | {cells} | {ms:.0f} |"))
    print("\n".join(row for _, row in sorted(rows, reverse=True)))


def main() -> None:
    """Parse the arguments, then run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "table"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=10, help="studies per setting")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="+", metavar="STRATEGY/INFERENCE", help="run only these")
    given = parser.parse_args()
    if given.action == "run":
        tasks = list_tasks(given.seeds)
        chosen = [task for task in tasks if given.only is None or f"{task.strategy}/{task.inference}" in given.only]
        record_tasks(chosen, RunOptions(given.out, resume=True, workers=given.workers), make_console())
    records = RecordStore(given.out, resume=True).read_kind(StrategyTask.kind)
    if records is None:
        parser.error(f"{given.out} has no studies yet; run some first")
    for judge in JUDGES:
        if judge in records["judge"]:
            print_judge(judge, records.filter(pl.col("judge") == judge))


if __name__ == "__main__":
    main()
