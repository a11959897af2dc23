"""The use cases of participants: invite, remove, and replace their links."""

from __future__ import annotations

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH
from anchorpbo.app.definition.events import Invited, Relinked, Removed
from anchorpbo.app.definition.session import count_by_participant
from anchorpbo.app.definition.validation import check_text
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.views.participants import ParticipantView
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import InputError


class ParticipantService:
    """Participants of all studies of one storage. Safe to use from several threads.

    It writes the memberships that `Memberships` replays.
    """

    def __init__(self, storage: Storage, sessions: SessionCache, memberships: Memberships) -> None:
        self._storage, self._sessions, self._memberships = storage, sessions, memberships

    def show(self, id: str) -> list[ParticipantView]:
        """Return the participants with their numbers of answers and anchors."""
        counts = count_by_participant(self._storage.entries(id))
        return [ParticipantView.from_counts(name, counts) for name in self._memberships.active(id)]

    def invite(self, id: str, name: str) -> ParticipantView:
        """Add a participant, who gets separate anchors and duels."""
        name = check_text("a participant's name", name, MAX_NAME_LENGTH, required=True)
        self._storage.add_participant(id, name)
        if not self._memberships.get(id, name).active:
            self._record(id, Invited(name))
        return self._view(id, name)

    def remove(self, id: str, name: str) -> None:
        """Remove a participant and revoke their link; their entries stay in the journal.

        If they are invited again, they continue from there with a new link.
        """
        if name == OWNER:
            raise InputError("the owner cannot be removed", repr(name), "delete the study instead")
        if name not in self._storage.participants(id):
            self._memberships.check(id, name)
        if self._memberships.get(id, name).active:
            self._record(id, Removed(name))
        self._sessions.forget(id, name)

    def relink(self, id: str, name: str) -> ParticipantView:
        """Give a participant a new link and revoke the old one."""
        self._memberships.check(id, name)
        if name == OWNER:
            raise InputError("the owner has no link", repr(name), "choose a participant")
        self._record(id, Relinked(name))
        return self._view(id, name)

    def _record(self, id: str, event: Removed | Invited | Relinked) -> None:
        """Record the removal, invitation or new link of a participant."""
        self._sessions.transact(id, OWNER, lambda session: Decision([event], lambda written: None))

    def _view(self, id: str, name: str) -> ParticipantView:
        return ParticipantView.from_counts(name, count_by_participant(self._storage.entries(id, name)))
