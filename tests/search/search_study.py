"""A posterior and a noise map such as a study has after a few duels."""

import numpy as np

from anchorpbo.duels import Rows
from anchorpbo.kernels import RBF, Kernel, Matern52
from anchorpbo.posterior import DuelLatent, GaussianPosterior, PosteriorMixture, Sites, posterior_from_sites
from anchorpbo.reliability import NoiseMap


def study(
    dimension: int, duels: int = 15, seed: int = 0, kernel: Kernel | None = None
) -> tuple[GaussianPosterior, NoiseMap]:
    rng, kernel = np.random.default_rng(seed), kernel or RBF(0.3)
    points = rng.random((2 * duels, dimension))
    noise = NoiseMap.bounded(0.5 * rng.random((3, dimension)), bandwidth=0.3, scale=0.5, strength=2.0)
    first, second = np.arange(duels), np.arange(duels, 2 * duels)
    size = 1.0 / np.sqrt(noise(points[first]) + noise(points[second]))
    rows = Rows(first, second, size, size, np.zeros(duels, dtype=bool), len(points))
    precision = rng.uniform(0.3, 1.0, duels)
    sites = Sites(precision, precision * rng.normal(1.0, 1.0, duels))
    latent = DuelLatent(rows, kernel(points, points))
    return posterior_from_sites(kernel, points, latent, sites), noise


def mixed_study(dimension: int, seed: int = 0) -> tuple[PosteriorMixture, NoiseMap]:
    """Three components with kernels of their own, which disagree on the best designs."""
    kernels = (RBF(0.3), Matern52(0.15, 3.0), RBF(0.8, 0.5))
    parts = [study(dimension, seed=seed, kernel=kernel) for kernel in kernels]
    return PosteriorMixture(np.array([0.5, 0.3, 0.2]), tuple(posterior for posterior, _ in parts)), parts[0][1]
