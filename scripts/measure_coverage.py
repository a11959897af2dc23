"""Measure the coverage of the stopping rule: how often a study that is told to stop is within the margin of the best.

A study with a simulated judge is told to stop at the first look, every five answers, at which p_within of its
recommended design is at least 0.9; the truth is known. Each finished study is a line of the output file; studies
already in the file are not run again.

    python scripts/measure_coverage.py run studies.jsonl --seeds 10 [--priors default shorter] [--problems branin ...]
    python scripts/measure_coverage.py table studies.jsonl
"""

import argparse
import json
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap
from anchorpbo.model import Learn
from anchorpbo.model.priors import LogNormal
from anchorpbo.numerics.sobol import sobol
from anchorpbo.problems import PROBLEMS, mixed

ANSWERS, LOOKS = 60, tuple(range(10, 61, 5))
"""Number of answers of a study, and after which of them it may be told to stop."""
MARGIN, ENOUGH = 0.1, 0.9
DRAWS = {"draw2": (2, 0.25), "draw3": (3, 0.25), "draw4": (4, 0.4)}
"""GP draws: dimension and length-scale of an RBF kernel."""
NAMES = (*DRAWS, "branin", "hartmann4", "styblinski_tang5", "coffee", "list200")
JUDGES = {"sure": 0.0, "noisy": 0.1}
"""Standard deviation of a judgement of a design, as a share of the range of utilities."""
SMALL_STD = 0.05
"""Standard deviation of the noise with which a known model explains a sure judge; that of the draw is 1."""


@dataclass(frozen=True)
class Truth:
    """A utility of designs as dicts, with its maximum, median and minimum over the space."""

    space: ap.Space | ap.Catalogue
    utility: object
    maximum: float
    median: float
    minimum: float

    def share(self, design: dict) -> float:
        """Return the share of the way from a median design to the best."""
        return float((self.utility(design) - self.median) / (self.maximum - self.median))


def draw_function(dimension: int, length: float, rng: np.random.Generator):
    """Return a draw of a Gaussian process with an RBF kernel, as a function of designs, (n, d), by 2,000 waves."""
    w, b = rng.standard_normal((2000, dimension)) / length, rng.uniform(0.0, 2.0 * np.pi, 2000)
    z = rng.standard_normal(2000) / np.sqrt(1000.0)
    return lambda X: np.cos(np.atleast_2d(X) @ w.T + b) @ z


def find_maximum(f, dimension: int) -> tuple[float, float, float]:
    """Return the maximum, median and minimum of a function on the unit cube, by a dense search."""
    from scipy import optimize

    X = sobol(2**13, dimension)
    y = f(X)
    best = y.max()
    for start in X[np.argsort(-y)[:12]]:
        found = optimize.minimize(lambda x: -float(f(x[None])[0]), start, bounds=[(0, 1)] * dimension)
        best = max(best, -float(found.fun))
    return float(best), float(np.median(y)), float(y.min())


def make_truth(name: str, seed: int) -> Truth:
    """Return the utility of a problem; draws and lists depend on the seed."""
    rng = np.random.default_rng([seed, 71])
    if name == "coffee":
        space = ap.Space(
            temperature=ap.Real(80, 96),
            dose=ap.Real(10, 20, log=True),
            grind=ap.Integer(1, 10),
            origin=ap.Categorical(["Kenya", "Brazil", "Ethiopia"]),
        )
        values = [mixed.coffee(space.decode(x)) for x in space.sample(4096, np.random.default_rng(0))]
        return Truth(space, mixed.coffee, mixed.COFFEE_MAXIMUM, float(np.median(values)), mixed.COFFEE_MINIMUM)
    if name == "list200":
        f, X = draw_function(3, 0.4, rng), rng.random((200, 3))
        rows = [{"a": float(x[0]), "b": float(x[1]), "c": float(x[2])} for x in X]
        low, high = X.min(axis=0), X.max(axis=0)
        y = f((X - low) / (high - low))
        known = {tuple(row.values()): float(value) for row, value in zip(rows, y, strict=True)}
        space = ap.Catalogue(rows, features=["a", "b", "c"])
        return Truth(
            space, lambda design: known[design["a"], design["b"], design["c"]], y.max(), float(np.median(y)), y.min()
        )
    if name in DRAWS:
        dimension, length = DRAWS[name]
        f = draw_function(dimension, length, rng)
        space = ap.Space({f"x{c + 1}": ap.Real(0.0, 1.0) for c in range(dimension)})
        maximum, median, minimum = find_maximum(f, dimension)
    else:
        problem = PROBLEMS[name]
        f, space, maximum, minimum = problem, problem.space, problem.maximum, problem.minimum
        median = float(np.median(f(sobol(2**13, problem.dimension))))
    return Truth(space, lambda design: float(f(np.array([list(design.values())]))[0]), maximum, median, minimum)


