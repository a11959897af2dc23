"""Cells of alike items, and an upper bound on the value of every pair of items from two of them.

A pair's value does not fall in its means and its standard deviation and does not rise in its noises (the contract of
`PairAcquisition`), and the standard deviation of f_i - f_j is at most s_i + s_j. So with the corners

    M_a = max mean, S_a = max std, N_a = min noise     over the items of cell a

no pair of an item of a and an item of b is worth more than value(M_a, M_b, S_a + S_b, N_a, N_b).
"""

import numpy as np

from anchorpbo.search.items import Items
from anchorpbo.typing import Array, IntArray

SMALLEST = 32
"""Cells are halved while they have at least twice as many items."""
MOST = 512
"""... and while there are fewer of them than this."""


def cells_of(items: Items) -> list[IntArray]:
    """Cut the items into cells, a power of two of them, each as alike as can be in mean, std and noise.

    Every cell is halved at the median of the quantity that varies most in it, measured by what it changes in the
    acquisition: the mean partial derivatives against the item with the best value beside its own copy.
    """
    features = _features(items)
    cells = [np.arange(len(items.X))]
    while len(cells) < MOST and min(map(len, cells)) >= 2 * SMALLEST:
        cells = [half for cell in cells for half in _halves(cell, features[cell])]
    return cells


def pair_bounds(items: Items, cells: list[IntArray]) -> Array:
    """Upper bounds, (c, c), on the values of pairs between any two cells; symmetric."""
    M = np.array([items.mean[cell].max() for cell in cells])
    S = np.array([items.std[cell].max() for cell in cells])
    N = np.array([items.noise[cell].min() for cell in cells])
    return items.bound.acquisition.partials(M[:, None], M, S[:, None] + S, N[:, None], N).value


def _features(items: Items) -> Array:
    """Mean, std and noise, (n, 3), each in units of the acquisition."""
    m, s, n = items.mean, items.std, items.noise
    acquisition = items.bound.acquisition
    partner = int(np.argmax(acquisition.partials(m, m, 2.0 * s, n, n).value))
    slopes = acquisition.partials(m, m[partner], s + s[partner], n, n[partner])
    weights = [np.abs(slope).mean() for slope in (slopes.by_mean_first, slopes.by_std, slopes.by_noise_first)]
    return np.stack([m, s, n], axis=1) * weights


def _halves(cell: IntArray, features: Array) -> tuple[IntArray, IntArray]:
    widest = int(np.argmax(np.ptp(features, axis=0)))
    order = np.argsort(features[:, widest], kind="stable")
    middle = len(cell) // 2
    return np.sort(cell[order[:middle]]), np.sort(cell[order[middle:]])
