"""The port that every storage back end implements: `Storage`, and the errors it raises.

A back end keeps, for each study, its definition, its participants and its journal (`journal.py`). To add one, subclass
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
    """A study in a list of them.

    Parameters
    ----------
    id
        Names it in its storage, and in links.
    name
        For people.
    created
        When, with a time zone.
    answers
        Informative answers that stand, of all participants: neither skips nor those taken back count.
    updated
        Time of the last entry.
    """

    id: str
    name: str
    created: datetime
    answers: int = 0
    updated: datetime | None = None


class Storage(ABC):
    """A store of studies. Safe to use from several threads, and from several processes where the back end is shared.

    A call is atomic: it does all that it says, or raises and changes nothing. Written data survives a crash.
    """

    @abstractmethod
    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Store a new study with its definition, ready for JSON, and its first entries, in their order.

        The entries' participants become those of the study. Raises `ConflictError` if the id is in use.
        """

    @abstractmethod
    def studies(self) -> list[StudyInfo]:
        """List all studies, the newest first."""

    @abstractmethod
    def study(self, id: str) -> StudyInfo:
        """Return one study; raise `UnknownStudyError` if it does not exist, here and below."""

    @abstractmethod
    def definition(self, id: str) -> dict[str, Any]:
        """Return the definition of a study."""

    @abstractmethod
    def participants(self, id: str) -> list[str]:
        """List the participants, in the order in which they were added."""

    @abstractmethod
    def add_participant(self, id: str, name: str) -> None:
        """Add a participant; do nothing if they take part already."""

    @abstractmethod
    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """Read the entries numbered above `after`, of one participant or of all, oldest first."""

    @abstractmethod
    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of the last entry of each study, 0 for an empty journal; leave out unknown studies.

        It must be cheap: a server calls it twice a second for all studies that are open in a browser.
        """

    @abstractmethod
    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Add entries of one participant, all of them or none, and return them with their numbers.

        `seen` is the number of this participant's last entry that the caller knows of, 0 for none. Where there is a
        later one, someone else, perhaps another process, acted for the same participant in the meantime: that raises
        `ConflictError`, and the caller should read on and decide again.
        """

    @abstractmethod
    def delete(self, id: str) -> None:
        """Delete a study with its participants and its journal."""

    @abstractmethod
    def secret(self, name: str) -> bytes:
        """Return the 32 random bytes of this name, made on the first call: the key that signs links."""

    @abstractmethod
    def close(self) -> None:
        """Close files and connections."""


def unknown_study_error(id: str) -> UnknownStudyError:
    """Error for a study that does not exist."""
    return UnknownStudyError("there must be a study of this id", repr(id), "list the studies to see their ids")


def unknown_participant_error(name: str) -> UnknownStudyError:
    """Error for an entry by someone who does not take part."""
    return UnknownStudyError("only participants of a study can add to it", repr(name), "add the participant first")


def duplicate_study_error(id: str) -> ConflictError:
    """Error for a new study whose id is in use."""
    return ConflictError("a new study needs an id of its own", repr(id), "choose another id, or delete the study")


def stale_write_error(participant: str, last: int, seen: int) -> ConflictError:
    """Error for an entry that is based on `seen` although the participant's last entry is `last`."""
    rule = f"the last entry of {participant!r} must be known to whoever adds one"
    return ConflictError(rule, f"{seen} where the last one is {last}", "read the new entries and decide again")
