"""Which duels are worth asking: never a design against itself, nor a pair that was just skipped or is still out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array, BoolArray

NEIGHBOURHOOD = 0.1
"""A pair is much like another when continuous coordinates differ by less than this."""


@dataclass(frozen=True, eq=False)
class Distinct:
    """Tells designs, and pairs of them, apart."""

    free: BoolArray
    """Continuous coordinates, (d,)."""
    spot: float
    """Designs that differ by less than this in all of them, and in no other, look the same."""
    avoided: tuple[Array, ...] = ()
    """Pairs, (2, d) each, not to be asked again now."""

    @classmethod
    def on(cls, space: DesignSpace, avoided: Sequence[Array] = ()) -> Distinct:
        """The rule of a space."""
        free = np.zeros(space.dimension, dtype=np.bool_)
        if space.region is not None:
            free[space.region.free] = True
        return cls(free, space.spot, tuple(avoided))

    def same(self, X: Array, Y: Array, within: float | None = None) -> BoolArray:
        """Which designs X cannot be told from Y; both (..., d), broadcast."""
        apart = np.abs(X - Y)
        limit = self.spot if within is None else within
        return np.asarray(np.where(self.free, apart < limit, apart == 0.0).all(axis=-1))

    def pairs(self, X: Array) -> BoolArray:
        """Which pairs, (n, 2, d), may be asked, (n,)."""
        fine = ~self.same(X[:, 0], X[:, 1])
        for pair in self.avoided:
            straight, crossed = (self.same(X, order, NEIGHBOURHOOD).all(axis=1) for order in (pair, pair[::-1]))
            fine &= ~(straight | crossed)
        return fine

    def against(self, champion: Array, X: Array) -> BoolArray:
        """Which designs X, (n, d), may challenge a champion, (d,)."""
        return self.pairs(np.stack([np.broadcast_to(champion, X.shape), X], axis=1))
