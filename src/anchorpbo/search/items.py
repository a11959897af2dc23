"""The items of a list and the values of all pairs between two groups of them.

Symbols: m_i, s_i and n_i are the posterior mean, the posterior standard deviation and the noise at item i; C_ij is the
posterior covariance of items i and j, so that f_i - f_j has the standard deviation sqrt(s_i^2 + s_j^2 - 2 C_ij).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.acquisition import BoundPairs
from anchorpbo.posterior.moments import DesignMoments
from anchorpbo.search.evaluate import pieces
from anchorpbo.typing import Array, IntArray


@dataclass(frozen=True, eq=False)
class Items:
    """Items and what is known of each."""

    bound: BoundPairs
    X: Array
    """(n, d)."""
    mean: Array
    """m, (n,)."""
    std: Array
    """s, (n,)."""
    noise: Array
    """n, (n,)."""
    banned: IntArray
    """Pairs that may not be chosen, (b, 2), each in both orders."""

    @classmethod
    def of(cls, bound: BoundPairs, X: Array, banned: IntArray) -> Items:
        """Look at every item once, a piece at a time; banned pairs, (b, 2), come in either order."""
        mean, std, noise = np.empty((3, len(X)))
        for piece in pieces(len(X), max(len(bound.posterior.points), X.shape[1])):
            here = DesignMoments.of(bound.posterior, X[piece])
            mean[piece], std[piece], noise[piece] = here.mean, np.sqrt(here.variance), bound.noise.values(X[piece])
        return cls(bound, X, mean, std, noise, np.concatenate([banned, banned[:, ::-1]]))

    def values(self, rows: IntArray, columns: IntArray) -> Array:
        """Value of every pair of a row item and a column item, -infinity where it may not be chosen.

        Both arguments are increasing. An item and itself are no pair.
        """
        covariance = self.bound.posterior.covariance(self.X[rows], self.X[columns])
        variance = (self.std[rows] ** 2)[:, None] + self.std[columns] ** 2 - 2.0 * covariance
        partials = self.bound.acquisition.partials(
            self.mean[rows][:, None],
            self.mean[columns],
            np.sqrt(np.maximum(variance, 0.0)),
            self.noise[rows][:, None],
            self.noise[columns],
        )
        values = np.array(np.broadcast_to(partials.value, variance.shape))
        values[rows[:, None] == columns] = -np.inf
        i, j = _places(rows, self.banned[:, 0]), _places(columns, self.banned[:, 1])
        both = (i >= 0) & (j >= 0)
        values[i[both], j[both]] = -np.inf
        return values


def _places(increasing: IntArray, wanted: IntArray) -> IntArray:
    """Where each wanted number stands in an increasing list, -1 where it does not."""
    place = np.minimum(np.searchsorted(increasing, wanted), len(increasing) - 1)
    return np.where(increasing[place] == wanted, place, -1)
