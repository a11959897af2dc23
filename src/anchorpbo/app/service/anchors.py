"""The use cases of anchors: designs that a participant can judge well, with optional names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anchorpbo.app.definition.definition import check_anchor_name
from anchorpbo.app.definition.events import AnchorNamed
from anchorpbo.app.definition.session import NamedAnchor, ParticipantSession
from anchorpbo.app.service.duel_chooser import DuelChooser
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.views import AnchorsView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import InputError, UnknownStudyError
from anchorpbo.study.events import AnchorAdded, AnchorRemoved

MAX_PROPOSALS = 50
"""Maximum number of designs that are proposed as anchors at a time."""


class AnchorService:
    """Anchors of the participants of all studies of one storage. Safe to use from several threads."""

    def __init__(self, sessions: SessionCache, chooser: DuelChooser) -> None:
        self._sessions, self._chooser = sessions, chooser

    def show(self, id: str, participant: str = OWNER) -> AnchorsView:
        """Return the anchors of a participant with their names."""
        return self._sessions.read(id, participant, AnchorsView.from_session)

    def list_designs(self, id: str, participant: str = OWNER) -> list[Design]:
        """Return the anchors of a participant as designs, without names."""
        return self._sessions.read(id, participant, lambda session: session.optimizer.anchors)

    def add(self, id: str, design: Mapping[str, Any], participant: str = OWNER, name: str | None = None) -> AnchorsView:
        """Add an anchor, a design that the participant can judge well; return all anchors.

        Idempotent: an anchor that is marked again stays as it is, except for a new name. The pending duel stays.
        """
        design, name = self._sessions.check_design(id, design), check_anchor_name(name)

        def decide(found: NamedAnchor | None) -> AnchorAdded | AnchorNamed | None:
            if found is None:
                return AnchorAdded(design, name)
            return None if name in (None, found.name) else AnchorNamed(design, name)

        return self._change(id, design, participant, decide)

    def rename(self, id: str, design: Mapping[str, Any], name: str | None, participant: str = OWNER) -> AnchorsView:
        """Change the name of an anchor, or remove the name; return all anchors."""
        design, name = self._sessions.check_design(id, design), check_anchor_name(name)

        def decide(found: NamedAnchor | None) -> AnchorNamed | None:
            if found is None:
                raise UnknownStudyError("only an anchor can be named", design, "choose one of the anchors")
            return None if name == found.name else AnchorNamed(design, name)

        return self._change(id, design, participant, decide)

    def remove(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> AnchorsView:
        """Remove an anchor; return the remaining ones. The pending duel stays."""
        design = self._sessions.check_design(id, design)

        def decide(found: NamedAnchor | None) -> AnchorRemoved:
            if found is None:
                raise UnknownStudyError("only an anchor can be removed", design, "choose one of the anchors")
            return AnchorRemoved(design)

        return self._change(id, design, participant, decide)

    def propose(self, id: str, n: int, participant: str = OWNER) -> list[Design]:
        """Return `n` designs spread over the space, as candidates for anchors."""
        if not 1 <= n <= MAX_PROPOSALS:
            raise InputError(f"n must be from 1 to {MAX_PROPOSALS}", n, "ask for fewer")
        return self._sessions.read(id, participant, lambda session: session.optimizer.propose_anchors(n))

    def _change(
        self, id: str, design: Design, participant: str,
        choose: Callable[[NamedAnchor | None], AnchorAdded | AnchorRemoved | AnchorNamed | None],
    ) -> AnchorsView:  # fmt: skip
        """Record the event that is chosen for the anchor at a design, if any; return all anchors."""

        def decide(session: ParticipantSession) -> Decision[AnchorsView]:
            event = choose(next((one for one in session.anchors if one.design == design), None))
            if isinstance(event, AnchorAdded | AnchorRemoved):
                session.optimizer.validate(event)
            return Decision([] if event is None else [event], lambda written: AnchorsView.from_session(session))

        view = self._sessions.transact(id, participant, decide)
        self._chooser.prefetch(id, participant)
        return view
