"""From sites to the posterior: the last arrow of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from anchorpbo.kernels import Kernel
from anchorpbo.posterior.posterior import Gaussian, Posterior
from anchorpbo.posterior.sites import Sites
from anchorpbo.posterior.spaces import Space
from anchorpbo.typing import Array


def posterior_from_sites(kernel: Kernel, points: Array, space: Space, sites: Sites) -> Posterior:
    """The posterior under sites, or the mixture over draws of them."""
    if sites.draws == 1:
        solution = space.solve(sites.draw(0))
        return Posterior(kernel, points, space.dual_to_points(solution.dual), space.points_precision(solution))
    components = SiteMixture.of(space, sites)
    G = components.mean_G - np.cov(components.betas, rowvar=False, bias=True).reshape(len(points), len(points))
    return Posterior(kernel, points, components.betas.mean(axis=0), G, components)


@dataclass(frozen=True, eq=False)
class SiteMixture(Sequence[Gaussian]):
    """The Gaussian process of each draw.

    G depends on a draw through its precisions alone. Hallucinations share them, and then G is computed once; otherwise
    it is computed anew when a component is looked at, since keeping all of them would take s u^2 numbers.
    """

    space: Space
    sites: Sites
    betas: Array
    """(s, u)."""
    mean_G: Array
    """Mean of G over the draws, (u, u)."""

    @classmethod
    def of(cls, space: Space, sites: Sites) -> SiteMixture:
        """Solve every draw once."""
        u = space.rows.designs
        if sites.shared:
            solution = space.solve(sites)
            betas = np.array([space.dual_to_points(dual) for dual in solution.dual])
            return cls(space, sites, betas, space.points_precision(solution))
        betas, total = np.empty((sites.draws, u)), np.zeros((u, u))
        for index in range(sites.draws):
            solution = space.solve(sites.draw(index))
            betas[index] = space.dual_to_points(solution.dual)
            total += space.points_precision(solution)
        return cls(space, sites, betas, total / sites.draws)

    def __len__(self) -> int:
        return self.sites.draws

    @overload
    def __getitem__(self, index: int) -> Gaussian: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Gaussian]: ...
    def __getitem__(self, index: int | slice) -> Gaussian | Sequence[Gaussian]:
        """beta (u,) and G (u, u) of one draw."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if self.sites.shared:
            return self.betas[index], self.mean_G
        solution = self.space.solve(self.sites.draw(index))
        return self.betas[index], self.space.points_precision(solution)
