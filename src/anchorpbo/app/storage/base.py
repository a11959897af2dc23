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
    """Keeps studies. Safe to use from several threads, and from several processes where the back end is shared.

    A call either did all it says or raises and did nothing; what it did survives a crash, also of the machine.
    """

    @abstractmethod
    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Keep a new study with what it was made with, ready for JSON, and its first entries, in their order.

        Their participants are those of the study. Raises `ConflictError` where there is a study of this id.
        """

    @abstractmethod
    def studies(self) -> list[StudyInfo]:
        """All studies, the newest first."""

    @abstractmethod
    def study(self, id: str) -> StudyInfo:
        """One study; `UnknownStudyError` where there is none, here and below."""

    @abstractmethod
    def definition(self, id: str) -> dict[str, Any]:
        """What a study was made with."""

    @abstractmethod
    def participants(self, id: str) -> list[str]:
        """Who takes part, in the order in which they were added."""

    @abstractmethod
    def add_participant(self, id: str, name: str) -> None:
        """Let someone take part; nothing happens where they do already."""

    @abstractmethod
    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """The journal, oldest first: of one participant or all, from the first entry whose number is above `after`."""

    @abstractmethod
    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Number of the last entry of each of these studies, 0 where it has none; without those there are not.

        It is cheap: a server asks it twice a second about all studies that someone looks at.
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
        """Forget a study and all that is kept of it."""

    @abstractmethod
    def secret(self, name: str) -> bytes:
        """32 random bytes under a name, made when first asked for and the same ever after: to sign links with."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""


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
