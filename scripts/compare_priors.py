"""Compare studies with and without priors on the hyper-parameters: the table of docs/decisions/0006-priors.md.

Hartmann3, EUBO, logistic link with constant noise; studies differ only in the priors and are paired by seed.

    python scripts/compare_priors.py --seeds 12
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import anchorpbo as ap
from anchorpbo.problems import HARTMANN3, SimulatedJudge, simulate

INITIAL, AFTER = 8, (10, 25, 50)
BOUNDS = {"lengthscale": (0.03, 10.0), "outputscale": (1e-2, 1e4)}


def compute_regrets(seed: int, judge_noise: float, priors: bool) -> list[float]:
    """Return the regret of the recommended design after each number of duels in `AFTER`."""
    learn = {name: None if priors else ap.Learn(bounds) for name, bounds in BOUNDS.items()}
    likelihood = ap.Logistic(form="difference")
    settings = {"likelihood": likelihood, "inference": "laplace", "initial": INITIAL, "refit_every": 10, "learn": learn}
    study = ap.Optimizer(HARTMANN3.space, strategy="eubo", seed=seed, **settings)
    judge = SimulatedJudge(HARTMANN3, likelihood, ap.NoiseMap.constant(judge_noise))
    best = [each.best_utility for each in simulate(study, judge, INITIAL + max(AFTER), seed)]
    return [HARTMANN3.maximum - best[INITIAL + n - 1] for n in AFTER]


def main() -> None:
    """Print median regrets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12, help="studies per line")
    seeds = range(parser.parse_args().seeds)
    print("| judge | priors | " + " | ".join(f"after {n}" for n in AFTER) + " |\n| --- | --- |" + " --- |" * len(AFTER))
    with ProcessPoolExecutor() as pool:
        for judge, noise in (("nearly noise-free", 1e-3), ("noisy, level 0.5", 0.5)):
            for priors in (False, True):
                runs = pool.map(partial(compute_regrets, judge_noise=noise, priors=priors), seeds)
                medians = np.median(list(runs), axis=0)
                print(
                    f"| {judge} | {'yes' if priors else 'no'} | " + " | ".join(f"{x:.2f}" for x in medians) + " |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
