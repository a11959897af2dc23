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
"""Cells are halved while all have at least twice as many items ..."""
MOST = 512
"""... and while there are fewer of them than this."""


def cells_of(items: Items, alive: IntArray) -> list[IntArray]:
    """Cut some of the items into cells, a power of two of them, alike in mean, std and noise.

    Every cell is halved at the median of the quantity that varies most in it, measured by what it changes in the
    acquisition.
    """
    features = _features(items, alive)
    cells = [np.arange(len(alive))]
    while len(cells) < MOST and min(map(len, cells)) >= 2 * SMALLEST:
        cells = [half for cell in cells for half in _halves(cell, features[:, cell])]
    return [np.sort(alive[cell]) for cell in cells]


def pair_bounds(items: Items, cells: list[IntArray]) -> Array:
    """Upper bounds, (c, c), on the values of pairs between any two cells; symmetric."""
    M = np.array([items.mean[cell].max() for cell in cells])
    S = np.array([items.std[cell].max() for cell in cells])
    N = np.array([items.noise[cell].min() for cell in cells])
    value = items.bound.acquisition.partials(M[:, None], M, S[:, None] + S, N[:, None], N).value
    return np.broadcast_to(value, (len(cells), len(cells)))


def _features(items: Items, alive: IntArray) -> Array:
    """Mean, std and noise, (3, n), each times its mean slope against the item that is best beside its own copy."""
    m, s, n = items.mean[alive], items.std[alive], items.noise[alive]
    acquisition = items.bound.acquisition
    p = int(np.argmax(acquisition.partials(m, m, 2.0 * s, n, n).value))
    partials = acquisition.partials(m, m[[p]], s + s[p], n, n[[p]])
    slopes = (partials.by_mean_first, partials.by_std, partials.by_noise_first)
    return np.stack([each * np.abs(slope).mean() for each, slope in zip((m, s, n), slopes, strict=True)])


def _halves(cell: IntArray, features: Array) -> tuple[IntArray, IntArray]:
    widest, middle = int(np.argmax(np.ptp(features, axis=1))), len(cell) // 2
    order = np.argpartition(features[widest], middle)
    return cell[order[:middle]], cell[order[middle:]]
