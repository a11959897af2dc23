"""Search of a list of candidates for the best pair.

Symbols: m_i, s_i and n_i are the posterior mean, the posterior standard deviation and the noise at candidate i; C_ij is
the posterior covariance of candidates i and j, so that f_i - f_j has the standard deviation
sqrt(s_i^2 + s_j^2 - 2 C_ij).

Short lists: every pair is scored, for any acquisition function.

Long lists: branch and bound. The candidates are split into cells, and every pair of cells gets an upper bound. Pairs of
cells are opened in order of decreasing bounds; all their pairs of candidates are scored with the true covariance. Once
no remaining bound exceeds the best value found, that value is the best of the list. After the first few pairs of cells,
cells that cannot contain the best pair are pruned, and the others are split into smaller cells with tighter bounds.

The upper bound U of an acquisition function does not decrease in the means and the standard deviation and does not
increase in the noises (the contract of `PairAcquisition`; for most functions U is the value itself), and the standard
deviation of f_i - f_j is at most s_i + s_j. So with the corners

    M_a = max mean, S_a = max std, N_a = min noise     over the candidates of cell a

the value of a pair of a candidate of a and a candidate of b is at most U(M_a, M_b, S_a + S_b, N_a, N_b). If the
posterior is a mixture, every component has means and standard deviations of its own; the value of a pair is the
weighted average of the components' values, so the weighted average of their bounds is a bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.acquisition import BoundPairs
from anchorpbo.acquisition.averages import average_values
from anchorpbo.errors import InputError
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.posterior.moments import DesignMoments
from anchorpbo.search.evaluation import iter_chunks
from anchorpbo.typing import Array, IntArray

BLOCK_ITEMS = 512
"""Number of candidates on each side of a block when every pair is scored."""
MIN_CELL_ITEMS = 32
"""Cells are halved while all have at least twice this many candidates ..."""
MAX_CELLS = 512
"""... and while there are fewer cells than this."""
CELL_PAIRS_BEFORE_PRUNING = 8
"""Number of pairs of cells opened before cells are pruned."""
MAX_SHARE_TO_SPLIT = 0.75
"""Largest share of remaining candidates at which they are split into new cells."""


@dataclass(frozen=True, eq=False)
class ComponentMoments:
    """Moments of the utility at each candidate under one component of the posterior."""

    weight: float
    posterior: GaussianPosterior
    mean: Array
    """m, (n,)."""
    std: Array
    """s, (n,)."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates with the posterior and the noise at each of them."""

    bound: BoundPairs
    X: Array
    """(n, d)."""
    components: list[ComponentMoments]
    noise: Array
    """n, (n,)."""
    banned: IntArray
    """Pairs that may not be chosen, (b, 2), each in both orders."""

    @classmethod
    def of(cls, bound: BoundPairs, X: Array, banned: IntArray) -> Candidates:
        """Evaluate every candidate once, in chunks; banned pairs, (b, 2), may be in either order."""
        components = [ComponentMoments(*each, *np.empty((2, len(X)))) for each in bound.posterior.components]
        noise = np.empty(len(X))
        for chunk in iter_chunks(len(X), max(len(bound.posterior.points), X.shape[1])):
            noise[chunk] = bound.noise.values(X[chunk])
            for each in components:
                here = DesignMoments.of(each.posterior, X[chunk])
                each.mean[chunk], each.std[chunk] = here.mean, np.sqrt(here.variance)
        return cls(bound, X, components, noise, np.concatenate([banned, banned[:, ::-1]]))

    def values(self, rows: IntArray, columns: IntArray) -> Array:
        """Return the value of every pair of a row item and a column item, -infinity for pairs that may not be chosen.

        Both arguments are increasing. An item does not form a pair with itself.
        """
        values = average_values(
            [(each.weight, self._component_values(each, rows, columns)) for each in self.components]
        )
        values = np.array(np.broadcast_to(values, (len(rows), len(columns))))
        values[rows[:, None] == columns] = -np.inf
        i, j = _find_positions(rows, self.banned[:, 0]), _find_positions(columns, self.banned[:, 1])
        both = (i >= 0) & (j >= 0)
        values[i[both], j[both]] = -np.inf
        return values

    def _component_values(self, each: ComponentMoments, rows: IntArray, columns: IntArray) -> Array:
        covariance = each.posterior.covariance(self.X[rows], self.X[columns])
        variance = (each.std[rows] ** 2)[:, None] + each.std[columns] ** 2 - 2.0 * covariance
        return self.bound.acquisition.partials(
            each.mean[rows][:, None],
            each.mean[columns],
            np.sqrt(np.maximum(variance, 0.0)),
            self.noise[rows][:, None],
            self.noise[columns],
        ).value


