"""The tables of clips: one row per clip, and its content in chunks, so that a part can be read without the rest.

Each chunk has a checksum of its own. A clip whose row is missing is not damage: the study lists it as a clip that is to
be uploaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select

from anchorpbo.app.storage import schema
from anchorpbo.app.storage.base import ClipInfo, check_clip_total, replaced_clip_error
from anchorpbo.app.storage.database import DatabaseAddress
from anchorpbo.app.storage.rows import compute_checksum

CHUNK_BYTES = 262_144
"""Size of a chunk, except for the last one of a clip."""

_CLIPS, _CHUNKS = schema.clips.c, schema.clip_chunks.c


class ClipTables:
    """Reads and writes the rows of clips in a transaction that the storage began."""

    def __init__(self, address: DatabaseAddress) -> None:
        self._address = address

    def read(self, connection: Connection, study: str, name: str | None = None) -> list[ClipInfo]:
        """Return the clips of a study by name, or only the one with this name."""
        query = select(schema.clips).where(_CLIPS.study == study)
        rows = self._fetch(connection, query if name is None else query.where(_CLIPS.name == name))
        for row in rows:
            values = (row.study, row.name, row.type, row.size, row.content_checksum)
            self._check_checksum(row.checksum, f"clip {row.name!r} of study {study!r}", *values)
        clips = [ClipInfo(row.name, row.type, row.size, row.content_checksum) for row in rows]
        return sorted(clips, key=lambda clip: clip.name)  # servers differ in the order of text

    def read_content(self, connection: Connection, study: str, clip: ClipInfo, start: int, stop: int) -> bytes:
        """Return some bytes of a clip."""
        if clip not in self.read(connection, study, clip.name):
            raise replaced_clip_error(clip.name)
        stop = min(stop, clip.size)
        if start >= stop:
            return b""
        first, last = start // CHUNK_BYTES, (stop - 1) // CHUNK_BYTES
        query = select(schema.clip_chunks).where(
            _CHUNKS.study == study, _CHUNKS.name == clip.name, _CHUNKS.position.between(first, last)
        )
        rows = self._fetch(connection, query.order_by(_CHUNKS.position))
        for row in rows:
            what = f"part {row.position} of clip {clip.name!r} of study {study!r}"
            self._check_checksum(row.checksum, what, row.study, row.name, row.position, row.content)
        if [row.position for row in rows] != list(range(first, last + 1)):
            raise self._address.damage_error(f"a part of clip {clip.name!r} of study {study!r} is missing")
        offset = first * CHUNK_BYTES
        return b"".join(row.content for row in rows)[start - offset : stop - offset]

    def write(self, connection: Connection, study: str, clip: ClipInfo, content: bytes, max_total: int) -> None:
        """Insert a clip, or replace it if its content differs."""
        stored = self.read(connection, study)
        if clip in stored:
            return
        others = sum(one.size for one in stored if one.name != clip.name)
        check_clip_total(clip.name, others + clip.size, max_total)
        connection.execute(delete(schema.clips).where(_CLIPS.study == study, _CLIPS.name == clip.name))
        values = (study, clip.name, clip.type, clip.size, clip.checksum)
        names = ("study", "name", "type", "size", "content_checksum")
        row = dict(zip(names, values, strict=True)) | {"checksum": compute_checksum(*values)}
        connection.execute(insert(schema.clips), row)
        for position, start in enumerate(range(0, clip.size, CHUNK_BYTES)):
            part = content[start : start + CHUNK_BYTES]
            checksum = compute_checksum(study, clip.name, position, part)
            chunk = {"study": study, "name": clip.name, "position": position, "content": part, "checksum": checksum}
            connection.execute(insert(schema.clip_chunks), chunk)

    def _fetch(self, connection: Connection, query: Select[Any]) -> Sequence[Row[Any]]:
        try:
            return connection.execute(query).all()
        except (ValueError, TypeError) as error:  # a value of another type than its column's
            raise self._address.damage_error(error) from None

    def _check_checksum(self, expected: Any, what: str, *values: Any) -> None:
        if expected != compute_checksum(*values):
            raise self._address.damage_error(f"{what} does not match its checksum")
