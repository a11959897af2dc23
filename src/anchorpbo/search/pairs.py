"""The best pair of a list.

Short lists: every pair is scored, whatever the acquisition.

Long lists: bound and refine. The items are cut into cells (`cells`), every pair of cells gets an upper bound, and pairs
of cells are opened in the order of decreasing bounds, scoring all their pairs of items with the true covariance. Once
no bound left is above the best value found, that value is the best of the list. After the first few, cells that cannot
matter any more are dropped and the others are cut anew, which makes them smaller and their bounds tighter.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.search.cells import cells_of, pair_bounds
from anchorpbo.search.items import Items
from anchorpbo.typing import IntArray

BLOCK = 512
"""Items on each side of a block when every pair is scored."""
FIRST_LOOK = 8
"""How many pairs of cells are opened before cells are dropped."""
WORTHWHILE = 0.75
"""Cutting anew pays when no more than this part of the items is left."""


class PairSearch:
    """The best pair so far; `enumerate_all` and `refine` improve it."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.pair: tuple[int, int] = (-1, -1)
        self.value: float = -np.inf
        self.evaluations: int = 0

    def enumerate_all(self) -> None:
        """Score every pair."""
        n = len(self.items.X)
        blocks = [np.arange(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
        for a, rows in enumerate(blocks):
            for columns in blocks[a:]:
                self._look(rows, columns)

    def refine(self, budget: int) -> float:
        """Bound and refine until done or until `budget` pairs are scored; return by how much the best may be missed."""
        alive = np.arange(len(self.items.X))
        while True:
            cells = cells_of(self.items, alive)
            bounds = pair_bounds(self.items, cells)
            first, second = np.triu_indices(len(cells))
            for step, k in enumerate(np.argsort(-bounds[first, second], kind="stable")):
                left = float(bounds[first[k], second[k]])
                if left <= self.value:
                    return 0.0
                if self.evaluations >= budget and self.value > -np.inf:
                    return left - self.value
                self._look(cells[first[k]], cells[second[k]])
                if step + 1 == FIRST_LOOK:
                    worth = [cell for cell, bound in zip(cells, bounds.max(axis=1), strict=True) if bound > self.value]
                    if worth and sum(map(len, worth)) <= WORTHWHILE * len(alive):
                        alive = np.sort(np.concatenate(worth))
                        break
            else:
                return 0.0

    def _look(self, rows: IntArray, columns: IntArray) -> None:
        """Score all pairs between two groups, which are the same or have no item in common."""
        values = self.items.values(rows, columns)
        if np.isnan(values).any():
            raise InputError("an acquisition must not be NaN", "NaN", "make partials finite, also where std is 0")
        best = int(np.argmax(values))
        i, j = divmod(best, len(columns))
        if values[i, j] > self.value:
            self.value = float(values[i, j])
            self.pair = (int(rows[i]), int(columns[j]))
        same = rows[0] == columns[0]
        self.evaluations += len(rows) * (len(rows) - 1) // 2 if same else values.size
