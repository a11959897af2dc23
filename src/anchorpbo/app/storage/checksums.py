"""Checksums of what is kept: a row whose bytes have changed on the disk does not match its own any more.

::

    studies        definition_checksum: definition      checksum: id, name, created, definition_checksum
    participants   checksum: study, name, position
    entries        checksum: study and all columns of an entry, its number included
    heads          checksum: study, entries, participants, answers, updated
    secrets        checksum: name, value

CRC-32: it finds every error within 32 bits in a row, takes four microseconds an entry, and is no protection against
someone who means to change a database. That no row is missing follows from the numbers of the others and from the head.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zlib import crc32

Value = str | int | bytes | datetime | None
"""Value of a column."""


def checksum(*values: Value) -> int:
    """CRC-32 of values, in their order."""
    # Text holds no NUL, see `checks`.
    texts = [value if type(value) is str else _as_text(value) for value in values]
    return crc32("\0".join(texts).encode("utf-8", "surrogatepass"))


def _as_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return value.hex() if isinstance(value, bytes) else str(value)
