"""Time to fit and to condition a model, by inference and number of duels: ``python benchmarks/fit.py``.

Every duel is between two designs of its own, as in a study that never asks about a design twice. Medians, on one BLAS
thread.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap

DIMENSION = 4
DUELS = (10, 25, 50, 100, 150)
MODELS = {
    "laplace logistic": ("laplace", ap.Logistic(form="difference")),
    "laplace probit": ("laplace", ap.Probit()),
    "ep logistic": ("ep", ap.Logistic(form="difference")),
    "ep probit": ("ep", ap.Probit()),
    "hallucination probit": ("hallucination", ap.Probit()),
}
SECONDS = 1.5
"""Spent on each median, at least five runs."""


def noise_map(seed: int = 0) -> ap.NoiseMap:
    """Five anchors in one half of the cube."""
    return ap.NoiseMap.bounded(0.5 * np.random.default_rng(seed).random((5, DIMENSION)), scale=0.5)


def study(duels: int, noise: ap.NoiseMap, seed: int = 0) -> ap.Duels:
    """A judge with a smooth utility, less sure of themselves away from the anchors."""
    rng = np.random.default_rng(seed)
    points = rng.random((2 * duels, DIMENSION))
    utility = 3.0 * np.cos(3.0 * points @ rng.normal(size=(DIMENSION, 3))).sum(axis=1)
    heard = utility + np.sqrt(noise(points)) * rng.normal(size=len(points))
    first, second = np.arange(duels), np.arange(duels, 2 * duels)
    wins = heard[first] > heard[second]
    return ap.Duels(points, np.where(wins, first, second), np.where(wins, second, first))


def median_ms(run: Callable[[ap.Duels], object], duels: ap.Duels) -> float:
    """Milliseconds, after one run to compile and fill caches."""
    run(duels)
    times: list[float] = []
    while len(times) < 5 or sum(times) < SECONDS:
        start = time.perf_counter()
        run(duels)
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def main() -> None:
    """Print the table."""
    noise = noise_map()
    studies = [study(m, noise) for m in DUELS]
    print(f"{'milliseconds':<33}" + "".join(f"{len(duels):>9}" for duels in studies) + "  duels")
    for name, (inference, likelihood) in MODELS.items():
        model = ap.PreferenceGP(ap.RBF([0.5] * DIMENSION), likelihood, inference, noise)
        medians = [(median_ms(model.fit, duels), median_ms(model.condition, duels)) for duels in studies]
        for label, what, row in zip((name, ""), ("fit", "condition"), zip(*medians, strict=True), strict=True):
            print(f"{label:<22}{what:<11}" + "".join(f"{median:9.2f}" for median in row))


if __name__ == "__main__":
    main()
