"""What the growth section measures: many duels, long lists, many designs, many studies at once.

A case is a function of whether to be quick about it to numbers by name; a name that ends in ``_seconds`` is a median.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter

import numpy as np

from anchorpbo.acquisition import RAEUBO, RAHBO
from anchorpbo.duels import Duels
from anchorpbo.inference import InferenceName
from anchorpbo.kernels import RBF, Kernel, Tanimoto
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import PreferenceGP
from anchorpbo.model.approximation import InducingChoice
from anchorpbo.model.params import DEFAULT_LEARN, LearnOption
from anchorpbo.posterior import Posterior
from anchorpbo.posterior.local import Through
from anchorpbo.reliability import NoiseMap
from anchorpbo.research.bench.judged import comparisons
from anchorpbo.research.bench.product import study_of, tell
from anchorpbo.search import maximise, maximise_over
from anchorpbo.search.evaluate import pieces
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

Numbers = dict[str, float]
_KERNEL = RBF([0.5] * 4)
_LISTED: dict[str, InferenceName] = {"rahbo": "hallucination", "raeubo": "ep"}
"""Acquisitions that search lists, and the inference they come with."""


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """The median of some runs, after one that is not counted."""
    run()
    times = []
    for _ in range(repeats):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return statistics.median(times)


def many_duels(quick: bool) -> Numbers:
    """Many duels on few designs: a fit and the inference alone."""
    count, designs = (2_000, 20) if quick else (100_000, 100)
    rng = np.random.default_rng(0)
    points = rng.random((designs, 4))
    utility = 2.0 * np.sin(5.0 * points).sum(axis=1)
    first = rng.integers(designs, size=count)
    second = (first + rng.integers(1, designs, size=count)) % designs
    wins = rng.random(count) < 1.0 / (1.0 + np.exp(utility[second] - utility[first]))
    duels = Duels(points, np.where(wins, first, second), np.where(wins, second, first))
    model = PreferenceGP(RBF([0.5] * 4), Logistic(form="difference"), "laplace", starts=1)
    PreferenceGP(RBF([0.5] * 4), Logistic(form="difference"), "laplace", starts=1).fit(_few())  # compiles
    began = perf_counter()
    model.fit(duels)
    fit = perf_counter() - began
    condition = seconds(partial(model.condition, duels))
    correlation = float(np.corrcoef(model.posterior.means, utility[_rows(points, duels.points)])[0, 1])
    return {
        "duels": count, "designs": designs, "fit_seconds": fit, "infer_seconds": condition,
        "correlation": correlation,
    }  # fmt: skip


def catalogue(quick: bool) -> Numbers:
    """A long list of items with numbers, 150 duels: asks against the matrix product that they cannot avoid."""
    items, features = (2_000, 10) if quick else (100_000, 50)
    rng = np.random.default_rng(0)
    candidates = rng.random((items, features))
    utility = candidates @ rng.normal(size=features)
    kernel = RBF(np.full(features, 0.3 * np.sqrt(features)))
    noise = NoiseMap.bounded(candidates[:5], scale=0.5)
    return _over_a_list(candidates, utility, kernel, noise, quick)


def fingerprints(quick: bool) -> Numbers:
    """A list of fingerprints, 150 duels: the same."""
    items, bits = (500, 64) if quick else (20_000, 2_048)
    rng = np.random.default_rng(0)
    candidates = (rng.random((items, bits)) < 0.05).astype(np.float64)
    utility = candidates @ rng.normal(size=bits)
    noise = NoiseMap.bounded(candidates[:5], scale=0.5, metric="tanimoto")
    return _over_a_list(candidates, utility, Tanimoto(), noise, quick)


def _over_a_list(candidates: Array, utility: Array, kernel: Kernel, noise: NoiseMap, quick: bool) -> Numbers:
    rng, count = np.random.default_rng(1), 30 if quick else 150
    judged = rng.permutation(len(candidates))[: 2 * count]
    heard = utility[judged] / utility.std() + 0.5 * rng.normal(size=2 * count)
    wins = heard[:count] > heard[count:]
    rows = np.arange(count)
    duels = Duels(
        candidates[judged], np.where(wins, rows, rows + count), np.where(wins, rows + count, rows), bounds=None
    )
    found: Numbers = {"items": len(candidates), "features": candidates.shape[1], "duels": count}
    for name, inference in _LISTED.items():
        model = PreferenceGP(kernel, "probit", inference, noise, learn=None).condition(duels)
        posterior = model.posterior
        search: Callable[[], object] = (
            partial(maximise_over, RAHBO(risk_aversion=1.0).bind(posterior, model.noise), candidates)
            if name == "rahbo"
            else partial(maximise_over, RAEUBO().bind(posterior, model.noise), candidates)
        )
        ask, bare = seconds(search), seconds(partial(_bare_product, posterior, candidates))
        least = seconds(partial(_least_product, posterior, candidates))
        found |= {f"{name}_seconds": ask, f"{name}_product_seconds": bare, f"{name}_ratio": ask / bare}
        found |= {f"{name}_least_seconds": least, f"{name}_least_ratio": ask / least}
    return found


def _bare_product(posterior: Posterior, candidates: Array) -> None:
    """The bare product of matrices: prior covariances with the designs judged, through the root, in pieces."""
    for piece in pieces(len(candidates), len(posterior.points)):
        posterior.kernel(candidates[piece], posterior.points) @ posterior.root.T


def _least_product(posterior: Posterior, candidates: Array) -> None:
    """The same where the root is known to be triangular, as the search does it."""
    for piece in pieces(len(candidates), len(posterior.points)):
        Through.of(posterior, posterior.kernel(candidates[piece], posterior.points))


def many_designs(quick: bool) -> Numbers:
    """Many duels, each between two designs of its own: through inducing designs, as the model chooses."""
    count = 100 if quick else 5_000
    duels = comparisons(4, count, 0).duels()
    model = _ep_model(_KERNEL, inducing=40 if quick else "auto")
    model.condition(comparisons(4, 10, 0).duels())  # compiles
    began = perf_counter()
    model.fit(duels)
    fit = perf_counter() - began
    bound = RAEUBO().bind(model.posterior, model.noise)
    found: Numbers = {"duels": count, "designs": len(duels.points), "fit_seconds": fit}
    found["infer_seconds"] = seconds(partial(model.condition, duels), 1)
    found["ask_seconds"] = seconds(lambda: maximise(bound, 4, np.random.default_rng(0)), 1)
    done = model.approximation
    if done is not None and done.designs is not None:
        found["inducing_designs"], found["variance_left_out"] = done.designs, done.left_out
    return found


def inducing_error(quick: bool) -> Numbers:
    """The same with so few duels that there is an exact answer to compare with, at the same hyper-parameters."""
    count = 60 if quick else 2_000
    duels = comparisons(4, count, 0).duels()
    kernel = _ep_model(_KERNEL).fit(duels).kernel
    exact = _ep_model(kernel, learn=None, inducing=None)
    found: Numbers = {"duels": count, "designs": len(duels.points)}
    found["exact_infer_seconds"] = seconds(partial(exact.condition, duels), 1)
    X = np.random.default_rng(1).random((500, 4))
    mean, std = exact.posterior.mean(X), np.sqrt(exact.posterior.variance(X))
    for designs in (10, 40) if quick else (125, 250, 500, 1_000):
        model = _ep_model(kernel, learn=None, inducing=designs)
        found[f"{designs}_inducing_infer_seconds"] = seconds(partial(model.condition, duels), 1)
        posterior = model.posterior
        # Both in units of the exact standard deviation at the same design.
        found[f"{designs}_inducing_mean_error"] = float((np.abs(posterior.mean(X) - mean) / std).max())
        found[f"{designs}_inducing_std_error"] = float(np.abs(np.sqrt(posterior.variance(X)) / std - 1.0).max())
    return found


def _ep_model(kernel: Kernel, learn: LearnOption = DEFAULT_LEARN, inducing: InducingChoice = "auto") -> PreferenceGP:
    return PreferenceGP(kernel, "probit", "ep", 0.5, learn=learn, starts=1, inducing=inducing)


def studies_at_once(quick: bool) -> Numbers:
    """Asks a second of several studies, from one, two and four threads."""
    studies, duels = (4, 10) if quick else (8, 100)
    given = [comparisons(4, duels + 4, seed) for seed in range(studies)]
    found: Numbers = {"studies": studies, "duels": duels}
    for number, threads in enumerate((1, 2, 4)):
        running: list[Optimizer] = []
        for each in given:
            study = study_of(each, "default")
            tell(study, each, duels + number)
            study.to_json()  # fits
            running.append(study)
        began = perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda study: study.ask(), running))
        found[f"asks_a_second_{threads}"] = studies / (perf_counter() - began)
    return found


def _few() -> Duels:
    return Duels(np.random.default_rng(0).random((4, 4)), [0, 1, 2, 0], [1, 2, 3, 3])


def _rows(points: Array, wanted: Array) -> list[int]:
    """Where designs stand among others."""
    places = {point.tobytes(): row for row, point in enumerate(points)}
    return [places[point.tobytes()] for point in wanted]
