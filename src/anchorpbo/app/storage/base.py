"""The interface of storage back ends: `Storage`, and the errors it raises.

A back end stores the definition, the participants, the journal (`journal.py`) and the clips of each study. To add one,
subclass `Storage` in a module of this package, convert entries with `rows.py`, raise the errors below, and add a line
to `open_storage`; `memory.py` is the smallest example. Every back end must pass `anchorpbo.testing.StorageContract`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import ConflictError, InputError, UnknownStudyError


@dataclass(frozen=True)
class StudyInfo:
    """Summary of a stored study.

    Parameters
    ----------
    id
        Key of the study in its storage and in links.
    name
        Name shown to people, after the last edit.
    created
        Time of creation, with a time zone.
    answers
        Number of informative answers of all participants, without skipped and undone ones.
    updated
        Time of the last entry.
    edits
        Values changed by entries of type ``edited``, the last one of each.
    """

    id: str
    name: str
    created: datetime
    answers: int = 0
    updated: datetime | None = None
    edits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ClipInfo:
    """An audio or video clip of a study, without its content.

    Parameters
    ----------
    name
        Name of the clip, unique in its study.
    type
        MIME type of the content.
    size
        Size of the content in bytes.
    checksum
        CRC-32 of the content. A clip whose content was replaced has another one.
    """

    name: str
    type: str
    size: int
    checksum: int


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

        This must be cheap: a server calls it after changes, up to four times per second, for all studies that are open
        in a browser.
        """

    @abstractmethod
    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Append entries of one participant, all of them or none, and return them with their numbers.

        `seen` is the number of this participant's last entry that the caller has read, 0 for none. If there is a later
        one, perhaps by another process, the write is stale: `append` raises `ConflictError`, and the caller should read
        the new entries and decide again. An entry of type ``edited`` also changes the `StudyInfo` of the study.
        """

    @abstractmethod
    def delete(self, id: str) -> None:
        """Delete a study with its participants, its journal and its clips."""

    @abstractmethod
    def put_clip(self, id: str, name: str, type: str, content: bytes, max_total: int) -> ClipInfo:
        """Store a clip, in place of the one with this name if there is one.

        Raises `InputError` if the clips of the study would have more than `max_total` bytes together.
        """

    @abstractmethod
    def clips(self, id: str) -> list[ClipInfo]:
        """Return the clips of a study by name."""

    @abstractmethod
    def read_clip(self, id: str, clip: ClipInfo, start: int, stop: int) -> bytes:
        """Return the bytes `start` to `stop` (exclusive) of a clip; the cost depends on their number.

        Raises `ConflictError` if the clip was replaced or deleted since `clips` returned it, so that a reader never
        mixes two contents.
        """

    @abstractmethod
    def secret(self, name: str) -> bytes:
        """Return the secret with this name, 32 random bytes generated on the first call: the key that signs links."""

    @abstractmethod
    def watch(self, on_change: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `on_change` after each change of any study until the returned context exits. Returns and exits at once.

        ::

            with storage.watch(changed.set):
                ...

        A call says only that something may have changed, so that the caller reads by number what is new, with
        `last_numbers` and `entries`. At least one call begins after a change has been committed, except if the process
        that made the change is killed between its commit and the notification. Then the next call announces it. The
        call begins within milliseconds if this storage made the change, and within `changes.POLL_SECONDS`, 0.5 s, if
        another process did. There may be more calls than changes, one call for several changes, and a call without any:
        after the context was entered, after a connection was lost, or repeatedly while the back end cannot notify.

        `on_change` is called without arguments, from any thread, perhaps from several at once, and must return quickly.
        An exception that it raises is logged and stops nothing. One call may still follow after the context has exited.
        Several may watch at the same time. `close` ends all calls. After a fork the child must watch again.
        """

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


def check_clip_total(name: str, total: int, max_total: int) -> None:
    """Raise if the clips of a study have too many bytes with the one of this name."""
    if total > max_total:
        rule = f"the clips of a study must have at most {max_total / 1e6:g} MB together"
        received = f"{total / 1e6:.1f} MB with {name!r}"
        raise InputError(rule, received, "encode the clips with a lower bit rate, or leave some out")


def replaced_clip_error(name: str) -> ConflictError:
    """Return the error for a clip that was replaced or deleted while it was read."""
    return ConflictError("a clip must not change while it is read", repr(name), "read it from the beginning")
