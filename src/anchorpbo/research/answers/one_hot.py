"""One-hot coding of categories, for libraries whose models know only numbers.

Symbols: X, (n, d), coordinates of designs; Z, (n, w), the same with a column of 0 and 1 for each value of a category.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array, BoolArray


@dataclass(frozen=True, eq=False)
class OneHotCoding:
    """The coding of a space: numbers are one column each, in order, categories several."""

    space: DesignSpace
    grids: tuple[Array | None, ...]
    """Values of each coordinate that is a category; ``None`` for a number."""
    is_free: BoolArray
    """Whether a column of Z is a continuous number, (w,)."""

    @classmethod
    def of(cls, space: DesignSpace) -> OneHotCoding:
        """Return the coding of a space."""
        grids: list[Array | None] = []
        free: list[bool] = []
        for c in range(space.dimension):
            allowed = _list_values(space, c)
            grids.append(allowed if c in space.columns.categorical else None)
            free += [allowed is None] if grids[-1] is None else [False] * len(grids[-1])
        return cls(space, tuple(grids), np.array(free))

    @property
    def width(self) -> int:
        """Number of columns, w."""
        return len(self.is_free)

    def encode(self, X: Array) -> Array:
        """Return Z."""
        columns = [
            X[:, [c]] if grid is None else (np.abs(X[:, [c]] - grid) < 1e-9).astype(np.float64)
            for c, grid in enumerate(self.grids)
        ]
        return np.hstack(columns)

    def decode(self, Z: Array) -> Array:
        """Return the nearest designs; of a category, the value with the largest column."""
        columns, at = [], 0
        for grid in self.grids:
            span = 1 if grid is None else len(grid)
            part = Z[:, at : at + span]
            columns.append(part if grid is None else grid[part.argmax(axis=1)][:, None])
            at += span
        return np.array([self.space.nearest(x) for x in np.hstack(columns)])


def _list_values(space: DesignSpace, column: int) -> Array | None:
    """Return the values that a coordinate can take, or ``None`` if it is continuous."""
    if space.region is not None:
        return space.region.grids[column]
    assert space.candidates is not None
    return np.unique(space.candidates[:, column])
