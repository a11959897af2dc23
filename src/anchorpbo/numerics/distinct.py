"""Which rows of an array are equal, by a number computed from each.

Symbols: X (n, d) floats. Rows are equal where all their bytes are, so -0.0 must have been made 0.0 (``X + 0.0``). A
row's number depends on its bytes alone. Two different rows may have the same, once in 2^64, so rows are compared too.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from anchorpbo.numerics.checks import read_only
from anchorpbo.numerics.jit import compiled
from anchorpbo.typing import Array, IntArray

Numbers = npt.NDArray[np.uint64]
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def distinct_rows(X: Array) -> tuple[IntArray, IntArray]:
    """First row of each group of equal rows, (g,), in order of first appearance, and the group of each row, (n,)."""
    _, first, group = np.unique(_numbers(X), return_index=True, return_inverse=True)
    if not _all_equal(read_only(X), first[group]):  # two different rows of one number
        _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[group.reshape(-1)]


class Places:
    """Where a row stands in an array, without a copy of the array."""

    def __init__(self, X: Array) -> None:
        self._X = X

    def find(self, x: Array) -> int | None:
        """The first row of X, (n, d), that is equal to x, (d,); ``None`` where there is none."""
        order, numbers = self._sorted
        number = _numbers(x[None])[0]
        start, end = (int(np.searchsorted(numbers, number, side)) for side in _SIDES)
        for row in map(int, order[start:end]):
            if np.array_equal(self._X[row], x):
                return row
        return None

    @cached_property
    def _sorted(self) -> tuple[IntArray, Numbers]:
        numbers = _numbers(self._X)
        order = np.argsort(numbers, kind="stable")
        return order, numbers[order]


def _numbers(X: Array) -> Numbers:
    numbers = np.empty(len(X), dtype=np.uint64)
    _hash(read_only(X).view(np.uint64), numbers)
    return numbers


@compiled
def _all_equal(X: Array, others: IntArray) -> bool:
    """Whether every row is equal to the one named for it."""
    for row in range(len(X)):
        for column in range(X.shape[1]):
            if X[row, column] != X[others[row], column]:
                return False
    return True


@compiled
def _hash(bits: Numbers, numbers: Numbers) -> None:
    for row in range(len(bits)):
        number = np.uint64(0x9E3779B97F4A7C15)
        for column in range(bits.shape[1]):
            # Multiplying carries upwards only, and a float such as 1.0 has nothing in its lower bits.
            number = (number ^ bits[row, column]) * np.uint64(0xBF58476D1CE4E5B9)
            number ^= number >> np.uint64(29)
        numbers[row] = number
