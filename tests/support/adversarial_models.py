"""Models and duels that are numerically difficult, and their outcomes, each within a time limit.

A set is a model and its duels; its number determines it. The noise ranges from 1e-300 to 1e300 of the output scale,
length-scales from far below the distances of designs to far beyond the cube; designs may be equal or nearly equal;
answers contradict and repeat each other. ``python tests/support/adversarial_models.py 20000`` counts the outcomes of
20,000 sets.
"""

import multiprocessing
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import anchorpbo as ap
from anchorpbo.errors import AnchorPBOError

FINE, REFUSED, NOT_FINITE, ABSURD, ENDLESS, RAISED, WARNED = OUTCOMES = (
    "fine", "refused", "not finite", "absurd", "endless", "raised", "warned"
)  # fmt: skip
"""Outcomes of a set; only the first two are correct: finite numbers, or an error raised by the library."""

Outcome = tuple[int, str, str]
"""Number of a set, its outcome, and the place or reason."""


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number between two powers of ten."""
    return float(10.0 ** rng.uniform(low, high))


def random_designs(rng: np.random.Generator, d: int) -> np.ndarray:
    """Draw a few designs, (n, d): anywhere, on a coarse grid, equal, nearly equal, or a single one."""
    n = int(rng.integers(2, 13))
    points = rng.random((n, d))
    kind = rng.integers(6)
    if kind == 0:
        points = np.round(points, 1)
    elif kind == 1:
        points = np.repeat(points[: max(n // 3, 1)], 3, axis=0)
    elif kind == 2:
        points = points[rng.integers(max(n // 3, 1), size=n)] + log_uniform(rng, -16, -3) * rng.normal(size=(n, d))
    elif kind == 3:
        points = np.repeat(points[:1], 2, axis=0)
    return np.clip(points, 0.0, 1.0)


def random_answers(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Draw winners, losers and ties of n designs: consistent, random, cyclic, contradictory, or one answer repeated."""
    m, kind = int(rng.integers(1, 31)), rng.integers(6)
    winners, losers = rng.integers(n, size=(2, m))
    if kind == 0:
        winners, losers = np.maximum(winners, losers), np.minimum(winners, losers)
    elif kind == 1:
        winners, losers = np.arange(n), np.roll(np.arange(n), 1)
    elif kind == 2:
        winners, losers = np.concatenate([winners, losers]), np.concatenate([losers, winners])
    elif kind == 3:
        times = int(rng.integers(2, 80))
        winners, losers = np.repeat(winners[:3], times), np.repeat(losers[:3], times)
    elif kind == 4:
        winners, losers = winners[:1], losers[:1]
    ties = rng.integers(n, size=(int(rng.integers(1, 6)), 2)) if rng.random() < 0.3 else None
    return winners, losers, ties


def random_kernel(rng: np.random.Generator, d: int) -> Any:
    """Draw a kernel with usual, extreme or absurd scales."""
    reach = (1.0, 3.0, 8.0, 150.0)[rng.integers(4)]
    lengths = 10.0 ** rng.uniform(-reach, reach, size=d if rng.random() < 0.5 else ())
    scale = (
        1.0 if rng.random() < 0.4 else log_uniform(rng, -8, 8) if rng.random() < 0.8 else log_uniform(rng, -250, 250)
    )
    kind = rng.integers(5)
    if kind == 3:
        return ap.Hamming(lengths, scale)
    if kind == 4:
        return ap.RBF(lengths, scale) + ap.Matern32(0.3, scale)
    return (ap.RBF, ap.Matern32, ap.Matern52)[kind](lengths, scale)


def random_noise(rng: np.random.Generator, d: int, outputscale: float) -> Any:
    """Draw a noise map from 1e-300 to 1e300 of the output scale, half of them in a realistic range."""
    low, high = ((-16.0, 2.0), (-40.0, 10.0), (-300.0, 300.0), (-12.0, -8.0))[rng.integers(4)]
    scale = float(np.clip(log_uniform(rng, low, high) * outputscale, 1e-300, 1e300))
    anchors = rng.random((int(rng.integers(1, 5)), d))
    kind = rng.integers(4)
    if kind == 0:
        return ap.NoiseMap.from_anchors(anchors, scale=scale)
    if kind == 1:
        return ap.NoiseMap.bounded(anchors, scale=scale, strength=float(rng.uniform(0, 20)))
    return ap.NoiseMap.constant(scale)


