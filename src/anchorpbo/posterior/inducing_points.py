"""Which designs stand for all: a greedy choice by pivoted Cholesky factorisation.

Symbols: K (u, u) the prior covariance at the designs compared, never formed; Z the r designs chosen so far; K_ZZ = L L'
and E = K_PZ L^-T (u, r), so that E E' is what Z tells of K. The variance that Z leaves out is

    at a design    d_i     = K_ii - |E_i|^2
    at a margin    delta_k = C_kk - |H_k|^2,     H = D E

The next design is where c_i d_i is largest, c_i the sum of the squared entries of D at design i: quiet designs that
were compared often count most. Its column of E follows from one row of K and the columns there are, so r designs cost
O(u r^2). Pivots below rounding are never taken, so that L needs no jitter: designs equal to one chosen, or as good as,
are not chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.duels import Rows
from anchorpbo.kernels import Kernel
from anchorpbo.typing import Array, IntArray


@dataclass(frozen=True, eq=False)
class Inducing:
    """Designs that stand for all others, and what the margins are to them."""

    points: Array
    """Z, (r, d), in the order they were chosen."""
    chosen: IntArray
    """Their row numbers among the designs compared, (r,)."""
    L: Array
    """Lower triangle with L L' = K_ZZ, (r, r)."""
    H: Array
    """D K_PZ L^-T, (m, r)."""
    left_out: float
    """Share of the margins' prior variance that they leave out: sum_k delta_k / sum_k C_kk."""


def choose_inducing(kernel: Kernel, points: Array, rows: Rows, most: int, tolerance: float = 0.0) -> Inducing:
    """Choose designs until they leave out at most a share of the margins' prior variance.

    Parameters
    ----------
    kernel
        Prior covariance.
    points
        The designs compared, (u, d).
    rows
        Their duels.
    most
        Designs to choose at most.
    tolerance
        The share at which to stop; at 0 only rounding does.
    """
    u, most = len(points), min(most, len(points))
    left = kernel.diagonal(points).copy()
    total = _margin_variances(kernel, points, rows).sum()
    rounding = u * np.finfo(float).eps * left.max(initial=0.0)
    weights = np.bincount(rows.first, rows.coef_first**2, u) + np.bincount(rows.second, rows.coef_second**2, u)
    # A row for each design chosen: products with what is there then run through memory in its order.
    E, H = np.empty((most, u)), np.empty((most, len(rows)))
    chosen: list[int] = []
    explained = 0.0
    while len(chosen) < most and total - explained > tolerance * total:
        r, next_one = len(chosen), int(np.argmax(weights * left))
        if left[next_one] <= rounding:
            break
        column = kernel(points[next_one : next_one + 1], points)[0] - E[:r, next_one] @ E[:r]
        if column[next_one] <= rounding:  # what was kept up to date step by step had not seen it yet
            left[next_one] = 0.0
            continue
        E[r] = column / np.sqrt(column[next_one])
        H[r] = rows.margins(E[r])
        explained += float(H[r] @ H[r])
        left = np.maximum(left - E[r] ** 2, 0.0)
        left[next_one] = 0.0
        chosen.append(next_one)
    places = np.array(chosen, dtype=np.intp)
    L = np.tril(E[: len(chosen), places].T)
    share = max(float(1.0 - explained / total), 0.0) if total > 0.0 else 0.0
    return Inducing(points[places], places, L, H[: len(chosen)].T, share)


def _margin_variances(kernel: Kernel, points: Array, rows: Rows) -> Array:
    """Diagonal of C = D K D', (m,), without K."""
    a, b, first, second = rows.coef_first, rows.coef_second, points[rows.first], points[rows.second]
    return a * a * kernel.diagonal(first) + b * b * kernel.diagonal(second) - 2.0 * a * b * kernel.paired(first, second)
