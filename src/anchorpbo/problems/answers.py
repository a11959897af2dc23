"""Recorded answers of one person to pairs of designs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.numerics.validation import freeze
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class PairAnswers:
    """The answers of one person, in the order of the data set."""

    person: str
    space: DesignSpace
    pairs: Array
    """Coordinates of the first and the second design, (m, 2, d)."""
    first_won: BoolArray
    """Whether the first design was preferred, (m,)."""

    def __post_init__(self) -> None:
        for name in ("pairs", "first_won"):
            freeze(getattr(self, name))

    def __len__(self) -> int:
        """Return the number of answers, m."""
        return len(self.first_won)

    @property
    def winners(self) -> Array:
        """Coordinates of the preferred designs, (m, d)."""
        return np.where(self.first_won[:, None], self.pairs[:, 0], self.pairs[:, 1])

    @property
    def losers(self) -> Array:
        """Coordinates of the other designs, (m, d)."""
        return np.where(self.first_won[:, None], self.pairs[:, 1], self.pairs[:, 0])

    def select(self, rows: IntArray | BoolArray | slice | Sequence[int]) -> PairAnswers:
        """Return some of the answers."""
        return replace(self, pairs=self.pairs[rows], first_won=self.first_won[rows])
