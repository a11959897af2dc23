"""Views of anchors and other marked designs, and of proposals."""

from __future__ import annotations

from dataclasses import dataclass

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.layouts import Design
from anchorpbo.study.anchor_proposals import Reason
from anchorpbo.study.events import Judgement


@dataclass(frozen=True)
class AnchorView:
    """Marked design of a participant."""

    design: Design
    name: str | None
    """Name given by the participant; null without one."""
    judgement: Judgement = "yes"
    """Whether they could judge it well: "yes" for an anchor, "no" for a negative anchor, or "unsure"."""


@dataclass(frozen=True)
class AnchorsView:
    """All marked designs of a participant."""

    anchors: list[AnchorView]
    """Anchors, negative anchors and designs marked as unsure, in the order in which they were marked."""
    last: int | None
    """Number of the event that the next undo removes; null if there is none."""

    @classmethod
    def from_session(cls, session: ParticipantSession) -> AnchorsView:
        """Return the view of a session's marks."""
        marks = [AnchorView(one.design, one.name, one.judgement) for one in session.marks]
        return cls(marks, session.last_number)

    def count(self, judgement: Judgement = "yes") -> int:
        """Return the number of marks of one judgement."""
        return sum(one.judgement == judgement for one in self.anchors)


@dataclass(frozen=True)
class ProposalView:
    """Design that a participant may mark; see `anchorpbo.AnchorProposal`."""

    design: Design
    reason: Reason
    """Whether it may be the best or is far from the marked designs."""
    gain: float
    """How much more the next ten answers are expected to tell about the best design if it becomes an anchor."""
    sentence: str
    """Reason and gain in words."""