class PairSearch:
    """The best pair so far; `enumerate_all` and `refine` improve it."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.pair: tuple[int, int] = (-1, -1)
        self.value: float = -np.inf
        self.evaluations: int = 0

    def enumerate_all(self) -> None:
        """Score every pair."""
        n = len(self.candidates.X)
        blocks = [np.arange(start, min(start + BLOCK_ITEMS, n)) for start in range(0, n, BLOCK_ITEMS)]
        for a, rows in enumerate(blocks):
            for columns in blocks[a:]:
                self._score(rows, columns)

    def refine(self, budget: int) -> float:
        """Branch and bound until done or until `budget` pairs are scored; return a bound on the loss."""
        alive = np.arange(len(self.candidates.X))
        while True:
            cells = split_cells(self.candidates, alive)
            bounds = bound_cell_pairs(self.candidates, cells)
            first, second = np.triu_indices(len(cells))
            for step, k in enumerate(np.argsort(-bounds[first, second], kind="stable")):
                left = float(bounds[first[k], second[k]])
                if left <= self.value:
                    return 0.0
                if self.evaluations >= budget and self.value > -np.inf:
                    return left - self.value
                self._score(cells[first[k]], cells[second[k]])
                if step + 1 == CELL_PAIRS_BEFORE_PRUNING:
                    worth = [cell for cell, bound in zip(cells, bounds.max(axis=1), strict=True) if bound > self.value]
                    if worth and sum(map(len, worth)) <= MAX_SHARE_TO_SPLIT * len(alive):
                        alive = np.sort(np.concatenate(worth))
                        break
            else:
                return 0.0

    def _score(self, rows: IntArray, columns: IntArray) -> None:
        """Score all pairs between two groups, which are equal or disjoint."""
        values = self.candidates.values(rows, columns)
        if np.isnan(values).any():
            raise InputError("an acquisition must not be NaN", "NaN", "make partials finite, also if std is 0")
        best = int(np.argmax(values))
        i, j = divmod(best, len(columns))
        if values[i, j] > self.value:
            self.value = float(values[i, j])
            self.pair = (int(rows[i]), int(columns[j]))
        same = rows[0] == columns[0]
        self.evaluations += len(rows) * (len(rows) - 1) // 2 if same else values.size


def split_cells(candidates: Candidates, alive: IntArray) -> list[IntArray]:
    """Split some of the items into cells of similar mean, std and noise; their number is a power of two.

    Every cell is halved at the median of the quantity that varies most in it, measured by its effect on the acquisition
    function.
    """
    features = _scale_features(candidates, alive)
    cells = [np.arange(len(alive))]
    while len(cells) < MAX_CELLS and min(map(len, cells)) >= 2 * MIN_CELL_ITEMS:
        cells = [half for cell in cells for half in _halve(cell, features[:, cell])]
    return [np.sort(alive[cell]) for cell in cells]


def bound_cell_pairs(candidates: Candidates, cells: list[IntArray]) -> Array:
    """Return upper bounds, (c, c), on the values of pairs between any two cells; symmetric."""
    N = np.array([candidates.noise[cell].min() for cell in cells])
    parts = []
    for each in candidates.components:
        M = np.array([each.mean[cell].max() for cell in cells])
        S = np.array([each.std[cell].max() for cell in cells])
        upper = candidates.bound.acquisition.upper_bound(M[:, None], M, S[:, None] + S, N[:, None], N)
        parts.append((each.weight, upper))
    return np.broadcast_to(average_values(parts), (len(cells), len(cells)))


def _scale_features(candidates: Candidates, alive: IntArray) -> Array:
    """Return the noise and every component's mean and std, (2 s + 1, n), each scaled by its effect on values of pairs.

    The effect is averaged over the items. The other half of the pair is the item with the best value when paired with
    itself.
    """
    n, acquisition = candidates.noise[alive], candidates.bound.acquisition
    features, by_noise = [], np.zeros(1)
    for each in candidates.components:
        m, s = each.mean[alive], each.std[alive]
        p = int(np.argmax(acquisition.partials(m, m, 2.0 * s, n, n).value))
        partials = acquisition.partials(m, m[[p]], s + s[p], n, n[[p]])
        effects = [each.weight * np.abs(slope).mean() for slope in (partials.by_mean_first, partials.by_std)]
        features += [m * effects[0], s * effects[1]]
        by_noise = by_noise + each.weight * np.abs(partials.by_noise_first).mean()
    return np.stack([*features, n * by_noise])


def _halve(cell: IntArray, features: Array) -> tuple[IntArray, IntArray]:
    widest, middle = int(np.argmax(np.ptp(features, axis=1))), len(cell) // 2
    order = np.argpartition(features[widest], middle)
    return cell[order[:middle]], cell[order[middle:]]


def _find_positions(increasing: IntArray, wanted: IntArray) -> IntArray:
    """Return the position of each wanted number in an increasing list, -1 if it is missing."""
    place = np.minimum(np.searchsorted(increasing, wanted), len(increasing) - 1)
    return np.where(increasing[place] == wanted, place, -1)
