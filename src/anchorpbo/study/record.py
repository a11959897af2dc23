"""The log as arrays: what the model and the choice of the next duel see of it.

Symbols: m informative duels, that is wins and ties; d coordinates.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.numerics.checks import frozen
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Event, designs_of, event_to_dict
from anchorpbo.typing import Array, BoolArray

SOON = 10
"""A duel that was skipped, or answered, is not asked again within this many events."""


def digest_of(data: Any) -> str:
    """A name for plain data that no other data has."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Entry:
    """An event and what is derived from it once."""

    event: Event
    points: Array
    """Coordinates of its designs, (1 or 2, d)."""
    digest: str
    """Of this event and all before it."""

    @classmethod
    def after(cls, digest: str, event: Event, space: DesignSpace) -> Entry:
        """The entry of an event that follows those with this digest."""
        points = np.array([space.encode(design) for design in designs_of(event)])
        return cls(event, frozen(points), digest_of([digest, event_to_dict(event)]))


@dataclass(frozen=True, eq=False)
class Record:
    """What a log says."""

    digest: str
    """Of the study and the whole log."""
    events: int
    """How many there are."""
    known: tuple[Design, ...]
    """Designs the user knows well, n."""
    anchors: Array
    """Their coordinates, (n, d)."""
    pairs: Array
    """The informative duels, (m, 2, d): the winner first, or the two of a tie."""
    tied: BoolArray
    """Which of them are ties, (m,)."""
    digests: tuple[str, ...]
    """Of the log up to each of them, m."""
    skips: int
    """Duels that were skipped."""
    skipped: tuple[Array, ...]
    """Those of them that are not to be asked again soon, (2, d) each."""
    answered_lately: tuple[Array, ...]
    """Informative duels of the last few events, (2, d) each."""
    bounds: tuple[float, float] | None
    """Range of the coordinates; ``None`` for counts."""

    @classmethod
    def of(cls, study: str, space: DesignSpace, anchors: Mapping[bytes, Design], entries: Sequence[Entry]) -> Record:
        """Read a log, that of a study with this digest and these anchors to begin with, by their coordinates."""
        known = dict(anchors)
        informative: list[tuple[Array, bool, str]] = []
        lately: list[Array] = []
        skipped: list[tuple[bool, Array]] = []
        for number, entry in enumerate(entries):
            event, points = entry.event, entry.points
            recent = number >= len(entries) - SOON
            if isinstance(event, AnchorAdded):
                known[points[0].tobytes()] = event.design
            elif isinstance(event, AnchorRemoved):
                del known[points[0].tobytes()]
            elif not isinstance(event, Answered):
                informative.append((points, event.tie, entry.digest))
            elif event.outcome == "skip":
                skipped.append((recent, points))
            else:
                order = points[::-1] if event.outcome == "second" else points
                informative.append((order, event.outcome == "tie", entry.digest))
                lately += [points] if recent else []
        d = space.dimension
        return cls(
            digest=entries[-1].digest if entries else study,
            events=len(entries),
            known=tuple(known.values()),
            anchors=np.array([np.frombuffer(point) for point in known]).reshape(-1, d),
            pairs=np.array([points for points, _, _ in informative]).reshape(-1, 2, d),
            tied=np.array([tie for _, tie, _ in informative], dtype=np.bool_),
            digests=tuple(digest for _, _, digest in informative),
            skips=len(skipped),
            skipped=tuple(points for recent, points in skipped if recent),
            answered_lately=tuple(lately),
            bounds=None if space.columns.fingerprint else (0.0, 1.0),
        )

    def __len__(self) -> int:
        """Informative duels, m."""
        return len(self.pairs)

    def duels(self, count: int | None = None, believed: Sequence[Array] = ()) -> Duels:
        """The first `count` informative duels, by default all, and pairs, (2, d), whose first is believed to win."""
        pairs = np.concatenate([self.pairs[:count], *(pair[None] for pair in believed)])
        tied = np.append(self.tied[:count], np.zeros(len(believed), dtype=np.bool_))
        first = 2 * np.arange(len(pairs))
        wins, ties = first[~tied], first[tied]
        points = pairs.reshape(-1, pairs.shape[2])
        return Duels(points, wins, wins + 1, np.stack([ties, ties + 1], axis=1), self.bounds)

    @property
    def last_winner(self) -> Array | None:
        """The winner of the last duel, (d,); ``None`` where that was a tie."""
        return np.asarray(self.pairs[-1, 0]) if len(self) and not self.tied[-1] else None

    @property
    def champion(self) -> Array | None:
        """The previous winner: of the last duel that had one, (d,)."""
        wins = np.flatnonzero(~self.tied)
        return np.asarray(self.pairs[wins[-1], 0]) if len(wins) else None
