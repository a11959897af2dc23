"""Hashes of the rows of an array: distinct rows, and a lookup of a row.

Symbols: X (n, d) floats. Two rows are equal if all their bytes are, so convert -0.0 to 0.0 first (``X + 0.0``). A row's
hash depends only on its bytes. Two different rows have the same hash with probability 2^-64, so rows are compared too.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from anchorpbo.typing import Array, IntArray

Hashes = npt.NDArray[np.uint64]
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_CHUNK = 1024
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def find_distinct_rows(X: Array) -> tuple[IntArray, IntArray]:
    """Return the index of each group's first row, (g,), in order of appearance, and each row's group, (n,)."""
    _, first, group = np.unique(_hash_rows(X), return_index=True, return_inverse=True)
    if not np.array_equal(X, X[first[group]]):  # two different rows with the same hash
        _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[group.reshape(-1)]


class RowIndex:
    """Lookup of a row in an array, without a copy of the array."""

    def __init__(self, X: Array) -> None:
        self._X = X

    def find(self, x: Array) -> int | None:
        """Return the index of the first row of X, (n, d), that equals x, (d,), or ``None``."""
        order, numbers = self._sorted_hashes
        number = _hash_rows(x[None])[0]
        start, end = (int(np.searchsorted(numbers, number, side)) for side in _SIDES)
        for row in map(int, order[start:end]):
            if np.array_equal(self._X[row], x):
                return row
        return None

    @cached_property
    def _sorted_hashes(self) -> tuple[IntArray, Hashes]:
        numbers = _hash_rows(self._X)
        order = np.argsort(numbers, kind="stable")
        return order, numbers[order]


def _hash_rows(X: Array) -> Hashes:
    bits = np.ascontiguousarray(X).view(np.uint64)
    numbers = np.empty(len(X), dtype=np.uint64)
    # Any odd factors work: one per column, the same in every call.
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    for start in range(0, len(X), _CHUNK):
        # Products only carry upwards, and a float such as 1.0 has zero low bits: mix the high bits into them first.
        mixed = bits[start : start + _CHUNK]
        mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX
        mixed ^= mixed >> np.uint64(29)
        np.matmul(mixed, factors, out=numbers[start : start + _CHUNK])
    return numbers
