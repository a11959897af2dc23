"""Models such as a study has after a few duels, one for each inference, and designs to look at."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch

import anchorpbo as ap
from anchorpbo.inference import EP, Hallucination, PolyaGamma
from anchorpbo.kernels import Kernel
from anchorpbo.typing import Array

D = 3
ANCHORS = np.array([[0.2, 0.3, 0.4], [0.4, 0.2, 0.3], [0.9, 0.8, 0.7]])
NOISE = ap.NoiseMap.bounded(ANCHORS, bandwidth=0.3, strength=2.0)

SETTINGS = {
    "laplace": {"inference": "laplace"},
    "laplace-logistic": {"inference": "laplace", "likelihood": "logistic"},
    "ep": {"inference": EP()},
    "ep-logistic": {"inference": EP(), "likelihood": ap.Logistic(form="difference")},
    "hallucination": {"inference": Hallucination()},
    "hallucination-mixture": {"inference": Hallucination(draws=8)},
    "polya-gamma-mixture": {"inference": PolyaGamma(draws=8), "likelihood": "logistic"},
    "inducing": {"inference": EP(), "inducing": 6},
}


def utility(points: Array) -> Array:
    return np.sin(4.0 * points[:, 0]) - 2.0 * (points[:, 1:] ** 2).sum(axis=1)


@cache
def some_duels(count: int = 14, seed: int = 0, ties: int = 0, d: int = D) -> ap.Duels:
    rng = np.random.default_rng(seed)
    points = rng.random((count + 4, d))
    first, second = np.array([rng.choice(len(points), 2, replace=False) for _ in range(count)]).T
    f = utility(points) + 0.3 * rng.standard_normal(len(points))
    swap = f[first] < f[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    tied = np.stack([first[:ties], second[:ties]], axis=1)
    return ap.Duels(points, first[ties:], second[ties:], tied)


def conditioned(kind: str, kernel: Kernel | None = None, seed: int = 0) -> ap.PreferenceGP:
    kernel = ap.RBF([0.4, 0.5, 0.8], 4.0) if kernel is None else kernel
    return ap.PreferenceGP(kernel, noise=NOISE, learn=None, **SETTINGS[kind]).condition(some_duels(seed=seed))


def designs(*shape: int, seed: int = 0, d: int = D) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, d, generator=generator, dtype=torch.float64)


def cube(d: int = D) -> torch.Tensor:
    return torch.stack([torch.zeros(d, dtype=torch.float64), torch.ones(d, dtype=torch.float64)])
