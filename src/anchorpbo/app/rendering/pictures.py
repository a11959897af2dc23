"""Images of a catalogue: image files in its folder, and pictures embedded in the study.

An embedded picture is a data URL, ``data:image/png;base64,...``, stored in ``display.pictures`` under its name in the
catalogue. It is part of the study in every storage back end, and part of the study's export.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from anchorpbo.errors import InputError

IMAGE_TYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
"""MIME subtypes by file suffix."""
MAX_PICTURE_BYTES = 1_000_000
"""Maximum size of an embedded picture in bytes."""
MAX_PIXELS = 40_000_000
"""Maximum number of pixels of an embedded picture; a browser needs 4 bytes per pixel."""
_DATA_URL = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")
_MAGIC_NUMBERS = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}


@dataclass(frozen=True)
class EmbeddedPicture:
    """A picture embedded in its study."""

    kind: str
    """One of the values of `IMAGE_TYPES`."""
    content: bytes


def find_picture(folder: str | PathLike[str], name: str) -> Path | None:
    """Return the path of an image if it is directly in the folder, else ``None``."""
    try:
        home = Path(folder).resolve()
        path = (home / name).resolve()  # a symbolic link may lead outside the folder
        inside = path.parent == home and path.suffix.lower() in IMAGE_TYPES and path.is_file()
    except (OSError, ValueError, RuntimeError):  # an invalid file name, or a cycle of links
        return None
    return path if inside else None


def check_picture(name: str, address: Any) -> None:
    """Raise unless a data URL is a valid picture of at most `MAX_PIXELS`."""
    picture = decode_picture(name, address)
    size = read_size(picture)
    if size is None:
        rule = f"the picture {name!r} must have a header with its width and height"
        raise InputError(rule, f"a {picture.kind.upper()} file without them", "save it again")
    width, height = size
    if width * height > MAX_PIXELS:
        rule = f"the picture {name!r} must have at most {MAX_PIXELS / 1e6:g} million pixels"
        received = f"{width:,} x {height:,}"
        raise InputError(rule, received, "make it smaller; 800 pixels are enough for a card")


def read_size(picture: EmbeddedPicture) -> tuple[int, int] | None:
    """Read width and height from the header of the file; return ``None`` if they are missing."""
    data = picture.content
    if picture.kind == "png":
        found = re.match(rb".{12}IHDR(.{4})(.{4})", data, re.DOTALL)
        return _decode_size(found, "big")
    if picture.kind == "gif":
        return _decode_size(re.match(rb".{6}(.{2})(.{2})", data, re.DOTALL), "little")
    return _read_webp_size(data) if picture.kind == "webp" else _read_jpeg_size(data)


def _decode_size(found: re.Match[bytes] | None, order: Literal["big", "little"]) -> tuple[int, int] | None:
    return None if found is None else (int.from_bytes(found[1], order), int.from_bytes(found[2], order))


def _read_webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8 ":  # 14 bits each, behind the start code of a key frame
        size = _decode_size(re.match(rb".{23}\x9d\x01\x2a(.{2})(.{2})", data, re.DOTALL), "little")
        return None if size is None else (size[0] & 0x3FFF, size[1] & 0x3FFF)
    if kind == b"VP8L" and len(data) >= 25:  # 14 bits each, less 1
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(data) >= 30:  # 24 bits each, less 1
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


def _read_jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Read the size from the frame header, the first segment of type C0 to CF except C4, C8 and CC."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind == 0xFF:  # padding
            at += 1
        elif 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        elif kind == 0x01 or 0xD0 <= kind <= 0xD8:  # segments without a length
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def decode_picture(name: str, address: Any) -> EmbeddedPicture:
    """Decode a data URL and check its magic number; raise on SVG, which can contain scripts."""
    found = _DATA_URL.fullmatch(address) if isinstance(address, str) else None
    if found is None:
        rule = f"the picture {name!r} must be data:image/png;base64,... (or jpeg, gif, webp)"
        raise InputError(rule, repr(address)[:60], "send the bytes of an image file in base64")
    if len(found[2]) > MAX_PICTURE_BYTES * 4 // 3 + 4:
        rule = f"the picture {name!r} must have at most {MAX_PICTURE_BYTES / 1e6:g} MB"
        raise InputError(rule, f"{len(found[2]) * 3 / 4e6:.1f} MB", "make it smaller; 800 pixels are enough for a card")
    try:
        content = b64decode(found[2], validate=True)
    except ValueError as error:
        raise InputError(f"the picture {name!r} must be in base64", error, "encode it again") from error
    if not _MAGIC_NUMBERS[found[1]].match(content):
        rule = f"the picture {name!r} must be a {found[1].upper()} file, as its data URL says"
        raise InputError(rule, f"a file that begins with {content[:8]!r}", "send a PNG, JPEG, GIF or WebP image")
    return EmbeddedPicture(found[1], content)
