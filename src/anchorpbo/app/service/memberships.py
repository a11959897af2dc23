"""Memberships: who takes part in a study, and which of their links is valid.

::

    removed     no longer takes part; their entries stay in the journal
    invited     takes part again
    relinked    takes part, by another link

They are replayed from the owner's entries. They are kept apart from the owner's `ParticipantSession`, since every
request checks its link, also while the owner's next duel is being computed.
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
"""Studies whose memberships are in memory; others are replayed when they are needed."""


@dataclass(frozen=True)
class Membership:
    """Whether someone takes part in a study, and by which link."""

    active: bool = True
    link: int = 0
    """Index of the valid link; earlier links are revoked."""


@dataclass(frozen=True)
class _Roster:
    """Memberships of one study, as far as the journal was read."""

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
                # A revoked link stays revoked when someone is invited again.
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
        """Membership of someone who was added at some time."""
        return self._read(id).memberships.get(name, Membership())

    def check(self, id: str, participant: str | None = None) -> None:
        """Raise unless the study exists and, where a participant is given, they take part in it."""
        if participant not in (None, *self.active(id)):
            raise UnknownStudyError("a participant must take part in the study", repr(participant), "invite them first")

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
