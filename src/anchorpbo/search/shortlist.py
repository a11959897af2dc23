"""Shortlists of designs, for acquisition functions whose duels cannot be scored one by one.

The knowledge gradient compares every duel with every design that may be chosen after it, n^3 / 2 sums for n designs. In
long lists only the designs of highest mean and of highest upper confidence bound are kept. No duel is worth more than
the best EUBO, for which `pair_search` bounds all pairs of cells at once.

In a region, the designs are those of highest mean, and distant ones of high upper confidence bound, among many spread
ones; some spread ones; and some around the best design compared: late in a study the best duels are close to it.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.acquisition import EUBO, BoundDuels
from anchorpbo.acquisition.averages import average_values
from anchorpbo.posterior import Posterior
from anchorpbo.search.pair_search import Candidates, bound_cell_pairs, split_cells
from anchorpbo.search.starts import select_starts
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, IntArray

MAX_JOINT_SUMS = 8_000_000
"""Largest number of sums if all duels are scored with all choices: about 30 ms."""
EXPLORATION = 2.0
"""Standard deviations in the upper confidence bound."""
SPREAD, BY_BOUND, BY_MEAN, AROUND = 24, 24, 8, 24
"""Designs of a region that are kept: spread, of highest bound, of highest mean, and around the best."""
AROUND_DISTANCES = (0.01, 0.3)
"""Smallest and largest standard deviation of the coordinates of designs around the best."""


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


def sample_shortlist(posterior: Posterior, region: Region, raw: int, rng: np.random.Generator) -> Array:
    """Return designs of a region, (n, d), whose duels are scored with all choices, given `raw` spread designs."""
    spread = region.sample(raw, rng)
    best = posterior.points[[int(np.argmax(posterior.means))]] if len(posterior.points) else spread[:1]
    distances = np.geomspace(*AROUND_DISTANCES, AROUND)[:, None]
    around = region.repair(region.snap(best + distances * rng.standard_normal((AROUND, region.dimension))))
    here = posterior.at(spread)
    upper = here.mean + EXPLORATION * np.sqrt(here.variance)
    by_bound, by_mean = select_starts(spread[:, None], upper, BY_BOUND), np.argsort(-here.mean, kind="stable")[:BY_MEAN]
    rows = np.unique(np.concatenate([np.arange(min(SPREAD, len(spread))), by_bound, by_mean]))
    return np.concatenate([spread[rows], around])


def count_joint_designs(components: int) -> int:
    """Return the largest number n of designs of which all duels are scored with all choices, n^3 / 2 per component."""
    return int(np.cbrt(2.0 * MAX_JOINT_SUMS / components) + 1e-9)
