"""The log as arrays, for the model and the selection of duels.

Symbols: m informative duels, that is, wins and ties; d coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.duel import Outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, LogEntry
from anchorpbo.typing import Array, BoolArray

RECENT_EVENTS = 10
"""Number of latest events whose duels are not asked again."""


@dataclass(frozen=True, eq=False)
class StudyData:
    """Everything that follows from a log without a model."""

    digest: str
    """Digest of the study and the whole log."""
    events: int
    """Number of events."""
    anchor_designs: tuple[Design, ...]
    """Designs the user knows well, n."""
    anchors: Array
    """Coordinates of the anchors, (n, d)."""
    pairs: Array
    """The informative duels, (m, 2, d): the winner first, or both designs of a tie."""
    tied: BoolArray
    """Whether each informative duel is a tie, (m,)."""
    digests: tuple[str, ...]
    """Digest of the log up to each informative duel, m."""
    skips: int
    """Number of duels that were skipped."""
    recent: tuple[LogEntry, ...]
    """The latest entries, at most `RECENT_EVENTS`."""
    bounds: tuple[float, float] | None
    """Range of the coordinates; ``None`` for counts."""

    @classmethod
    def empty(cls, study: str, space: DesignSpace, anchors: Mapping[bytes, Design]) -> StudyData:
        """Return the data of an empty log; `study` is the study's digest; anchors are keyed by their coordinates."""
        d = space.dimension
        return cls(
            digest=study,
            events=0,
            anchor_designs=tuple(anchors.values()),
            anchors=_parse_points(anchors, d),
            pairs=np.empty((0, 2, d)),
            tied=np.empty(0, dtype=np.bool_),
            digests=(),
            skips=0,
            recent=(),
            bounds=None if space.columns.fingerprint else (0.0, 1.0),
        )

    def with_entries(self, entries: Sequence[LogEntry]) -> StudyData:
        """Return the data of the log after these further entries; only these entries are read."""
        if not entries:
            return self
        anchors = {point.tobytes(): design for point, design in zip(self.anchors, self.anchor_designs, strict=True)}
        informative: list[tuple[Array, bool, str]] = []
        skips = self.skips
        for entry in entries:
            event, points = entry.event, entry.points
            if isinstance(event, AnchorAdded):
                anchors[points[0].tobytes()] = event.design
            elif isinstance(event, AnchorRemoved):
                del anchors[points[0].tobytes()]
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
            anchor_designs=tuple(anchors.values()),
            anchors=_parse_points(anchors, d),
            pairs=np.concatenate([self.pairs, pairs]),
            tied=np.concatenate([self.tied, tied]),
            digests=self.digests + tuple(digest for _, _, digest in informative),
            skips=skips,
            recent=(*self.recent, *entries[-RECENT_EVENTS:])[-RECENT_EVENTS:],
        )

    @property
    def recently_skipped(self) -> tuple[Array, ...]:
        """Duels skipped among the latest events, (2, d) each, which are not asked again soon."""
        return tuple(entry.points for entry in self.recent if _get_outcome(entry) == "skip")

    @property
    def recently_answered(self) -> tuple[Array, ...]:
        """Informative duels among the latest events, (2, d) each."""
        return tuple(entry.points for entry in self.recent if _get_outcome(entry) not in (None, "skip"))

    def __len__(self) -> int:
        """Return the number of informative duels, m."""
        return len(self.pairs)

    def duels(self, count: int | None = None, fantasies: Sequence[Array] = ()) -> Duels:
        """Return the first `count` informative duels, or all, and fantasies: pairs, (2, d), in which the first wins."""
        pairs = np.concatenate([self.pairs[:count], *(pair[None] for pair in fantasies)])
        tied = np.append(self.tied[:count], np.zeros(len(fantasies), dtype=np.bool_))
        first = 2 * np.arange(len(pairs))
        wins, ties = first[~tied], first[tied]
        points = pairs.reshape(-1, pairs.shape[2])
        return Duels(points, wins, wins + 1, np.stack([ties, ties + 1], axis=1), self.bounds)

    @property
    def last_winner(self) -> Array | None:
        """The winner of the last duel, (d,); ``None`` if that was a tie."""
        return np.asarray(self.pairs[-1, 0]) if len(self) and not self.tied[-1] else None

    @property
    def champion(self) -> Array | None:
        """The winner, (d,), of the last duel that had one."""
        wins = np.flatnonzero(~self.tied)
        return np.asarray(self.pairs[wins[-1], 0]) if len(wins) else None


def _get_outcome(entry: LogEntry) -> Outcome | None:
    """Return the outcome of an answer; ``None`` for other events."""
    return entry.event.outcome if isinstance(entry.event, Answered) else None


def _parse_points(points: Iterable[bytes], d: int) -> Array:
    """Return coordinates, (n, d), from their bytes."""
    return np.array([np.frombuffer(point) for point in points]).reshape(-1, d)
