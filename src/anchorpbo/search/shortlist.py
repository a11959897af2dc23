"""Shortlists of a long list of designs, for acquisition functions whose duels cannot be scored one by one.

The knowledge gradient compares every duel with every design that may be chosen after it, n^3 / 2 sums for n designs. In
long lists only the designs of highest mean and of highest upper confidence bound are kept. No duel is worth more than
the best EUBO, for which `pair_search` bounds all pairs of cells at once.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.acquisition import EUBO, BoundDuels
from anchorpbo.acquisition.averages import average_values
from anchorpbo.search.pair_search import Candidates, bound_cell_pairs, split_cells
from anchorpbo.typing import Array, IntArray

MAX_JOINT_SUMS = 8_000_000
"""Largest number of sums if all duels are scored with all choices: about 30 ms."""
EXPLORATION = 2.0
"""Standard deviations in the upper confidence bound."""


def shortlist_designs(bound: BoundDuels, designs: Array) -> tuple[IntArray, float]:
    """Return the increasing row numbers of designs, (n, d), to consider, and an upper bound on all other duels.

    The bound is -infinity if no other duel is better.
    """
    limit = count_joint_designs(len(bound.posterior.components))
    if len(designs) <= limit:
        return np.arange(len(designs)), -np.inf
    candidates = Candidates.of(EUBO().bind(bound.posterior, bound.noise), designs, np.empty((0, 2), dtype=np.intp))
    mean = average_values([(each.weight, each.mean) for each in candidates.components])
    upper = average_values([(each.weight, each.mean + EXPLORATION * each.std) for each in candidates.components])
    by_mean = np.argsort(-mean, kind="stable")[: limit // 2]
    by_bound = np.argsort(-upper, kind="stable")
    rest = by_bound[~np.isin(by_bound, by_mean)][: limit - len(by_mean)]
    cells = split_cells(candidates, np.arange(len(designs)))
    return np.sort(np.concatenate([by_mean, rest])), float(bound_cell_pairs(candidates, cells).max())


def count_joint_designs(components: int) -> int:
    """Return the largest number n of designs of which all duels are scored with all choices, n^3 / 2 per component."""
    return int(np.cbrt(2.0 * MAX_JOINT_SUMS / components) + 1e-9)
