"""A posterior and a noise map such as a study has after a few duels."""

import numpy as np

from anchorpbo.duels import Rows
from anchorpbo.kernels import Kernel
from anchorpbo.posterior import DuelLatent, GaussianPosterior, Sites, posterior_from_sites
from anchorpbo.reliability import NoiseMap


def study(kernel: Kernel, duels: int = 12, dimension: int = 3, seed: int = 0) -> tuple[GaussianPosterior, NoiseMap]:
    rng = np.random.default_rng(seed)
    points = rng.random((2 * duels, dimension))
    noise = NoiseMap.from_anchors(rng.random((4, dimension)), bandwidth=1.0)
    first, second = np.arange(duels), np.arange(duels, 2 * duels)
    size = 1.0 / np.sqrt(noise(points[first]) + noise(points[second]))
    rows = Rows(first, second, size, size, np.zeros(duels, dtype=bool), len(points))
    precision = rng.uniform(0.3, 1.0, duels)
    sites = Sites(precision, precision * rng.normal(1.0, 1.0, duels))
    latent = DuelLatent(rows, kernel(points, points))
    return posterior_from_sites(kernel, points, latent, sites), noise
