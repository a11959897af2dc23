"""Growth: sizes beyond a usual study, for this library only, each case in a fresh process.

A case is a function that takes ``quick`` and returns numbers by name; a name that ends in ``_seconds`` is a median.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from anchorpbo.acquisition import RAEUBO, RAHBO
from anchorpbo.duels import Duels
from anchorpbo.inference import InferenceName
from anchorpbo.kernels import RBF, Kernel, Tanimoto
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.model import PreferenceGP
from anchorpbo.model.approximation import InducingChoice
from anchorpbo.model.params import DEFAULT_LEARN, LearnOption
from anchorpbo.posterior import Posterior
from anchorpbo.posterior.moments import RootProduct
from anchorpbo.reliability import NoiseMap
from anchorpbo.research.bench.anchorpbo_contenders import start_study, tell_duels
from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.simulated_duels import simulate_dataset
from anchorpbo.search import maximise, maximise_discrete
from anchorpbo.search.evaluation import iter_chunks
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

Numbers = dict[str, float]
_GROWTH_KERNEL = RBF([0.5] * 4)
_LIST_INFERENCES: dict[str, InferenceName] = {"rahbo": "hallucination", "raeubo": "ep"}
"""Acquisition functions measured on lists, with the inference each uses."""


def time_median(run: Callable[[], object], repeats: int = 3) -> float:
    """Return the median seconds of some runs, after one warm-up run."""
    run()
    times = []
    for _ in range(repeats):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return statistics.median(times)


def measure_many_duels(quick: bool) -> Numbers:
    """Time the fit, and the inference without a fit, of many duels on few designs."""
    count, designs = (2_000, 20) if quick else (100_000, 100)
    rng = np.random.default_rng(0)
    points = rng.random((designs, 4))
    utility = 2.0 * np.sin(5.0 * points).sum(axis=1)
    first = rng.integers(designs, size=count)
    second = (first + rng.integers(1, designs, size=count)) % designs
    wins = rng.random(count) < 1.0 / (1.0 + np.exp(utility[second] - utility[first]))
    duels = Duels(points, np.where(wins, first, second), np.where(wins, second, first))
    model = PreferenceGP(RBF([0.5] * 4), Logistic(form="difference"), "laplace", starts=1)
    PreferenceGP(RBF([0.5] * 4), Logistic(form="difference"), "laplace", starts=1).fit(_make_few_duels())  # compiles
    began = perf_counter()
    model.fit(duels)
    fit = perf_counter() - began
    condition = time_median(partial(model.condition, duels))
    correlation = float(np.corrcoef(model.posterior.means, utility[_find_rows(points, duels.points)])[0, 1])
    return {
        "duels": count, "designs": designs, "fit_seconds": fit, "infer_seconds": condition,
        "correlation": correlation,
    }  # fmt: skip


def measure_catalogue(quick: bool) -> Numbers:
    """Time asks over a long numeric list after 150 duels, and the matrix product that an ask needs."""
    items, features = (2_000, 10) if quick else (100_000, 50)
    rng = np.random.default_rng(0)
    candidates = rng.random((items, features))
    utility = candidates @ rng.normal(size=features)
    kernel = RBF(np.full(features, 0.3 * np.sqrt(features)))
    noise = NoiseMap.bounded(candidates[:5], scale=0.5)
    return _measure_list_search(candidates, utility, kernel, noise, quick)


def measure_fingerprints(quick: bool) -> Numbers:
    """Time asks over a list of fingerprints after 150 duels, and the matrix product that an ask needs."""
    items, bits = (500, 64) if quick else (20_000, 2_048)
    rng = np.random.default_rng(0)
    candidates = (rng.random((items, bits)) < 0.05).astype(np.float64)
    utility = candidates @ rng.normal(size=bits)
    noise = NoiseMap.bounded(candidates[:5], scale=0.5, metric="tanimoto")
    return _measure_list_search(candidates, utility, Tanimoto(), noise, quick)


def _measure_list_search(candidates: Array, utility: Array, kernel: Kernel, noise: NoiseMap, quick: bool) -> Numbers:
    rng, count = np.random.default_rng(1), 30 if quick else 150
    judged = rng.permutation(len(candidates))[: 2 * count]
    heard = utility[judged] / utility.std() + 0.5 * rng.normal(size=2 * count)
    wins = heard[:count] > heard[count:]
    rows = np.arange(count)
    duels = Duels(
        candidates[judged], np.where(wins, rows, rows + count), np.where(wins, rows + count, rows), bounds=None
    )
    found: Numbers = {"items": len(candidates), "features": candidates.shape[1], "duels": count}
    for name, inference in _LIST_INFERENCES.items():
        model = PreferenceGP(kernel, "probit", inference, noise, learn=None).condition(duels)
        posterior = model.posterior
        search: Callable[[], object] = (
            partial(maximise_discrete, RAHBO(risk_aversion=1.0).bind(posterior, model.noise), candidates)
            if name == "rahbo"
            else partial(maximise_discrete, RAEUBO().bind(posterior, model.noise), candidates)
        )
        ask, bare = time_median(search), time_median(partial(_multiply_full, posterior, candidates))
        least = time_median(partial(_multiply_triangular, posterior, candidates))
        found |= {f"{name}_seconds": ask, f"{name}_product_seconds": bare, f"{name}_ratio": ask / bare}
        found |= {f"{name}_least_seconds": least, f"{name}_least_ratio": ask / least}
    return found


def _multiply_full(posterior: Posterior, candidates: Array) -> None:
    """Multiply the prior covariances with the judged designs by the root, in chunks."""
    for _, each in posterior.components:
        for chunk in iter_chunks(len(candidates), len(each.points)):
            each.kernel(candidates[chunk], each.points) @ each.root.T


def _multiply_triangular(posterior: Posterior, candidates: Array) -> None:
    """Do the same product as `_multiply_full` with a triangular root, as the search does."""
    for _, each in posterior.components:
        for chunk in iter_chunks(len(candidates), len(each.points)):
            RootProduct.of(each, each.kernel(candidates[chunk], each.points))


def measure_many_designs(quick: bool) -> Numbers:
    """Time fit, inference and ask with inducing points, when every duel has two designs of its own."""
    count = 100 if quick else 5_000
    duels = simulate_dataset(4, count, 0).duels()
    model = _make_ep_model(_GROWTH_KERNEL, inducing=40 if quick else "auto")
    model.condition(simulate_dataset(4, 10, 0).duels())  # compiles
    began = perf_counter()
    model.fit(duels)
    fit = perf_counter() - began
    bound = RAEUBO().bind(model.posterior, model.noise)
    found: Numbers = {"duels": count, "designs": len(duels.points), "fit_seconds": fit}
    found["infer_seconds"] = time_median(partial(model.condition, duels), 1)
    found["ask_seconds"] = time_median(lambda: maximise(bound, 4, np.random.default_rng(0)), 1)
    done = model.approximation
    if done is not None and done.designs is not None:
        found["inducing_designs"], found["variance_left_out"] = done.designs, done.left_out
    return found


def measure_inducing_error(quick: bool) -> Numbers:
    """Measure the error of inducing points against exact inference, at the same hyper-parameters."""
    count = 60 if quick else 2_000
    duels = simulate_dataset(4, count, 0).duels()
    kernel = _make_ep_model(_GROWTH_KERNEL).fit(duels).kernel
    exact = _make_ep_model(kernel, learn=None, inducing=None)
    found: Numbers = {"duels": count, "designs": len(duels.points)}
    found["exact_infer_seconds"] = time_median(partial(exact.condition, duels), 1)
    X = np.random.default_rng(1).random((500, 4))
    mean, std = exact.posterior.mean(X), np.sqrt(exact.posterior.variance(X))
    for designs in (10, 40) if quick else (125, 250, 500, 1_000):
        model = _make_ep_model(kernel, learn=None, inducing=designs)
        found[f"{designs}_inducing_infer_seconds"] = time_median(partial(model.condition, duels), 1)
        posterior = model.posterior
        # Both in units of the exact standard deviation at the same design.
        found[f"{designs}_inducing_mean_error"] = float((np.abs(posterior.mean(X) - mean) / std).max())
        found[f"{designs}_inducing_std_error"] = float(np.abs(np.sqrt(posterior.variance(X)) / std - 1.0).max())
    return found


def _make_ep_model(
    kernel: Kernel, learn: LearnOption = DEFAULT_LEARN, inducing: InducingChoice = "auto"
) -> PreferenceGP:
    return PreferenceGP(kernel, "probit", "ep", 0.5, learn=learn, starts=1, inducing=inducing)


def measure_studies_at_once(quick: bool) -> Numbers:
    """Measure asks per second of several studies, from one, two and four threads."""
    studies, duels = (4, 10) if quick else (8, 100)
    datasets = [simulate_dataset(4, duels + 4, seed) for seed in range(studies)]
    found: Numbers = {"studies": studies, "duels": duels}
    for number, threads in enumerate((1, 2, 4)):
        running: list[Optimizer] = []
        for each in datasets:
            study = start_study(each, "default")
            tell_duels(study, each, duels + number)
            study.to_json()  # fits
            running.append(study)
        began = perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda study: study.ask(), running))
        found[f"asks_a_second_{threads}"] = studies / (perf_counter() - began)
    return found


def _make_few_duels() -> Duels:
    return Duels(np.random.default_rng(0).random((4, 4)), [0, 1, 2, 0], [1, 2, 3, 3])


def _find_rows(points: Array, wanted: Array) -> list[int]:
    """Return the rows of designs among others."""
    places = {point.tobytes(): row for row, point in enumerate(points)}
    return [places[point.tobytes()] for point in wanted]


INFERENCE_SIZES, QUICK_INFERENCE_SIZES = (10, 25, 50, 100, 150), (10,)
INFERENCE_MODELS: dict[str, tuple[InferenceName, Likelihood]] = {
    "Laplace, logistic": ("laplace", Logistic(form="difference")),
    "Laplace, probit": ("laplace", Probit()),
    "EP, logistic": ("ep", Logistic(form="difference")),
    "EP, probit": ("ep", Probit()),
    "Hallucination Believer, probit": ("hallucination", Probit()),
    "Polya-Gamma, logistic": ("polya-gamma", Logistic(form="difference")),
}
"""Inference and likelihood by title."""


def measure_inferences(quick: bool) -> Numbers:
    """Time every inference method; a name reads ``"EP, probit/fit/150"``."""
    found: Numbers = {}
    for m in QUICK_INFERENCE_SIZES if quick else INFERENCE_SIZES:
        dataset = simulate_dataset(4, m, 0)
        noise = NoiseMap.bounded(dataset.anchors, scale=0.5)
        duels = dataset.duels()
        for name, (inference, likelihood) in INFERENCE_MODELS.items():
            model = PreferenceGP(RBF(np.full(4, 0.5)), likelihood, inference, noise)
            found[f"{name}/fit/{m}"] = time_median(partial(model.fit, duels), 1 if quick else 5)
            found[f"{name}/infer/{m}"] = time_median(partial(model.condition, duels), 1 if quick else 11)
    return found


GROWTH_CASES: dict[str, Callable[[bool], Numbers]] = {
    "inferences": measure_inferences,
    "many_duels": measure_many_duels,
    "catalogue": measure_catalogue,
    "fingerprints": measure_fingerprints,
    "many_designs": measure_many_designs,
    "inducing_error": measure_inducing_error,
    "studies_at_once": measure_studies_at_once,
}
"""Growth cases by name; each takes ``quick``."""


@dataclass(frozen=True)
class GrowthCase(Measurement):
    """One of `GROWTH_CASES`."""

    section = "growth"

    case: str
    quick: bool

    @property
    def effort(self) -> float:
        """About half a minute."""
        return 2.0 if self.quick else 20.0

    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the answer of the process: ``{"found": {name: number}, "megabytes": ...}``."""
        job = {"do": "growth", "case": self.case, "quick": self.quick}
        return {"limit": pool.limit, **pool.call_fresh(1, job)}
