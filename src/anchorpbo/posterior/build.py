"""From sites to the posterior: the last arrow of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from anchorpbo.kernels import Kernel
from anchorpbo.posterior.duel_root import DuelRoot
from anchorpbo.posterior.latent import LatentSpace
from anchorpbo.posterior.posterior import Gaussian, Posterior
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array


def posterior_from_sites(kernel: Kernel, points: Array, space: LatentSpace, sites: Sites) -> Posterior:
    """The posterior under sites, or the mixture over draws of them."""
    if sites.draws == 1:
        solution = space.solve(sites.draw(0))
        beta, root = space.dual_to_points(solution.dual), space.root_to_points(solution.root)
        return Posterior(kernel, points, beta, root, factors=DuelRoot.of(space, solution.root))
    components = SiteMixture.of(space, sites)
    beta = components.betas.mean(axis=0)
    spread = _compressed((components.betas - beta) / np.sqrt(sites.draws))
    return Posterior(kernel, points, beta, components.mean_root, spread, components)


def _compressed(root: Array) -> Array:
    """A root of the same product with no more rows than columns."""
    return root if root.shape[0] <= root.shape[1] else np.asarray(np.linalg.qr(root, mode="r"))


@dataclass(frozen=True, eq=False)
class SiteMixture(Sequence[Gaussian]):
    """The Gaussian process of each draw.

    The covariance depends on a draw through its precisions alone. Hallucinations share them, and then it is computed
    once; otherwise anew when a component is looked at, since keeping all of them would take s u^2 numbers.
    """

    space: LatentSpace
    sites: Sites
    betas: Array
    """(s, u)."""
    mean_root: Array
    """Root of the mean of G over the draws, (r, u)."""

    @classmethod
    def of(cls, space: LatentSpace, sites: Sites) -> SiteMixture:
        """Solve every draw once."""
        if sites.shared:
            solution = space.solve(sites)
            betas = np.array([space.dual_to_points(dual) for dual in solution.dual])
            return cls(space, sites, betas, space.root_to_points(solution.root))
        parts: list[Array] = []
        root = np.empty((0, len(space.prior)))
        for index in range(sites.draws):
            solution = space.solve(sites.draw(index))
            parts.append(space.dual_to_points(solution.dual))
            root = _compressed(np.vstack([root, solution.root]))
        return cls(space, sites, np.array(parts), space.root_to_points(root / np.sqrt(sites.draws)))

    def __len__(self) -> int:
        return self.sites.draws

    @overload
    def __getitem__(self, index: int) -> Gaussian: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Gaussian]: ...
    def __getitem__(self, index: int | slice) -> Gaussian | Sequence[Gaussian]:
        """beta (u,) and root (r, u) of one draw."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if self.sites.shared:
            return self.betas[index], self.mean_root
        return self.betas[index], self.space.root_to_points(self.space.solve(self.sites.draw(index)).root)
