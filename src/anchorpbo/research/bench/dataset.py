"""The duels on which every library is measured, as plain arrays.

A worker for another library receives these arrays and imports nothing else from this library, so that its memory and
start-up time are its own.
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
    """A study of m duels between distinct designs of d coordinates."""

    points: Array
    """Designs, (2 m, d), in the unit cube."""
    winners: IntArray
    """Rows of the preferred designs, (m,)."""
    losers: IntArray
    """Rows of the other designs, (m,)."""
    anchors: Array
    """Designs the judge knows well, (n, d)."""
    seed: int

    def __len__(self) -> int:
        return len(self.winners)

    @property
    def dimension(self) -> int:
        """Number of coordinates of a design, d."""
        return int(self.points.shape[1])

    @property
    def key(self) -> tuple[int, int, int]:
        """Dimension, number of duels and seed, which identify the dataset within the benchmark."""
        return self.dimension, len(self), self.seed

    def duels(self) -> Duels:
        """Return a new `Duels` with these duels."""
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
