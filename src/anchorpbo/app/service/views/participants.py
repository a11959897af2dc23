"""Views of participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ParticipantView:
    """Participant of a study."""

    name: str
    answers: int
    anchors: int
    link: str | None
    """Signed path of the participant's page; visible to the owner only."""

    @classmethod
    def from_counts(cls, name: str, counts: Mapping[str, tuple[int, int]]) -> ParticipantView:
        """Return the view of a participant without a link, from the counts of all participants."""
        answers, anchors = counts.get(name, (0, 0))
        return cls(name, answers, anchors, None)
