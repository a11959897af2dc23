"""Compare strategies and inferences for the default preset: the tables of docs/decisions/0011-default-strategy.md.

Studies with simulated users differ only in the strategy and are paired by seed: same problem, judge, anchors and
initial duels. Each finished study is a line of the output file; studies already in the file are not run again.

    python scripts/compare_strategies.py run studies.jsonl --seeds 10 [--only rahbo/hallucination ...]
    python scripts/compare_strategies.py table studies.jsonl
"""

import argparse
import json
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap
from anchorpbo.problems import PROBLEMS, Problem, SimulatedJudge, simulate

NAMES = ("branin", "six_hump_camel", "hartmann3", "hartmann4", "styblinski_tang5", "hartmann6")
ROUNDS, CHECKPOINTS = 40, (20, 40)
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


def run_study(task: tuple[str, str, str, str, int]) -> dict[str, object]:
    """Run a study; record the share of the range that the recommended design reaches after `CHECKPOINTS` duels."""
    name, kind, strategy, inference, seed = task
    problem = PROBLEMS[name]
    judge, anchors = make_judge(problem, kind, seed)
    space = problem.space
    optimizer = ap.Optimizer(space, [space.decode(x) for x in anchors], strategy, seed=seed, inference=inference)
    rounds = list(simulate(optimizer, judge, ROUNDS, seed))
    shares = [float(problem.share(rounds[look - 1].best[None])[0]) for look in CHECKPOINTS]
    noise = float(np.mean([each.pair_noise for each in rounds[5:]])) / judge.noise.scale
    return {"task": list(task), "shares": shares, "noise": noise, "ms": 1e3 * sum(r.seconds for r in rounds) / ROUNDS}


def list_tasks(seeds: int) -> list[tuple[str, str, str, str, int]]:
    """Return all studies, ordered by seed so that an unfinished run is still paired."""
    return [
        (name, kind, strategy, inference, seed)
        for seed in range(seeds)
        for name in NAMES
        for kind in JUDGES
        for strategy in (*PLAIN.values(), *(PLAIN if kind == "hesitant" else ()))
        for inference in ("ep", "hallucination", *(("laplace",) if strategy.endswith("eubo") else ()))
    ]


def run(path: Path, seeds: int, workers: int, only: list[str] | None) -> None:
    """Run the studies that the file lacks."""
    done = {tuple(record["task"]) for record in read_runs(path)}
    left = [task for task in list_tasks(seeds) if task not in done and (only is None or f"{task[2]}/{task[3]}" in only)]
    with ProcessPoolExecutor(workers) as pool, path.open("a", encoding="utf-8") as file:
        for number, future in enumerate(as_completed(pool.submit(run_study, task) for task in left), 1):
            file.write(json.dumps(future.result()) + "\n")
            file.flush()
            print(f"\r{number} of {len(left)} studies", end="", flush=True)
    print()


def read_runs(path: Path) -> list[dict]:
    """Return the finished studies; an incomplete line is left out."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def print_table(path: Path) -> None:
    """Print the mean shares for each judge, with the best strategy first."""
    records = read_runs(path)
    for kind in JUDGES:
        runs = defaultdict(dict)
        for record in records:
            name, judge, strategy, inference, seed = record["task"]
            if judge == kind:
                runs[strategy, inference][name, seed] = record
        if runs:
            print_judge(kind, runs)


def print_judge(kind: str, runs: dict) -> None:
    """Print the table of one judge, over the studies that all strategies have finished."""
    common = set.intersection(*(set(done) for done in runs.values()))
    names = [name for name in NAMES if any(key[0] == name for key in common)]
    print(f"\n{kind}: {len(common)} studies per line, mean share of the range after {CHECKPOINTS[-1]} duels\n")
    looks = [f"all after {look}" for look in CHECKPOINTS]
    headings = ["strategy", "inference", *names, *looks, "worst tenth", "noise", "ms"]
    print("| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings))
    rows = []
    for (strategy, inference), done in runs.items():
        shares = np.array([done[key]["shares"] for key in common])
        last = shares[:, -1]
        each = [np.mean([done[key]["shares"][-1] for key in common if key[0] == name]) for name in names]
        worst = np.sort(last)[: max(len(last) // 10, 1)].mean()
        noise, ms = (np.mean([done[key][what] for key in common]) for what in ("noise", "ms"))
        cells = " | ".join(f"{value:.3f}" for value in [*each, *shares.mean(axis=0), worst, noise])
        rows.append((last.mean(), f"| {strategy} | {inference} | {cells} | {ms:.0f} |"))
    print("\n".join(row for _, row in sorted(rows, reverse=True)))


def main() -> None:
    """Parse the arguments, then run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "table"])
    parser.add_argument("path", type=Path)
    parser.add_argument("--seeds", type=int, default=10, help="studies per setting")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="+", metavar="STRATEGY/INFERENCE", help="run only these")
    given = parser.parse_args()
    if given.action == "run":
        run(given.path, given.seeds, given.workers, given.only)
    print_table(given.path)


if __name__ == "__main__":
    main()
