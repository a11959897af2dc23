"""Measure the test-retest agreement of simulated users, and what repeated questions cost; prints two Markdown tables.

Users of `anchorpbo bench answers` with five good anchors, on two problems of the tuning set. "True" is the mean of
p^2 + (1 - p)^2 over the repeated pairs, with p the user's probability of preferring the first design.

    python scripts/measure_retests.py [--seeds 6]
"""

import argparse
import os
from collections import defaultdict
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import stdtrit

from anchorpbo import Optimizer
from anchorpbo.app.cli.execution import make_console
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.research.answers.judges import NoisyJudge, draw_judge
from anchorpbo.research.answers.own_contenders import OptimizerContender
from anchorpbo.research.answers.problems import get_judged_problem
from anchorpbo.research.answers.study_task import draw_uniform
from anchorpbo.study.explanations import RETEST_DUEL
from anchorpbo.study.reliability_bands import BANDS, assign_bands

PROBLEMS = ("gp2", "espresso")
USERS = ("constant-high", "linear")
RATES = (0.0, 0.2)
LOOKS = (20, 30, 40)


def play(user: str, name: str, seed: int, rate: float) -> tuple[Optimizer, NoisyJudge, np.ndarray, list[float]]:
    """Return a study, its judge, the repeated pairs, (n, 2, d), and the share of the best after `LOOKS` answers."""
    problem = get_judged_problem(name, seed)
    judge, anchors = draw_judge(user, problem, "good", seed)
    contender, repeated, shares = OptimizerContender(problem.space, anchors, seed, repeat_rate=rate), [], []
    for number in range(1, LOOKS[-1] + 1):
        pair = contender.ask()
        repeated += [pair] if contender.optimizer.ask().why == RETEST_DUEL else []
        contender.tell(pair, judge.prefers_first(pair, draw_uniform(seed, number)))
        if number in LOOKS:
            shares.append(float(problem.share(contender.recommend())[0]))
    return contender.optimizer, judge, np.array(repeated).reshape(-1, *pair.shape), shares


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    seeds = range(parser.parse_args().seeds)
    found: defaultdict[tuple[str, str], list[tuple[int, int, float, float]]] = defaultdict(list)
    shares: defaultdict[tuple[str, float], list[list[float]]] = defaultdict(list)
    with make_console().status("Simulating users") as status:
        for user, name, seed, rate in product(USERS, PROBLEMS, seeds, RATES):
            status.update(f"Simulating users: {user}, {name}, seed {seed}, rate {rate}")
            study, judge, repeated, course = play(user, name, seed, rate)
            shares[user, rate].append(course)
            if rate != RATES[-1]:
                continue
            bands = assign_bands(study.noise_map, repeated)
            p = np.array([judge.prob_first(pair) for pair in repeated])
            for number, band in enumerate(study.retest().bands):
                true = p[bands == number]
                if band.pairs and band.expected is not None and len(true):
                    agreement = float((true**2 + (1 - true) ** 2).mean())
                    found[user, band.name].append((band.pairs, band.agreed, band.expected, agreement))
    print("| user | band | repeats | observed | 90 % interval | expected | true |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for user, band in product(USERS, BANDS):
        if found[user, band]:
            n, k, expected, true = np.array(found[user, band]).T
            pairs, agreed = int(n.sum()), int(k.sum())
            low, high = jeffreys_interval(agreed, pairs)
            means = f"{np.average(expected, weights=n):.2f} | {np.average(true, weights=n):.2f}"
            print(f"| {user} | {band} | {pairs} | {agreed / pairs:.2f} | {low:.2f} to {high:.2f} | {means} |")
    print(f"\n| user | rate | {' | '.join(f'after {look} answers' for look in LOOKS)} |")
    print(f"| --- | ---: |{' ---: |' * len(LOOKS)}")
    for user, rate in product(USERS, RATES):
        apart = np.array(shares[user, rate]) - np.array(shares[user, 0.0])
        error = stdtrit(len(apart) - 1, 0.975) * apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
        cells = [f"{a:.2f} ({b:+.2f} ± {c:.2f})" for a, b, c in zip(
            np.mean(shares[user, rate], axis=0), apart.mean(axis=0), error, strict=True)]  # fmt: skip
        print(f"| {user} | {rate:g} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
