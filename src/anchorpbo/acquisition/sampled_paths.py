"""Duels of the maximisers of two sample paths of the utility: Thompson pairs and top-two sampling.

::

    Thompson sampling    two independent draws g1 and g2 of f [Sui2017]
    top-two sampling     g1 is the posterior mean, g2 a draw: the leader and its challenger [Russo2020, Jourdan2022]

The value of a duel is max(g1(x) + g2(y), g2(x) + g1(y)). Its maximum over all duels pairs the maximiser of g1 with that
of g2, so one search finds both, under the same filter of duels as for any other acquisition function. If both have the
same maximiser, the filter of a study, which excludes duels of equal designs, moves the one that loses less. The draws
are random; the value is not.

References
----------
[Jourdan2022] M. Jourdan, R. Degenne, D. Baudry, R. de Heide and E. Kaufmann. Top two algorithms revisited. NeurIPS
    2022.
[Russo2020] D. Russo. Simple Bayesian algorithms for best-arm identification. Operations Research 68(6), 1625-1647,
    2020.
[Sui2017] Y. Sui, V. Zhuang, J. W. Burdick and Y. Yue. Multi-dueling bandits with dependent arms. UAI 2017.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from anchorpbo.acquisition.base import Acquisition
from anchorpbo.acquisition.bound_acquisition import BoundChallengers, BoundDuels, ScreenedDuels, select_largest
from anchorpbo.posterior import Posterior, SamplePath
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, IntArray

MAX_PEAKS = 12
"""Number of support designs, of highest value under each path, that a search always scores."""
MAX_COMPARED = 64
"""Largest number of compared designs, those of highest mean, that are added to the support."""


class PathAcquisition(Acquisition):
    """An acquisition function of two paths of the utility, of which at least one is drawn; immutable."""

    @abstractmethod
    def draw(self, posterior: Posterior, support: Array, rng: np.random.Generator) -> tuple[SamplePath, SamplePath]:
        """Return the two paths; draws are exact at the support, (n, d)."""

    @final
    def bind(
        self,
        posterior: Posterior,
        noise: NoiseMap,
        incumbent: float | None = None,
        *,
        designs: Array | None = None,
        rng: np.random.Generator | None = None,
    ) -> BoundPaths:
        """Draw the paths and return the value as a function of pairs X, (n, 2, d).

        Parameters
        ----------
        posterior, noise
            Posterior of the utility, and noise map, which is not used.
        incumbent
            Not used.
        designs
            Designs spread over the space, (n, d), at which draws are exact, beside the best designs compared.
        rng
            Generator of the draws; by default the same one at each call.
        """
        BoundDuels.check_parts(posterior, noise)
        compared = posterior.points[np.argsort(-posterior.means, kind="stable")[:MAX_COMPARED]]
        support = compared if designs is None else np.concatenate([compared, designs])
        paths = self.draw(posterior, support, np.random.default_rng(0) if rng is None else rng)
        return BoundPaths(posterior, noise, paths, support)


@dataclass(frozen=True)
class ThompsonSampling(PathAcquisition):
    """The maximisers of two independent draws of the utility."""

    def draw(self, posterior: Posterior, support: Array, rng: np.random.Generator) -> tuple[SamplePath, SamplePath]:
        """Return two draws."""
        return posterior.sample_path(support, rng), posterior.sample_path(support, rng)


@dataclass(frozen=True)
class TopTwoSampling(PathAcquisition):
    """The maximiser of the posterior mean, and that of a draw of the utility."""

    def draw(self, posterior: Posterior, support: Array, rng: np.random.Generator) -> tuple[SamplePath, SamplePath]:
        """Return the posterior mean and a draw."""
        return posterior.mean_path, posterior.sample_path(support, rng)


@dataclass(frozen=True, eq=False)
class BoundPaths(BoundDuels):
    """The value of pairs of designs X, (n, 2, d), under two paths."""

    paths: tuple[SamplePath, SamplePath]
    support: Array
    """Designs where the draws are exact, (n, d)."""

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of a pair, (2, d)."""
        return (2, self.posterior.dimension)

    @property
    def peaks(self) -> Array:
        """Support designs of highest value under either path, (k, d)."""
        best = np.argsort(-self.path_values(self.support), axis=1, kind="stable")[:, :MAX_PEAKS]
        return np.asarray(self.support[np.unique(best)])

    def path_values(self, designs: Array) -> Array:
        """Return both paths at designs, (2, n)."""
        return np.array([path.values(designs) for path in self.paths])

    def values(self, X: Array) -> Array:
        """Return the values, (n,), of pairs X, (n, 2, d)."""
        g1, g2 = self.path_values(X.reshape(-1, X.shape[2])).reshape(2, -1, 2)
        return np.maximum(g1[:, 0] + g2[:, 1], g2[:, 0] + g1[:, 1])

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and gradients, (n, 2, d), of pairs X, (n, 2, d)."""
        designs = X.reshape(-1, X.shape[2])
        (g1, slope1), (g2, slope2) = (path.slopes(designs) for path in self.paths)
        straight, swapped = g1[::2] + g2[1::2], g2[::2] + g1[1::2]
        # Whether x goes with g1 and y with g2, per design.
        with_first = np.stack([straight >= swapped, straight < swapped], axis=1).reshape(-1, 1)
        return np.maximum(straight, swapped), np.where(with_first, slope1, slope2).reshape(X.shape)

    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        """Return the best pairs of designs."""
        first, second = np.triu_indices(len(designs), 1)
        g1, g2 = self.path_values(designs)
        values = np.maximum(g1[first] + g2[second], g2[first] + g1[second])
        rows, values = select_largest(values, count, first, second)
        return ScreenedDuels(designs[rows], values, rows)

    def shortlist(self, designs: Array, count: int) -> IntArray:
        """Return the increasing row numbers of designs that contain the `count` best pairs."""
        # If x were not among the count + 1 best of g1, that many would beat it beside the same y, one of them y itself.
        best = np.argsort(-self.path_values(designs), axis=1, kind="stable")[:, : count + 1]
        return np.unique(best)

    def get_duels(self, items: Array) -> Array:
        """Return the pairs themselves."""
        return items

    def fix_first(self, champion: Array) -> BoundChallengers:
        """Return the values of pairs with one of the two designs fixed to `champion`, (d,)."""
        return BoundChallengers.of(self, champion)
