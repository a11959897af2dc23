"""The log as arrays, for the model and the selection of duels.

Symbols: m informative duels, that is, wins and ties; d coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.duel import Outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Judgement, LogEntry
from anchorpbo.typing import Array, BoolArray, IntArray

RECENT_EVENTS = 10
"""Number of latest events whose duels are not asked again."""


@dataclass(frozen=True)
class AnchorMark:
    """A design and whether the user could judge it well."""

    design: Design
    judgement: Judgement


@dataclass(frozen=True, eq=False)
class StudyData:
    """Everything that follows from a log without a model."""

    digest: str
    """Digest of the study and the whole log."""
    events: int
    """Number of events."""
    marks: Mapping[bytes, AnchorMark]
    """Marked designs by the bytes of their coordinates, oldest first."""
    pairs: Array
    """The informative duels, (m, 2, d): the winner first, or both designs of a tie."""
    tied: BoolArray
    """Whether each informative duel is a tie, (m,)."""
    digests: tuple[str, ...]
    """Digest of the log up to each informative duel, m."""
    entries: tuple[LogEntry, ...]
    """Entry of each informative duel, m."""
    questions: int
    """Number of duels that were answered or skipped."""
    skipped: Array
    """Duels that were skipped, (s, 2, d)."""
    duels_before_skip: IntArray
    """Number of informative duels before each skip, (s,)."""
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
            marks={point: AnchorMark(design, "yes") for point, design in anchors.items()},
            pairs=np.empty((0, 2, d)),
            tied=np.empty(0, dtype=np.bool_),
            digests=(),
            entries=(),
            questions=0,
            skipped=np.empty((0, 2, d)),
            duels_before_skip=np.empty(0, dtype=np.int64),
            recent=(),
            bounds=None if space.columns.fingerprint else (0.0, 1.0),
        )

    def with_entries(self, entries: Sequence[LogEntry]) -> StudyData:
        """Return the data of the log after these further entries; only these entries are read."""
        if not entries:
            return self
        marks = dict(self.marks)
        informative: list[tuple[Array, bool, LogEntry]] = []
        skipped: list[Array] = []
        duels_before_skip: list[int] = []
        for entry in entries:
            event, points = entry.event, entry.points
            if isinstance(event, AnchorAdded):
                marks.pop(points[0].tobytes(), None)  # a design that is marked again is the newest
                marks[points[0].tobytes()] = AnchorMark(event.design, event.judgement)
            elif isinstance(event, AnchorRemoved):
                del marks[points[0].tobytes()]
            elif not isinstance(event, Answered):
                informative.append((points, event.tie, entry))
            elif event.outcome == "skip":
                skipped.append(points)
                duels_before_skip.append(len(self) + len(informative))
            else:
                order = points[::-1] if event.outcome == "second" else points
                informative.append((order, event.outcome == "tie", entry))
        d = self.dimension
        pairs = np.array([points for points, _, _ in informative]).reshape(-1, 2, d)
        tied = np.array([tie for _, tie, _ in informative], dtype=np.bool_)
        return replace(
            self,
            digest=entries[-1].digest,
            events=self.events + len(entries),
            marks=marks,
            pairs=np.concatenate([self.pairs, pairs]),
            tied=np.concatenate([self.tied, tied]),
            digests=self.digests + tuple(entry.digest for _, _, entry in informative),
            entries=self.entries + tuple(entry for _, _, entry in informative),
            questions=self.questions + sum(isinstance(entry.event, Answered) for entry in entries),
            skipped=np.concatenate([self.skipped, np.array(skipped).reshape(-1, 2, d)]),
            duels_before_skip=np.append(self.duels_before_skip, np.array(duels_before_skip, dtype=np.int64)),
            recent=(*self.recent, *entries[-RECENT_EVENTS:])[-RECENT_EVENTS:],
        )

    @property
    def skips(self) -> int:
        """Number of duels that were skipped, s."""
        return len(self.skipped)

    @property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return int(self.pairs.shape[2])

    def marked_designs(self, judgement: Judgement) -> tuple[Design, ...]:
        """Return the designs with marks of one judgement, oldest first."""
        return tuple(mark.design for mark in self.marks.values() if mark.judgement == judgement)

    @cached_property
    def anchors(self) -> Array:
        """Coordinates of the designs the user knows well, (n, d)."""
        return self._locate_marks("yes")

    @cached_property
    def negative_anchors(self) -> Array:
        """Coordinates of the designs the user cannot judge well, (k, d)."""
        return self._locate_marks("no")

    @property
    def marked(self) -> Array:
        """Coordinates of all marked designs, whatever the judgement, oldest first."""
        return np.array([np.frombuffer(point) for point in self.marks]).reshape(-1, self.dimension)

    def _locate_marks(self, judgement: Judgement) -> Array:
        points = [np.frombuffer(point) for point, mark in self.marks.items() if mark.judgement == judgement]
        return np.array(points).reshape(-1, self.dimension)

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

    def split_questions(self, count: int) -> tuple[Array, Array]:
        """Return the pairs that were asked and answered, (a, 2, d), and skipped, (s, 2, d), in the log up to a duel.

        `count` is the number of the informative duel at which the log ends. Preferences that nobody asked for are left
        out, since they could not be skipped.
        """
        asked = np.array([isinstance(entry.event, Answered) for entry in self.entries[:count]], dtype=np.bool_)
        return self.pairs[:count][asked], self.skipped[self.duels_before_skip < count]

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
