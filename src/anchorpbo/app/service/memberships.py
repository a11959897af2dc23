"""Memberships: the participants of a study and their valid links.

::

    removed     the participant is removed; their entries stay in the journal
    invited     the participant is active again
    relinked    the participant gets a new link; the old one is revoked

Memberships are replayed from the owner's entries, separately from the owner's `ParticipantSession`, because every
request checks its link, even while the owner's next duel is being computed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import OWNER, Entry
from anchorpbo.errors import UnknownStudyError

MAX_STUDIES = 256
"""Maximum number of studies whose memberships are kept in memory; others are replayed on demand."""


@dataclass(frozen=True)
class Membership:
    """Membership of one participant in a study, with the index of the valid link."""

    active: bool = True
    link: int = 0
    """Index of the valid link; earlier links are revoked."""


@dataclass(frozen=True)
class _Roster:
    """Memberships of one study, up to the last entry read."""

    seen: int = 0
    """Number of the last entry that was read."""
    memberships: Mapping[str, Membership] = field(default_factory=dict)

    def replay(self, entries: Iterable[Entry]) -> _Roster:
        memberships, seen = dict(self.memberships), self.seen
        for entry in entries:
            seen = entry.number
            if entry.type in ("removed", "invited", "relinked"):
                name = str(entry.data.get("name"))
                previous = memberships.get(name, Membership())
                # A revoked link stays revoked when the participant is invited again.
                link = previous.link + (entry.type != "invited")
                memberships[name] = replace(previous, active=entry.type != "removed", link=link)
        return _Roster(seen, memberships)


class Memberships:
    """Memberships of all studies of a storage. Safe to use from several threads."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._rosters: OrderedDict[str, _Roster] = OrderedDict()
        self._lock = Lock()

    def active(self, id: str) -> list[str]:
        """Names of the participants, in the order in which they were added."""
        names = self._storage.participants(id)
        memberships = self._read(id).memberships
        return [name for name in names if memberships.get(name, Membership()).active]

    def get(self, id: str, name: str) -> Membership:
        """Return the membership of a participant, active or removed."""
        return self._read(id).memberships.get(name, Membership())

    def check(self, id: str, participant: str | None = None) -> None:
        """Raise unless the study exists and the participant, if given, is active in it."""
        if participant not in (None, *self.active(id)):
            raise UnknownStudyError(
                "a participant must be invited to the study", repr(participant), "invite them first"
            )

    def _read(self, id: str) -> _Roster:
        with self._lock:
            roster = self._rosters.get(id, _Roster())
        roster = roster.replay(self._storage.entries(id, OWNER, roster.seen))
        with self._lock:
            if roster.seen >= self._rosters.get(id, _Roster()).seen:
                self._rosters[id] = roster
            self._rosters.move_to_end(id)
            while len(self._rosters) > MAX_STUDIES:
                self._rosters.popitem(last=False)
        return roster
