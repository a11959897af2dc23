"""The clips of studies: audio and video files, uploaded one by one after their study was created."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.rendering.clips import MAX_STUDY_CLIP_BYTES, ClipKind, detect_format
from anchorpbo.app.storage.base import ClipInfo, Storage
from anchorpbo.errors import InputError


@dataclass(frozen=True)
class ClipView:
    """Clip of a study."""

    name: str
    kind: ClipKind
    type: str
    """MIME type."""
    size: int
    """Size in bytes."""

    @classmethod
    def from_info(cls, clip: ClipInfo) -> ClipView:
        """Return the view of a stored clip."""
        return cls(clip.name, _kind_of(clip), clip.type, clip.size)


@dataclass(frozen=True)
class ClipsView:
    """Clips of a study, and those that are still to be uploaded."""

    clips: list[ClipView]
    missing: list[str]
    """Names in the catalogue without a clip."""


class ClipLibrary:
    """The clips of all studies of one storage. Safe to use from several threads.

    Parameters
    ----------
    storage
        The storage.
    find_definition
        Function that returns the definition of a study by its id.
    max_total
        Maximum size of all clips of a study in bytes.
    """

    def __init__(
        self, storage: Storage, find_definition: Callable[[str], StudyDefinition], max_total: int = MAX_STUDY_CLIP_BYTES
    ) -> None:
        self._storage, self._find_definition, self._max_total = storage, find_definition, max_total

    def show(self, id: str) -> ClipsView:
        """Return the clips of a study and the names of those that are missing."""
        stored = {clip.name: clip for clip in self._storage.clips(id)}
        missing = [name for name in self._find_definition(id).clips if name not in stored]
        return ClipsView([ClipView.from_info(clip) for clip in stored.values()], missing)

    def kinds(self, id: str) -> Mapping[str, ClipKind]:
        """Return the kinds of the clips of a study by name."""
        return {clip.name: _kind_of(clip) for clip in self._storage.clips(id)}

    def infos(self, id: str) -> Mapping[str, ClipInfo]:
        """Return the stored clips of a study by name."""
        return {clip.name: clip for clip in self._storage.clips(id)}

    def put(self, id: str, name: str, content: bytes) -> ClipView:
        """Store a clip that the catalogue names. Idempotent; another content replaces the clip."""
        definition = self._find_definition(id)
        check_name_in_catalogue(definition, name)
        found = detect_format(name, content)
        return ClipView.from_info(self._storage.put_clip(id, name, found.type, content, self._max_total))

    def read(self, id: str, clip: ClipInfo, start: int = 0, stop: int | None = None) -> bytes:
        """Return some bytes of a clip, by default all."""
        return self._storage.read_clip(id, clip, start, clip.size if stop is None else stop)

    def copy(self, source: str, target: str) -> None:
        """Copy the clips of a study to another one with the same catalogue."""
        for clip in self._storage.clips(source):
            self._storage.put_clip(target, clip.name, clip.type, self.read(source, clip), self._max_total)


def check_name_in_catalogue(definition: StudyDefinition, name: str) -> None:
    """Raise unless a catalogue's clip column contains this name."""
    if name in definition.clips:
        return
    column = definition.display.get("clip")
    rule = (
        "a study has clips only if its table names them"
        if column is None
        else f"the name of a clip must occur in the column {column!r}"
    )
    raise InputError(rule, repr(name), "leave it out, or correct its name")


def _kind_of(clip: ClipInfo) -> ClipKind:
    return "video" if clip.type.startswith("video/") else "audio"
