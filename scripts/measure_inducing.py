"""Measure the error and the cost of inducing points against the exact posterior; prints a Markdown table.

The duels are on twice as many designs, all distinct, with a utility drawn from the model's prior and known
hyper-parameters. Each line is a number of inducing points; the last line is the exact posterior:

    left out    residual share of the margins' prior variance, known in advance
    mean        root mean square error of the posterior mean at 1,000 random designs, in posterior standard deviations
    worst       largest error of the same
    std         largest relative error of the posterior standard deviation
    evidence    error of the log evidence
    best pair   loss in EUBO of the best of 5,000 random pairs, as a share of EUBO's spread over them
    seconds     processor time of `condition`
    GB          peak memory of the process so far

BLAS uses one thread, unless OPENBLAS_NUM_THREADS is set.

    python scripts/measure_inducing.py [--duels 5000] [--dimension 4] [--noise 1] [--inference ep] [--designs 100 300]
"""

import argparse
import os
import resource
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap
from anchorpbo.typing import Array

VARIANCE = 10.0
KERNELS = {"rbf": ap.RBF, "matern52": ap.Matern52}


def simulate_duels(duels: int, kernel: ap.RBF | ap.Matern52, dimension: int, noise: float) -> ap.Duels:
    """Simulate duels with a smooth utility drawn by random Fourier features."""
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(2 * duels, dimension))
    frequencies = rng.standard_normal((1000, dimension)) / kernel.lengthscale
    f = np.cos(points @ frequencies.T + rng.uniform(0.0, 2.0 * np.pi, 1000)) @ rng.standard_normal(1000)
    f *= np.sqrt(2.0 * VARIANCE / 1000)
    first, second = np.arange(duels), np.arange(duels) + duels
    won = f[first] - f[second] + np.sqrt(2.0 * noise) * rng.standard_normal(duels) > 0
    return ap.Duels(points, np.where(won, first, second), np.where(won, second, first))


class Answer:
    """Predictions of a model at designs and pairs, and the time they took."""

    def __init__(self, model: ap.PreferenceGP, duels: ap.Duels, X: Array, pairs: Array) -> None:
        start = time.process_time()
        model.condition(duels)
        self.seconds = time.process_time() - start
        self.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        self.mean, self.std = model.posterior.mean(X), np.sqrt(model.posterior.variance(X))
        bound = ap.acquisition.EUBO().bind(model.posterior, model.noise)
        self.scores = np.concatenate([bound(part) for part in np.array_split(pairs, 10)])
        self.approximation = model.approximation
        self.log_evidence = model.log_evidence

    def line(self, exact: "Answer") -> str:
        """Return a row of the table."""
        shift = (self.mean - exact.mean) / exact.std
        lost = (exact.scores.max() - exact.scores[np.argmax(self.scores)]) / exact.scores.std()
        took = f"{self.seconds:.1f} | {self.memory:.2f}"
        if self.approximation is None:
            return f"| all | 0 | | | | {self.log_evidence:.1f} | | {took} |"
        errors = (
            np.sqrt(np.mean(shift**2)),
            np.abs(shift).max(),
            np.abs(self.std / exact.std - 1.0).max(),
            abs(self.log_evidence - exact.log_evidence),
            lost,
        )
        cells = " | ".join(f"{error:.1e}" for error in (self.approximation.left_out, *errors))
        return f"| {self.approximation.designs} | {cells} | {took} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--duels", type=int, default=5000)
    parser.add_argument("--dimension", type=int, default=4)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--kernel", choices=KERNELS, default="rbf")
    parser.add_argument("--inference", choices=["laplace", "ep"], default="laplace")
    parser.add_argument("--designs", type=int, nargs="+", default=[100, 200, 400, 1000])
    given = parser.parse_args()

    kernel = KERNELS[given.kernel](0.25 * np.sqrt(given.dimension), VARIANCE)
    duels = simulate_duels(given.duels, kernel, given.dimension, given.noise)
    rng = np.random.default_rng(1)
    X, pairs = rng.uniform(size=(1000, given.dimension)), rng.uniform(size=(5000, 2, given.dimension))

    def answer(inducing: int | None) -> Answer:
        settings = {"noise": given.noise, "inference": given.inference, "learn": None, "inducing": inducing}
        return Answer(ap.PreferenceGP(kernel, **settings), duels, X, pairs)

    ap.PreferenceGP(kernel, inference=given.inference, learn=None, inducing=5).condition(
        simulate_duels(20, kernel, given.dimension, given.noise)
    )  # compiles
    answers = [answer(inducing) for inducing in (*given.designs, None)]
    print(f"{duels!r}, {kernel!r}, noise {given.noise:g}, {given.inference}\n")
    print("| designs | left out | mean | worst | std | evidence | best pair | seconds | GB |")
    print("| --- " * 9 + "|")
    for one in answers:
        print(one.line(answers[-1]))


if __name__ == "__main__":
    main()
