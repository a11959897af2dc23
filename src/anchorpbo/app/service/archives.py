"""Archives: a study with its clips as one ZIP file.

::

    study.json      the export, see `StudyService.export`
    clips/NAME      one file per clip

Clips are compressed already, so they are stored as they are.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from anchorpbo.app.rendering.clips import MAX_CLIP_BYTES, check_clip_size
from anchorpbo.app.service.study_service import StudyService
from anchorpbo.app.service.views.studies import StudyView
from anchorpbo.errors import AnchorPBOError, InputError

MAX_EXPORT_BYTES = 32_000_000
"""Maximum size of the export in an archive, as of one that is sent without clips."""
_STUDY, _CLIPS = "study.json", "clips/"
_REMEDY = "choose a file that an export as ZIP saved"


def write_archive(studies: StudyService, id: str) -> Iterator[bytes]:
    """Return the parts of an archive; at most one clip at a time is in memory."""
    text = json.dumps(studies.export(id), allow_nan=False)
    return _write(studies, id, text)


def _write(studies: StudyService, id: str, text: str) -> Iterator[bytes]:
    pipe = _Pipe()
    with ZipFile(pipe, "w") as archive:
        archive.writestr(ZipInfo(_STUDY), text, ZIP_DEFLATED)
        yield pipe.drain()
        for clip in studies.clips.infos(id).values():
            archive.writestr(ZipInfo(_CLIPS + clip.name), studies.clips.read(id, clip), ZIP_STORED)
            yield pipe.drain()
    yield pipe.drain()


def import_archive(studies: StudyService, file: IO[bytes]) -> StudyView:
    """Create a study with its clips from an archive; all of it or nothing."""
    with _raise_archive_errors(), ZipFile(file) as archive:
        parts = archive.infolist()
        names = [part.filename for part in parts]
        odd = next((name for name in names if name != _STUDY and not name.startswith(_CLIPS)), None)
        if odd is not None or names.count(_STUDY) != 1 or len(set(names)) < len(names):
            rule = f"an archive must hold {_STUDY} and files in the folder {_CLIPS}, each once"
            raise InputError(rule, repr(odd) if odd is not None else f"{len(names)} files", _REMEDY)
        layout = _read_export(archive)
        clips = [part for part in parts if part.filename not in (_STUDY, _CLIPS)]
        for part in clips:
            check_clip_size(part.filename.removeprefix(_CLIPS), part.file_size)
        view = studies.import_study(layout)
        with studies.delete_on_error(view.id):
            for part in clips:
                with archive.open(part) as content:
                    name = part.filename.removeprefix(_CLIPS)
                    studies.clips.put(view.id, name, content.read(MAX_CLIP_BYTES + 1))
    return view


def _read_export(archive: ZipFile) -> Any:
    with archive.open(_STUDY) as file:
        text = file.read(MAX_EXPORT_BYTES + 1)
    if len(text) > MAX_EXPORT_BYTES:
        rule = f"{_STUDY} must have at most {MAX_EXPORT_BYTES / 1e6:g} MB"
        raise InputError(rule, "more", _REMEDY)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{_STUDY} must be JSON", error, _REMEDY) from error


@contextmanager
def _raise_archive_errors() -> Iterator[None]:
    """Raise `InputError` for a file that is no ZIP archive, or a damaged or encrypted one.

    `ZipFile` raises RuntimeError for an encrypted file. Errors of the import itself, some of which are RuntimeErrors
    too, are raised unchanged.
    """
    try:
        yield
    except AnchorPBOError:
        raise
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise InputError("an archive must be a ZIP file that is complete and not encrypted", error, _REMEDY) from error


class _Pipe(io.RawIOBase):
    """A stream that keeps what is written until it is drained."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def drain(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data
