"""Mixtures of Gaussian processes that share a kernel: one component per draw of the sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from anchorpbo.posterior.latent import LatentGaussian
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array

GaussianWeights = tuple[Array, Array]
"""Weights (beta, root) of one Gaussian process."""


@dataclass(frozen=True, eq=False)
class SiteMixture(Sequence[GaussianWeights]):
    """Gaussian processes, one per draw of the sites.

    The covariance depends on a draw only through its precisions. If all draws share their precisions, as in
    Hallucination Believer, it is computed once. Otherwise it is recomputed on each access to a component, since storing
    all of them would take s u^2 numbers.
    """

    latent: LatentGaussian
    sites: Sites
    betas: Array
    """Weights of the means, (s, u)."""
    mean_root: Array
    """Root of the mean of G over the draws, (r, u)."""

    @classmethod
    def of(cls, latent: LatentGaussian, sites: Sites) -> SiteMixture:
        """Create the mixture; each draw is solved once."""
        if sites.shares_precision:
            solution = latent.solve(sites)
            betas = np.array([latent.dual_to_points(dual) for dual in solution.dual])
            return cls(latent, sites, betas, latent.root_to_points(solution.root))
        parts: list[Array] = []
        root = np.empty((0, len(latent.prior)))
        for index in range(sites.draws):
            solution = latent.solve(sites.draw(index))
            parts.append(latent.dual_to_points(solution.dual))
            root = compress_root(np.vstack([root, solution.root]))
        return cls(latent, sites, np.array(parts), latent.root_to_points(root / np.sqrt(sites.draws)))

    def __len__(self) -> int:
        return self.sites.draws

    @overload
    def __getitem__(self, index: int) -> GaussianWeights: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[GaussianWeights]: ...
    def __getitem__(self, index: int | slice) -> GaussianWeights | Sequence[GaussianWeights]:
        """Return beta, (u,), and root, (r, u), of one draw."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if self.sites.shares_precision:
            return self.betas[index], self.mean_root
        return self.betas[index], self.latent.root_to_points(self.latent.solve(self.sites.draw(index)).root)


def pad_weights(weights: Array, extra: int) -> Array:
    """Append zeros for more designs to weights, (..., u)."""
    return np.pad(weights, [(0, 0)] * (weights.ndim - 1) + [(0, extra)])


@dataclass(frozen=True, eq=False)
class PaddedMixture(Sequence[GaussianWeights]):
    """Components of a mixture, with zero weights appended for more designs."""

    parts: Sequence[GaussianWeights]
    extra: int

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, index: int) -> GaussianWeights: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[GaussianWeights]: ...
    def __getitem__(self, index: int | slice) -> GaussianWeights | Sequence[GaussianWeights]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        beta, root = self.parts[index]
        return pad_weights(beta, self.extra), pad_weights(root, self.extra)


def compress_root(root: Array) -> Array:
    """Return a root of the same matrix root' root, with at most as many rows as columns."""
    return root if root.shape[0] <= root.shape[1] else np.asarray(np.linalg.qr(root, mode="r"))
