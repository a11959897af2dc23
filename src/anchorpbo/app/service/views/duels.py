"""Views of duels and of what is done with them: answers, undo, imports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.service.layouts import Design, UndoneObject
from anchorpbo.study import Duel, Outcome, Progress
from anchorpbo.study.explanations import name_sides


@dataclass(frozen=True)
class DuelView:
    """Duel: two designs to compare."""

    id: str
    first: Design
    second: Design
    why: str
    reason: str
    """The same sentence with the letters of the cards: A is the first design, B the second."""
    answers: int
    """Number of informative answers by this participant so far."""
    progress: Progress
    cards: list[Card]
    """Cards of the two designs."""
    known: list[bool]
    """Whether each of the two designs is an anchor of this participant."""
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession, duel: Duel, cards: Sequence[Card]) -> DuelView:
        """Return the view of a duel of a session."""
        anchors = session.optimizer.anchors
        return cls(
            id=duel.id,
            first=duel.first,
            second=duel.second,
            why=duel.why,
            reason=name_sides(duel.why, "A", "B"),
            answers=len(session.optimizer),
            progress=session.optimizer.progress(duel),
            cards=list(cards),
            known=[design in anchors for design in (duel.first, duel.second)],
            last=session.last_number,
        )


@dataclass(frozen=True)
class AnswerView:
    """Recorded answer."""

    duel_id: str
    outcome: Outcome
    answers: int
    repeated: bool
    """Whether the answer was recorded earlier: requests are idempotent."""
    event: int
    """Number of the answer's event."""
    next: DuelView | None = None
    """The next duel, if the request asked for it and one is left."""


@dataclass(frozen=True)
class ImportView:
    """Result of an import of comparisons."""

    imported: int
    """Number of comparisons."""


@dataclass(frozen=True)
class UndoView:
    """Undone event."""

    event: UndoneObject
    pending: DuelView | None
    """Duel that is pending again if the event was an answer, else null."""
    repeated: bool
    """Whether the event was undone earlier: requests with the event's number are idempotent."""
