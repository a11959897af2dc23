"""Random sites on random rows, and the posterior that dense matrices give for them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from anchorpbo.duels import Rows
from anchorpbo.kernels import Kernel, Matern52
from anchorpbo.posterior import LATENTS, GaussianPosterior, LatentGaussian, Sites, posterior_from_sites
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Example:
    """Everything a posterior is made of."""

    kernel: Kernel
    points: Array
    rows: Rows
    sites: Sites

    @property
    def K(self) -> Array:
        return self.kernel(self.points, self.points)

    @property
    def D(self) -> Array:
        return np.asarray(self.rows.D.toarray())

    def latent(self, kind: str = "auto") -> LatentGaussian:
        return LATENTS[kind](self.rows, self.K)

    def posterior(self, kind: str = "auto") -> GaussianPosterior:
        return posterior_from_sites(self.kernel, self.points, self.latent(kind), self.sites)

    def dense(self, sites: Sites | None = None) -> tuple[Array, Array]:
        """beta = D' M^-1 t and G = D' M^-1 D with M = C + diag(v), by a dense inverse; rows of w = 0 say nothing."""
        sites = self.sites if sites is None else sites
        said = sites.precision > 0
        D, w = self.D[said], sites.precision[said]
        M_inverse = np.linalg.inv(D @ self.K @ D.T + np.diag(1.0 / w))
        return D.T @ M_inverse @ (sites.linear[said] / w), D.T @ M_inverse @ D


def random_example(u: int, m: int, seed: int, draws: int = 0, shared: bool = True, silent: int = 0) -> Example:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, u, size=(2, m))
    rows = Rows(first, second, *rng.uniform(0.5, 2.0, size=(2, m)), np.zeros(m, dtype=bool), u)
    precision = rng.uniform(0.2, 4.0, size=(draws, m) if draws and not shared else m)
    linear = rng.standard_normal((draws, m) if draws else m)
    if silent:
        precision[..., :silent] = 0.0
        linear[..., :silent] = 0.0
    return Example(Matern52(0.5, 1.7), rng.uniform(size=(u, 2)), rows, Sites(precision, linear))


@pytest.fixture
def example() -> Callable[..., Example]:
    """Build one: u designs, m rows, and draws of the sites if asked for."""
    return random_example


@pytest.fixture
def X() -> Array:
    return np.random.default_rng(99).uniform(size=(6, 2))
