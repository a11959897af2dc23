"""How long a developer waits for the next duel: `ask` after `tell`, averaged over ten rounds, with and without a refit.

A 4-D study with five anchors that has seen so many duels; ten more are asked and told. One BLAS thread.
Hyper-parameters are fitted when the number of duels has grown by a tenth, so that ten rounds around 150 have one fit or
none: the last column counts one.

    python benchmarks/ask.py [--strategy raeubo] [--repeats 5]
"""

import argparse
import json
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


def seconds(strategy: str, duels: int, seed: int) -> tuple[float, float, float]:
    """Of ten rounds after so many duels: mean time of `ask` between fits, time of a fit, mean with one fit in ten."""
    study, judge = grown(strategy, duels, seed)
    space, rng, between, fits = study.space, np.random.default_rng(seed), [], []
    study.ask()  # fits all at once
    for _ in range(ROUNDS):
        duel = study.ask()
        study.tell(duel, judge.answer(space.encode(duel.first), space.encode(duel.second), rng))
        plan, told = study.plan, len(study)
        refitted = plan.fitted_at(told) != plan.fitted_at(told - 1)
        began = perf_counter()
        if refitted:  # what `ask` would do first; remembered, so that it does not do it again
            study.to_json()
            fits.append(perf_counter() - began)
            began = perf_counter()
        study.ask()
        between.append(perf_counter() - began)
    if not fits:  # none fell due: take one at this size
        twin = ap.Optimizer.from_json(json.dumps({**json.loads(study.to_json()), "learnt": None}))
        began = perf_counter()
        twin.to_json()
        fits.append(perf_counter() - began)
    mean, fit = float(np.mean(between)), float(np.mean(fits))
    return mean, fit, mean + fit / ROUNDS


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", default="raeubo")
    parser.add_argument("--repeats", type=int, default=5, help="studies a line; the median is shown")
    given = parser.parse_args()
    seconds(given.strategy, 12, 0)  # compile
    print(f"| duels | {given.strategy}: ask between fits (ms) | a fit (ms) | ask with one fit in ten rounds (ms) |")
    print("| --- | --- | --- | --- |")
    for duels in SIZES:
        times = np.median([seconds(given.strategy, duels, seed) for seed in range(given.repeats)], axis=0)
        print(f"| {duels} | " + " | ".join(f"{1e3 * each:.0f}" for each in times) + " |", flush=True)


if __name__ == "__main__":
    main()