def random_judge(rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw a likelihood and a compatible inference."""
    latent = ("auto", "duel", "point")[rng.integers(3)]
    threshold = None if rng.random() < 0.7 else log_uniform(rng, -8, 3)
    probit = ap.Probit(threshold)
    logistic = ap.Logistic(threshold, ("paper", "difference")[rng.integers(2)])
    link = probit if rng.random() < 0.5 else logistic
    return (
        (link, ap.Laplace(latent=latent)),
        (link, ap.EP(latent=latent)),
        (link, ap.EP(latent=latent)),
        (probit, ap.Hallucination(sweeps=30, latent=latent)),
        (probit, ap.Hallucination(sweeps=10, draws=3, latent=latent)),
        (logistic, ap.PolyaGamma(sweeps=5, draws=int(rng.integers(1, 4)), latent=latent)),
    )[rng.integers(6)]


def random_set(number: int) -> tuple[Any, ap.Duels, bool]:
    """Return a model, its duels, and whether to fit its hyper-parameters."""
    rng = np.random.default_rng([number, 15])
    d = int(rng.integers(1, 5))
    kernel = random_kernel(rng, d)
    outputscale = float(kernel.diagonal(np.zeros((1, d)))[0])
    likelihood, inference = random_judge(rng)
    noise = random_noise(rng, d, outputscale)
    points = random_designs(rng, d)
    duels = ap.Duels(points, *random_answers(rng, len(points)))
    fits = rng.random() < 0.25
    anything = ap.Learn((1e-300, 1e300))
    learn = (
        {"lengthscale": anything, "outputscale": anything},
        {"outputscale": anything, "noise_scale": anything},
        (),
    )[rng.integers(3)]
    few = inference.latent == "auto" and not isinstance(inference, ap.Hallucination) and rng.random() < 0.3
    model = ap.PreferenceGP(
        kernel, likelihood, inference, noise, number, learn=learn, inducing=int(rng.integers(1, 6)) if few else "auto"
    )
    return model, duels, fits


def numbers_of(model: Any, duels: ap.Duels) -> Iterator[tuple[str, Any]]:
    """Yield every number that a study needs from a model, by name."""
    posterior, rng = model.posterior, np.random.default_rng(0)
    X = np.vstack([rng.random((4, duels.dimension)), duels.points[:2]])
    pairs = np.stack([X, X[::-1]], axis=1)
    yield "means", posterior.means
    yield "mean", posterior.mean(X)
    yield "variance", posterior.variance(X)
    yield "covariance", posterior.covariance(X)
    yield "sample", posterior.sample(X, 2, rng)
    yield "prob_prefer", posterior.prob_prefer(X, X[::-1])
    yield "prob_choose", model.prob_choose(X, X[::-1])
    yield "log_evidence", model.log_evidence
    yield "posterior_after", model.posterior_after(X[0], X[1]).mean(X)
    for acquisition, items in ((ap.acquisition.RAHBO(), X), (ap.acquisition.RAEUBO(), pairs)):
        bound = acquisition.bind(posterior, model.noise)
        yield "acquisition", bound(items)
        if model.kernel.differentiable:
            yield "gradient", bound.value_and_gradient(items)[1]


def judge(number: int) -> Outcome:
    """Return the outcome of a set in this process, without a time limit."""
    try:
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            model, duels, fits = random_set(number)
            model = model.fit(duels) if fits else model.condition(duels)
            for name, value in numbers_of(model, duels):
                if not np.isfinite(value).all():
                    return number, NOT_FINITE, name
            kind, why = _sense(model, duels)
            if kind == FINE and noticed:
                kind, why = (
                    WARNED,
                    f"{noticed[0].message} in {noticed[0].filename.rsplit('/', 1)[-1]}:{noticed[0].lineno}",
                )
            return number, kind, why
    except AnchorPBOError as problem:
        return number, REFUSED, type(problem).__name__ + ": " + str(problem)
    except Exception as problem:
        return number, RAISED, _place(problem)


def _sense(model: Any, duels: ap.Duels) -> tuple[str, str]:
    """Return whether the posterior is plausible for these answers, to a few prior standard deviations."""
    posterior, rng = model.posterior, np.random.default_rng(0)
    X = np.vstack([rng.random((4, duels.dimension)), duels.points[:2]])
    prior = model.kernel.diagonal(X)
    mean, variance = posterior.mean(X), posterior.variance(X)
    slack = 1e-6 if posterior.draws is None else 10.0
    if (variance > prior * (1.0 + slack)).any():
        return ABSURD, f"variance {np.max(variance / prior):.2g} of the prior's"
    # The mode is at least as probable as f = 0, where the log likelihood is at least -(2 + tau)^2 / 2 per win. So the
    # norm of the mode is at most (2 + tau) times the root of their number, and no utility exceeds it, in prior standard
    # deviations.
    most = 10.0 + 3.0 * np.sqrt(len(duels)) * (2.0 + model.likelihood.tau)
    if (np.abs(mean) > most * np.sqrt(prior)).any():
        return ABSURD, f"mean {np.max(np.abs(mean) / np.sqrt(prior)):.2g} deviations"
    return FINE, ""


def _place(problem: BaseException) -> str:
    """Return an exception and the place in the library that raised it."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if "anchorpbo" in frame.filename]
    where = f" in {frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].name}" if frames else ""
    return f"{type(problem).__name__}: {problem}{where}"


# -- in processes that can be killed ----------------------------------------------------------------------------------


def _serve(connection: Connection, seconds: float) -> None:
    """Judge the sets whose numbers arrive; the process is killed if one takes more than this many CPU seconds."""
    while (number := connection.recv()) is not None:
        # This signal ends compiled code too, and CPU time does not depend on other load.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        connection.send(judge(number))


def judged(numbers: Iterable[int], seconds: float = 60.0) -> Iterator[Outcome]:
    """Yield the outcomes of sets, computed in another process; the limit leaves room for compilation."""
    spawn = multiprocessing.get_context("spawn")
    process = None
    try:
        for number in numbers:
            if process is None:
                here, there = spawn.Pipe()
                process = spawn.Process(target=_serve, args=(there, seconds), daemon=True)
                process.start()
                there.close()
            here.send(number)
            try:
                yield here.recv()
            except EOFError:
                process.join()
                ended = process.exitcode == -signal.SIGPROF
                yield number, *((ENDLESS, f"more than {seconds:g} s") if ended else (RAISED, "the process died"))
                process = None
    finally:
        if process is not None:
            process.kill()
            process.join()


def main(count: int, start: int = 0) -> None:
    """Print every incorrect outcome, and the counts."""
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for number, kind, why in judged(range(start, start + count)):
        counts[kind] += 1
        if kind != FINE:
            print(number, kind, why, sep="\t", flush=True)
    print(dict(counts), f"{time.monotonic() - began:.0f} s", sep="\t")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
