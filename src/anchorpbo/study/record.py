"""The log as arrays: what the model and the choice of the next duel see of it.

Symbols: m informative duels, that is wins and ties; d coordinates.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.numerics.validation import freeze
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.duel import Outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Event, event_to_dict
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
    def after(cls, digest: str, event: Event, points: Array) -> Entry:
        """The entry of an event, with the coordinates of its designs, that follows those with this digest."""
        return cls(event, freeze(points), digest_of([digest, event_to_dict(event)]))


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
    recent: tuple[Entry, ...]
    """The last few entries, at most `SOON`."""
    bounds: tuple[float, float] | None
    """Range of the coordinates; ``None`` for counts."""

    @classmethod
    def empty(cls, study: str, space: DesignSpace, anchors: Mapping[bytes, Design]) -> Record:
        """Of a study with this digest and these anchors, by their coordinates, before anything was said."""
        d = space.dimension
        return cls(
            digest=study,
            events=0,
            known=tuple(anchors.values()),
            anchors=_as_rows(anchors, d),
            pairs=np.empty((0, 2, d)),
            tied=np.empty(0, dtype=np.bool_),
            digests=(),
            skips=0,
            recent=(),
            bounds=None if space.columns.fingerprint else (0.0, 1.0),
        )

    def after(self, entries: Sequence[Entry]) -> Record:
        """The record of a log that has gone on by these entries: what is read is they alone."""
        if not entries:
            return self
        known = {point.tobytes(): design for point, design in zip(self.anchors, self.known, strict=True)}
        informative: list[tuple[Array, bool, str]] = []
        skips = self.skips
        for entry in entries:
            event, points = entry.event, entry.points
            if isinstance(event, AnchorAdded):
                known[points[0].tobytes()] = event.design
            elif isinstance(event, AnchorRemoved):
                del known[points[0].tobytes()]
            elif not isinstance(event, Answered):
                informative.append((points, event.tie, entry.digest))
            elif event.outcome == "skip":
                skips += 1
            else:
                order = points[::-1] if event.outcome == "second" else points
                informative.append((order, event.outcome == "tie", entry.digest))
        d = self.anchors.shape[1]
        pairs = np.array([points for points, _, _ in informative]).reshape(-1, 2, d)
        tied = np.array([tie for _, tie, _ in informative], dtype=np.bool_)
        return replace(
            self,
            digest=entries[-1].digest,
            events=self.events + len(entries),
            known=tuple(known.values()),
            anchors=_as_rows(known, d),
            pairs=np.concatenate([self.pairs, pairs]),
            tied=np.concatenate([self.tied, tied]),
            digests=self.digests + tuple(digest for _, _, digest in informative),
            skips=skips,
            recent=(*self.recent, *entries[-SOON:])[-SOON:],
        )

    @property
    def skipped(self) -> tuple[Array, ...]:
        """Duels skipped among the last few events, not to be asked again soon, (2, d) each."""
        return tuple(entry.points for entry in self.recent if _outcome(entry) == "skip")

    @property
    def answered_lately(self) -> tuple[Array, ...]:
        """Informative duels among the last few events, (2, d) each."""
        return tuple(entry.points for entry in self.recent if _outcome(entry) not in (None, "skip"))

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


def _outcome(entry: Entry) -> Outcome | None:
    """Of the answer to a duel; ``None`` for other events."""
    return entry.event.outcome if isinstance(entry.event, Answered) else None


def _as_rows(points: Iterable[bytes], d: int) -> Array:
    """Coordinates from their bytes, (n, d)."""
    return np.array([np.frombuffer(point) for point in points]).reshape(-1, d)
