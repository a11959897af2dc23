"""Which duels are worth asking: never a design against itself, nor a pair that was just skipped or is still out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.space import NOTICEABLE_DIFFERENCE, DesignSpace
from anchorpbo.typing import Array, BoolArray

NEIGHBOURHOOD = 0.1
"""A skipped pair is avoided within this distance in every coordinate."""
SAME_QUESTION = 0.2
"""An answered pair is avoided within this share of the distance between its two designs."""


@dataclass(frozen=True, eq=False)
class Distinct:
    """Tells designs, and pairs of them, apart."""

    ordered: BoolArray
    """Coordinates in which designs can be near, (d,); in a catalogue none, since its items are what they are."""
    spot: float = NOTICEABLE_DIFFERENCE
    """Designs that differ by less than this in all ordered coordinates, and in no other, look the same."""
    pending: tuple[Array, ...] = ()
    """Pairs, (2, d) each, that are out: neither they nor any pair near them is asked."""
    skipped: tuple[Array, ...] = ()
    """Pairs, (2, d) each, that were skipped lately: the same holds of them."""
    answered: tuple[Array, ...] = ()
    """Pairs, (2, d) each, that were answered lately: the same question is not asked again."""

    @classmethod
    def on(cls, space: DesignSpace) -> Distinct:
        """The rule of a space."""
        ordered = np.zeros(space.dimension, dtype=np.bool_)
        if space.region is not None:
            ordered[list(space.columns.numeric)] = True
        return cls(ordered)

    def avoiding(self, pending: Iterable[Array], skipped: Iterable[Array], answered: Iterable[Array]) -> Distinct:
        """The same rule with pairs to avoid."""
        return replace(self, pending=tuple(pending), skipped=tuple(skipped), answered=tuple(answered))

    def relaxed(self) -> Iterator[Distinct]:
        """Rules to fall back on where nothing else is left: first answered pairs may return, then skipped ones."""
        yield replace(self, answered=())
        yield replace(self, answered=(), skipped=())

    @property
    def avoided(self) -> list[tuple[Array, float]]:
        """Pairs not to be asked now, (2, d) each, and how near another may come to them."""
        near = [(pair, NEIGHBOURHOOD) for pair in (*self.pending, *self.skipped)]
        return near + [(pair, SAME_QUESTION * float(np.abs(pair[0] - pair[1]).max())) for pair in self.answered]

    def same(self, X: Array, Y: Array) -> BoolArray:
        """Which designs X look the same as Y; both (..., d), broadcast."""
        return self.near(X, Y, self.spot)

    def near(self, X: Array, Y: Array, distance: float) -> BoolArray:
        """Which designs X are within a distance of Y, but at least a spot, in every ordered coordinate."""
        apart = np.abs(X - Y)
        within = self.ordered & (apart < max(distance, self.spot))
        return np.asarray((within | (apart == 0.0)).all(axis=-1))

    def pairs(self, X: Array) -> BoolArray:
        """Which pairs, (n, 2, d), may be asked, (n,)."""
        fine = ~self.same(X[:, 0], X[:, 1])
        if avoided := self.avoided:
            away = np.array([pair for pair, _ in avoided])
            distances = np.maximum([distance for _, distance in avoided], self.spot)
            _strike_out(np.ascontiguousarray(X), away, distances, self.ordered, fine)
        return fine

    def against(self, champion: Array, X: Array) -> BoolArray:
        """Which designs X, (n, d), may challenge a champion, (d,)."""
        return self.pairs(np.stack([np.broadcast_to(champion, X.shape), X], axis=1))


@jit_tiered
def _strike_out(X: Array, away: Array, distances: Array, ordered: BoolArray, fine: BoolArray) -> None:
    """Mark the pairs X, (n, 2, d), that are near one of those to keep away from, (p, 2, d), in either order."""
    for i in range(len(X)):
        for p in range(len(away)):
            for turn in range(2):
                near = True
                for side in range(2):
                    for c in range(X.shape[2]):
                        apart = abs(X[i, side, c] - away[p, side ^ turn, c])
                        if not (apart == 0.0 or (ordered[c] and apart < distances[p])):
                            near = False
                            break
                    if not near:
                        break
                if near:
                    fine[i] = False
