"""The duels that every library is measured on, as plain arrays.

A process of another library is given them ready made and loads nothing of this one's, so that its memory and its
start are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anchorpbo.typing import Array, IntArray

if TYPE_CHECKING:
    from anchorpbo.duels import Duels


@dataclass(frozen=True, eq=False)
class DuelDataset:
    """A study of m duels between designs of d coordinates, none of which comes twice."""

    points: Array
    """Designs, (2 m, d), in the unit cube."""
    winners: IntArray
    """Rows of the designs preferred, (m,)."""
    losers: IntArray
    """Rows of the others, (m,)."""
    anchors: Array
    """Designs the judge knows well, (n, d)."""
    seed: int

    def __len__(self) -> int:
        return len(self.winners)

    @property
    def dimension(self) -> int:
        """Coordinates of a design, d."""
        return int(self.points.shape[1])

    @property
    def key(self) -> tuple[int, int, int]:
        """Dimension, number of duels and seed, which identify it within the benchmark."""
        return self.dimension, len(self), self.seed

    def duels(self) -> Duels:
        """Return the duels as a `Duels`, built anew at every call."""
        from anchorpbo.duels import Duels

        return Duels(self.points, self.winners, self.losers)

    def to_plain(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        arrays = ("points", "winners", "losers", "anchors")
        return {"seed": self.seed, **{name: getattr(self, name).tolist() for name in arrays}}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> DuelDataset:
        """Restore from `to_plain`, bit for bit."""
        winners, losers = (np.array(plain[name], dtype=np.intp) for name in ("winners", "losers"))
        return cls(np.array(plain["points"]), winners, losers, np.array(plain["anchors"]), plain["seed"])
