"""Filter of duels: it excludes pairs of equal designs, pending pairs, and pairs recently skipped or answered.

Steps need no rule of their own: proposals lie on the grid of the steps, so two designs that differ by less than a step
in every parameter with a step have the same values there, and look the same unless another parameter differs
noticeably. Designs exactly one step apart may be compared, unless a step is less than the noticeable difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.space import NOTICEABLE_DIFFERENCE, DesignSpace
from anchorpbo.typing import Array, BoolArray

EXCLUSION_DISTANCE = 0.1
"""Pairs within this distance of a skipped or pending pair, in every coordinate, are excluded."""
REPEAT_SHARE = 0.2
"""Pairs within this share of the distance between the designs of an answered pair are excluded."""


@dataclass(frozen=True, eq=False)
class DuelFilter:
    """Filter that decides which pairs of designs may be asked."""

    ordered: BoolArray
    """Coordinates in which designs can be near, (d,); none in a catalogue, whose items are discrete."""
    resolution: float = NOTICEABLE_DIFFERENCE
    """Designs that differ by less than this in all ordered coordinates, and not in the others, look the same."""
    pending: tuple[Array, ...] = ()
    """Pending pairs, (2, d) each: neither they nor any pair near them is asked."""
    skipped: tuple[Array, ...] = ()
    """Recently skipped pairs, (2, d) each: neither they nor any pair near them is asked."""
    answered: tuple[Array, ...] = ()
    """Recently answered pairs, (2, d) each: the same question is not asked again."""

    @classmethod
    def for_space(cls, space: DesignSpace) -> DuelFilter:
        """Return the filter of a space, without excluded pairs."""
        ordered = np.zeros(space.dimension, dtype=np.bool_)
        if space.region is not None:
            ordered[list(space.columns.numeric)] = True
        return cls(ordered)

    def with_exclusions(
        self, pending: Iterable[Array], skipped: Iterable[Array], answered: Iterable[Array]
    ) -> DuelFilter:
        """Return the same filter with excluded pairs."""
        return replace(self, pending=tuple(pending), skipped=tuple(skipped), answered=tuple(answered))

    def relax(self) -> Iterator[DuelFilter]:
        """Yield weaker filters for when no pair is left: first answered pairs are allowed again, then skipped ones."""
        yield replace(self, answered=())
        yield replace(self, answered=(), skipped=())

    @property
    def exclusions(self) -> list[tuple[Array, float]]:
        """Excluded pairs, (2, d) each, and the distance within which other pairs are excluded too."""
        near = [(pair, EXCLUSION_DISTANCE) for pair in (*self.pending, *self.skipped)]
        return near + [(pair, REPEAT_SHARE * float(np.abs(pair[0] - pair[1]).max())) for pair in self.answered]

    def is_same(self, X: Array, Y: Array) -> BoolArray:
        """Return which designs X look the same as Y; both (..., d), broadcast."""
        return self.is_near(X, Y, self.resolution)

    def is_near(self, X: Array, Y: Array, distance: float) -> BoolArray:
        """Return which designs X are within a distance of Y, at least the resolution, in every ordered coordinate."""
        apart = np.abs(X - Y)
        within = self.ordered & (apart < max(distance, self.resolution))
        return np.asarray((within | (apart == 0.0)).all(axis=-1))

    def allows_pairs(self, X: Array) -> BoolArray:
        """Return which pairs, (n, 2, d), may be asked, (n,)."""
        fine = ~self.is_same(X[:, 0], X[:, 1])
        if exclusions := self.exclusions:
            away = np.array([pair for pair, _ in exclusions])
            distances = np.maximum([distance for _, distance in exclusions], self.resolution)
            _strike_out(np.ascontiguousarray(X), away, distances, self.ordered, fine)
        return fine

    def allows_challengers(self, champion: Array, X: Array) -> BoolArray:
        """Return which designs X, (n, d), may challenge a champion, (d,)."""
        return self.allows_pairs(np.stack([np.broadcast_to(champion, X.shape), X], axis=1))


@jit_tiered
def _strike_out(X: Array, away: Array, distances: Array, ordered: BoolArray, fine: BoolArray) -> None:
    """Mark the pairs X, (n, 2, d), that are near one of the excluded pairs, (p, 2, d), in either order."""
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
