"""Inferences side by side: fit and inference by every one of them, four dimensions, five anchors."""

from __future__ import annotations

from functools import partial

import numpy as np

from anchorpbo.inference import InferenceName
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.model import PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.research.bench.growth_cases import Numbers, time_median
from anchorpbo.research.bench.simulation import simulate_dataset

INFERENCE_SIZES, QUICK_INFERENCE_SIZES = (10, 25, 50, 100, 150), (10,)
INFERENCE_MODELS: dict[str, tuple[InferenceName, Likelihood]] = {
    "Laplace, logistic": ("laplace", Logistic(form="difference")),
    "Laplace, probit": ("laplace", Probit()),
    "EP, logistic": ("ep", Logistic(form="difference")),
    "EP, probit": ("ep", Probit()),
    "Hallucination Believer, probit": ("hallucination", Probit()),
    "Polya-Gamma, logistic": ("polya-gamma", Logistic(form="difference")),
}
"""In words."""


def measure_inferences(quick: bool) -> Numbers:
    """Seconds by name, such as ``"EP, probit/fit/150"``."""
    found: Numbers = {}
    for m in QUICK_INFERENCE_SIZES if quick else INFERENCE_SIZES:
        given = simulate_dataset(4, m, 0)
        noise = NoiseMap.bounded(given.anchors, scale=0.5)
        duels = given.duels()
        for name, (inference, likelihood) in INFERENCE_MODELS.items():
            model = PreferenceGP(RBF(np.full(4, 0.5)), likelihood, inference, noise)
            found[f"{name}/fit/{m}"] = time_median(partial(model.fit, duels), 1 if quick else 5)
            found[f"{name}/infer/{m}"] = time_median(partial(model.condition, duels), 1 if quick else 11)
    return found
