"""The interface of storage back ends: `Storage`, and the errors it raises.

A back end stores the definition, the participants and the journal (`journal.py`) of each study. To add one, subclass
`Storage` in a module of this package, convert entries with `rows.py`, raise the errors below, and add a line to
`open_storage`; `memory.py` is the smallest example. Every back end must pass `anchorpbo.testing.StorageContract`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import ConflictError, UnknownStudyError


@dataclass(frozen=True)
class StudyInfo:
    """Summary of a stored study.

    Parameters
    ----------
    id
        Key of the study in its storage and in links.
    name
        Name shown to people.
    created
        Time of creation, with a time zone.
    answers
        Number of informative answers of all participants, without skipped and undone ones.
    updated
        Time of the last entry.
    """

    id: str
    name: str
    created: datetime
    answers: int = 0
    updated: datetime | None = None


class Storage(ABC):
    """A store of studies. Safe to use from several threads, and from several processes if the back end is shared.

    A call is atomic: it succeeds completely, or raises and changes nothing. Written data survives a crash.
    """

    @abstractmethod
    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Store a new study with its definition (ready for JSON) and its first entries, in order.

        The entries' participants become the participants of the study. Raises `ConflictError` if the id is in use.
        """

    @abstractmethod
    def studies(self) -> list[StudyInfo]:
        """Return all studies, newest first."""

    @abstractmethod
    def study(self, id: str) -> StudyInfo:
        """Return one study; raise `UnknownStudyError` if it does not exist, here and below."""

    @abstractmethod
    def definition(self, id: str) -> dict[str, Any]:
        """Return the definition of a study."""

    @abstractmethod
    def participants(self, id: str) -> list[str]:
        """Return the participants in the order in which they were added."""

    @abstractmethod
    def add_participant(self, id: str, name: str) -> None:
        """Add a participant; do nothing if the study has them already."""

    @abstractmethod
    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """Return the entries with numbers above `after`, of one participant or of all, oldest first."""

    @abstractmethod
    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of the last entry of each study, 0 for an empty journal; leave out unknown studies.

        This must be cheap: a server calls it twice per second for all studies that are open in a browser.
        """

    @abstractmethod
    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Append entries of one participant, all of them or none, and return them with their numbers.

        `seen` is the number of this participant's last entry that the caller has read, 0 for none. If there is a later
        one, perhaps by another process, the write is stale: `append` raises `ConflictError`, and the caller should read
        the new entries and decide again.
        """

    @abstractmethod
    def delete(self, id: str) -> None:
        """Delete a study with its participants and its journal."""

    @abstractmethod
    def secret(self, name: str) -> bytes:
        """Return the secret with this name, 32 random bytes generated on the first call: the key that signs links."""

    @abstractmethod
    def close(self) -> None:
        """Close files and connections."""


def unknown_study_error(id: str) -> UnknownStudyError:
    """Return the error for a study that does not exist."""
    return UnknownStudyError("no study has this id", repr(id), "list the studies to see their ids")


def unknown_participant_error(name: str) -> UnknownStudyError:
    """Return the error for an entry by someone who is not a participant."""
    return UnknownStudyError("only participants of a study can add to it", repr(name), "add the participant first")


def duplicate_study_error(id: str) -> ConflictError:
    """Return the error for a new study whose id is in use."""
    return ConflictError("the id of a new study must be unused", repr(id), "choose another id, or delete the study")


def stale_write_error(participant: str, last: int, seen: int) -> ConflictError:
    """Return the error for an entry based on entry `seen` although the participant's last entry is `last`."""
    rule = f"stale write: {participant!r} has newer entries than the one this change is based on"
    return ConflictError(rule, f"entry {seen}; the last one is {last}", "read the new entries and decide again")