def make_options(priors: str, name: str, dimension: int, std: float) -> dict:
    """Return the options of `Optimizer`: the preset's priors, shorter ones, or the true kernel and noise of a draw."""
    if priors == "default":
        return {}
    if priors == "known":
        kernel = ap.RBF(DRAWS[name][1], 1.0)
        return {"kernel": kernel, "learn": {}, "noise": ap.ConstantNoise(max(std, SMALL_STD) ** 2)}
    return {
        "learn": {
            "lengthscale": Learn((0.03, 10.0), LogNormal(0.15 * np.sqrt(dimension), 0.3)),
            "outputscale": Learn((1e-2, 1e4), LogNormal(20.0, 0.7)),
        }
    }


def run_study(task: tuple[str, str, str, int]) -> dict[str, object]:
    """Run a study; record the answers, p_within and the true share at each look."""
    priors, name, judge, seed = task
    truth = make_truth(name, seed)
    std = JUDGES[judge] * (truth.maximum - truth.minimum)
    optimizer = ap.Optimizer(truth.space, seed=seed, **make_options(priors, name, truth.space.dimension, std))
    rng = np.random.default_rng([seed, 72])
    looks = []
    for count in range(1, ANSWERS + 1):
        duel = optimizer.ask()
        noise = std * rng.standard_normal(2)
        first, second = truth.utility(duel.first) + noise[0], truth.utility(duel.second) + noise[1]
        optimizer.tell(duel, "first" if first >= second else "second")
        if count in LOOKS:
            best = optimizer.recommend(among="space" if priors == "shorter" else "seen", margin=MARGIN)
            looks.append([count, best.p_within, truth.share(best.design)])
    return {"task": list(task), "looks": looks}


def run(path: Path, seeds: int, workers: int, priors: list[str], names: list[str], judges: list[str]) -> None:
    """Run the studies that the file lacks, ordered by seed."""
    done = {tuple(record["task"]) for record in read_runs(path)}
    tasks = [
        (p, name, judge, seed)
        for seed in range(seeds)
        for p in priors
        for name in names
        for judge in judges
        if p != "known" or name in DRAWS
    ]
    left = [task for task in tasks if task not in done]
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
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.endswith("}")]


def find_stop(looks: list[list[float]], streak: int) -> list[float] | None:
    """Return the look at which p_within was enough for the `streak`-th time in a row, ``None`` if there is none."""
    count = 0
    for look in looks:
        count = count + 1 if look[1] >= ENOUGH else 0
        if count == streak:
            return look
    return None


def print_tables(path: Path) -> None:
    """Print the coverage and the reliability for each set of priors and each judge."""
    groups = defaultdict(list)
    for record in read_runs(path):
        priors, _, judge, _ = record["task"]
        groups[priors, judge].append(record)
    for (priors, judge), records in sorted(groups.items()):
        print(f"\n## {priors} priors, {judge} judge: {len(records)} studies\n")
        print("| problem | studies | told to stop | within the margin | median answers | final share |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for streak in (1, 2, 3):
            for name in NAMES if streak == 1 else ():
                print_row(name, [one for one in records if one["task"][1] == name], streak)
            print_row(f"all, {streak} in a row", records, streak)
        print_reliability(records)


def print_row(name: str, records: list[dict], streak: int) -> None:
    """Print the coverage of a group of studies."""
    if not records:
        return
    stops = [stop for stop in (find_stop(one["looks"], streak) for one in records) if stop is not None]
    within = np.mean([share >= 1.0 - MARGIN for _, _, share in stops]) if stops else np.nan
    answers = np.median([count for count, _, _ in stops]) if stops else np.nan
    last = np.mean([one["looks"][-1][2] for one in records])
    cells = f"{len(records)} | {len(stops) / len(records):.2f} | {within:.2f} | {answers:.0f} | {last:.3f}"
    print(f"| {name} | {cells} |")


def print_reliability(records: list[dict]) -> None:
    """Print the true frequency for each decile of p_within, over all looks."""
    looks = np.array([look for one in records for look in one["looks"]])
    print("\n| p_within | looks | mean | within the margin |\n| --- | ---: | ---: | ---: |")
    for low in np.arange(10) / 10:
        rows = looks[(looks[:, 1] >= low) & ((looks[:, 1] < low + 0.1) | (low == 0.9))]
        if len(rows):
            true = np.mean(rows[:, 2] >= 1.0 - MARGIN)
            print(f"| {low:.1f} to {low + 0.1:.1f} | {len(rows)} | {rows[:, 1].mean():.2f} | {true:.2f} |")


def main() -> None:
    """Parse the arguments, then run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "table"])
    parser.add_argument("path", type=Path)
    parser.add_argument("--seeds", type=int, default=10, help="studies per setting")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--priors", nargs="+", choices=["default", "shorter", "known"], default=["default", "shorter"])
    parser.add_argument("--problems", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--judges", nargs="+", choices=list(JUDGES), default=list(JUDGES))
    given = parser.parse_args()
    if given.action == "run":
        run(given.path, given.seeds, given.workers, given.priors, given.problems, given.judges)
    print_tables(given.path)


if __name__ == "__main__":
    main()
