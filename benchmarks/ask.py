"""How long a developer waits for the next duel: `ask` after `tell`, refits included, averaged over ten rounds.

A 4-D study with five anchors that has seen so many duels; ten more are asked and told. One BLAS thread.

    python benchmarks/ask.py [--strategy raeubo] [--repeats 5]
"""

import argparse
import os
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap
from anchorpbo.problems import HARTMANN4, SimulatedJudge

SIZES, ROUNDS = (10, 25, 50, 100, 150), 10


def grown(strategy: str, duels: int, seed: int) -> tuple[ap.Optimizer, SimulatedJudge]:
    """A study of so many duels, two of three near what was best so far, as studies have them."""
    space, rng = HARTMANN4.space, np.random.default_rng(seed)
    anchors = np.clip(HARTMANN4.optimum + 0.2 * rng.standard_normal((5, 4)), 0.0, 1.0)
    judge = SimulatedJudge(HARTMANN4, ap.Probit(), ap.NoiseMap.bounded(anchors, scale=0.5))
    study = ap.Optimizer(space, [space.decode(space.nearest(x)) for x in anchors], strategy, seed=seed)
    best = rng.random(4)
    for _ in range(duels):
        near = np.clip(best + 0.1 * rng.standard_normal(4), 0.0, 1.0)
        pair = [near if rng.random() < 2 / 3 else rng.random(4), rng.random(4)]
        first, second = (space.nearest(x) for x in pair)
        winner, loser = (first, second) if judge.answer(first, second, rng) == "first" else (second, first)
        study.tell_preference(space.decode(winner), space.decode(loser))
        best = winner
    return study, judge


def seconds(strategy: str, duels: int, seed: int) -> tuple[float, float]:
    """Mean and longest time of `ask` over ten rounds."""
    study, judge = grown(strategy, duels - 1, seed)
    space, rng, spent = study.space, np.random.default_rng(seed), []
    for _ in range(ROUNDS + 1):
        began = perf_counter()
        duel = study.ask()
        spent.append(perf_counter() - began)
        study.tell(duel, judge.answer(space.encode(duel.first), space.encode(duel.second), rng))
    # The first ask of a study that was read in fits all at once; those after it are the rounds.
    return float(np.mean(spent[1:])), max(spent[1:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", default="raeubo")
    parser.add_argument("--repeats", type=int, default=5, help="studies a line; the median is shown")
    given = parser.parse_args()
    seconds(given.strategy, 12, 0)  # compile
    print(f"| duels | {given.strategy}: ask, mean of ten rounds (ms) | longest of the ten (ms) |\n| --- | --- | --- |")
    for duels in SIZES:
        times = np.median([seconds(given.strategy, duels, seed) for seed in range(given.repeats)], axis=0)
        print(f"| {duels} | {1e3 * times[0]:.0f} | {1e3 * times[1]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
