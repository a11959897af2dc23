"""The use cases of anchors: designs that a participant can judge well, or not, with optional names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anchorpbo.app.definition.definition import check_anchor_name
from anchorpbo.app.definition.events import AnchorNamed
from anchorpbo.app.definition.session import NamedMark, ParticipantSession
from anchorpbo.app.service.duel_chooser import DuelChooser
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.views.anchors import AnchorsView, ProposalView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import InputError, UnknownStudyError
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Judgement, parse_judgement

MAX_PROPOSALS = 50
"""Maximum number of designs that are proposed as anchors at a time."""


class AnchorService:
    """Anchors of the participants of all studies of one storage. Safe to use from several threads."""

    def __init__(self, sessions: SessionCache, chooser: DuelChooser) -> None:
        self._sessions, self._chooser = sessions, chooser

    def show(self, id: str, participant: str = OWNER) -> AnchorsView:
        """Return the marked designs of a participant, with judgements and names."""
        return self._sessions.read(id, participant, AnchorsView.from_session)

    def list_designs(self, id: str, participant: str = OWNER) -> list[Design]:
        """Return the anchors of a participant as designs, without names."""
        return self._sessions.read(id, participant, lambda session: session.optimizer.anchors)

    def add(
        self, id: str, design: Mapping[str, Any], participant: str = OWNER, name: str | None = None,
        judgement: Judgement = "yes",
    ) -> AnchorsView:  # fmt: skip
        """Mark a design by whether the participant could judge it well, by default as an anchor; return all marks.

        Idempotent: a design that is marked again stays as it is, except for a new name. Another judgement replaces the
        earlier one. The pending duel stays.
        """
        design, name = self._sessions.check_design(id, design), check_anchor_name(name)
        judgement = parse_judgement(judgement)

        def decide(found: NamedMark | None) -> AnchorAdded | AnchorNamed | None:
            if found is None or found.judgement != judgement:
                return AnchorAdded(design, found.name if found is not None and name is None else name, judgement)
            return None if name in (None, found.name) else AnchorNamed(design, name)

        return self._change(id, design, participant, decide)

    def rename(self, id: str, design: Mapping[str, Any], name: str | None, participant: str = OWNER) -> AnchorsView:
        """Change the name of a marked design, or remove the name; return all marks."""
        design, name = self._sessions.check_design(id, design), check_anchor_name(name)

        def decide(found: NamedMark | None) -> AnchorNamed | None:
            if found is None:
                raise UnknownStudyError("only an anchor can be named", design, "choose one of the anchors")
            return None if name == found.name else AnchorNamed(design, name)

        return self._change(id, design, participant, decide)

    def remove(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> AnchorsView:
        """Remove the mark of a design; return the remaining ones. The pending duel stays."""
        design = self._sessions.check_design(id, design)

        def decide(found: NamedMark | None) -> AnchorRemoved:
            if found is None:
                raise UnknownStudyError("only an anchor can be removed", design, "choose one of the anchors")
            return AnchorRemoved(design)

        return self._change(id, design, participant, decide)

    def propose(self, id: str, n: int, participant: str = OWNER) -> list[ProposalView]:
        """Return `n` designs that may become anchors, each with the reason and what that would change."""
        if not 1 <= n <= MAX_PROPOSALS:
            raise InputError(f"n must be from 1 to {MAX_PROPOSALS}", n, "ask for fewer")
        found = self._sessions.read(id, participant, lambda session: session.optimizer.propose_anchors(n))
        return [ProposalView(**vars(one)) for one in found]

    def _change(
        self, id: str, design: Design, participant: str,
        choose: Callable[[NamedMark | None], AnchorAdded | AnchorRemoved | AnchorNamed | None],
    ) -> AnchorsView:  # fmt: skip
        """Record the event that is chosen for the mark at a design, if any; return all marks."""

        def decide(session: ParticipantSession) -> Decision[AnchorsView]:
            event = choose(next((one for one in session.marks if one.design == design), None))
            if isinstance(event, AnchorAdded | AnchorRemoved):
                session.optimizer.validate(event)
            return Decision([] if event is None else [event], lambda written: AnchorsView.from_session(session))

        view = self._sessions.transact(id, participant, decide)
        self._chooser.prefetch(id, participant)
        return view
