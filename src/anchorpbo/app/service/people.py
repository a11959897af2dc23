"""Who takes part in a study: those in its storage, by what the owner did about them since.

::

    removed     no longer takes part; what they said stays in the journal
    invited     takes part again
    relinked    takes part, by another link

A replay of the owner's entries, as everything is; kept apart from the owner's `Rater`, since whether a link still
counts is asked at each request, also while the owner's next duel is being computed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import OWNER, Entry

MOST_STUDIES = 256
"""Kept up with; others are read when they are needed."""


@dataclass(frozen=True)
class Standing:
    """How someone stands with a study."""

    present: bool = True
    link: int = 0
    """Which of their links counts: as many before it do no longer."""


@dataclass(frozen=True)
class _Known:
    seen: int = 0
    """Number of the last entry that was read."""
    standings: Mapping[str, Standing] = field(default_factory=dict)

    def after(self, entries: Iterable[Entry]) -> _Known:
        standings, seen = dict(self.standings), self.seen
        for entry in entries:
            seen = entry.number
            if entry.type in ("removed", "invited", "relinked"):
                name = str(entry.data.get("name"))
                before = standings.get(name, Standing())
                # A link that was taken away does not count again when someone comes back.
                link = before.link + (entry.type != "invited")
                standings[name] = replace(before, present=entry.type != "removed", link=link)
        return _Known(seen, standings)


class People:
    """Who takes part in the studies of a storage. Safe to use from several threads."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = Lock()

    def present(self, id: str) -> list[str]:
        """Names of those who take part, in the order they came."""
        names = self._storage.participants(id)
        standings = self._read(id).standings
        return [name for name in names if standings.get(name, Standing()).present]

    def standing(self, id: str, name: str) -> Standing:
        """How someone who was invited at some time stands with a study."""
        return self._read(id).standings.get(name, Standing())

    def _read(self, id: str) -> _Known:
        with self._lock:
            known = self._known.get(id, _Known())
        known = known.after(self._storage.entries(id, OWNER, known.seen))
        with self._lock:
            if known.seen >= self._known.get(id, _Known()).seen:
                self._known[id] = known
            self._known.move_to_end(id)
            while len(self._known) > MOST_STUDIES:
                self._known.popitem(last=False)
        return known
