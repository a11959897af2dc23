"""Images of a catalogue: files of known kinds in its own folder, or what was sent with the study, and nothing else.

A picture that is sent is a data URL, ``data:image/png;base64,...``, under the name that the catalogue has for it
(``display.pictures``). So it is a part of the study, wherever that is kept, and of its export.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from anchorpbo.errors import InputError

KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
"""Endings, and what each is called as a type of image."""
LARGEST = 1_000_000
"""Bytes of a picture that is sent."""
MOST_PIXELS = 40_000_000
"""Of such a picture, which a browser unpacks to 4 bytes each."""
_SENT = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")
_BEGINNINGS = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}


@dataclass(frozen=True)
class Picture:
    """A picture that was sent."""

    kind: str
    """Of `KINDS`."""
    content: bytes


def picture_file(folder: str | PathLike[str], name: str) -> Path | None:
    """The file of an image, if it lies in the folder itself."""
    try:
        home = Path(folder).resolve()
        path = (home / name).resolve()  # a link may lead elsewhere
        inside = path.parent == home and path.suffix.lower() in KINDS and path.is_file()
    except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
        return None
    return path if inside else None


def check_picture(name: str, address: Any) -> None:
    """Refuse what is no picture, and one of so many pixels that showing it would take gigabytes."""
    picture = sent_picture(name, address)
    size = size_of(picture)
    if size is None:
        rule = f"the picture {name!r} must say how wide and how high it is"
        raise InputError(rule, f"a {picture.kind.upper()} file that ends before that", "save it again")
    width, height = size
    if width * height > MOST_PIXELS:
        rule = f"the picture {name!r} must have at most {MOST_PIXELS / 1e6:g} million pixels"
        received = f"{width:,} x {height:,}"
        raise InputError(rule, received, "make it smaller; 800 pixels are enough for a card")


def size_of(picture: Picture) -> tuple[int, int] | None:
    """Width and height by the head of the file, without decoding it; ``None`` where it does not say."""
    data = picture.content
    if picture.kind == "png":
        found = re.match(rb".{12}IHDR(.{4})(.{4})", data, re.DOTALL)
        return _size(found, "big")
    if picture.kind == "gif":
        return _size(re.match(rb".{6}(.{2})(.{2})", data, re.DOTALL), "little")
    return _webp_size(data) if picture.kind == "webp" else _jpeg_size(data)


def _size(found: re.Match[bytes] | None, order: Literal["big", "little"]) -> tuple[int, int] | None:
    return None if found is None else (int.from_bytes(found[1], order), int.from_bytes(found[2], order))


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8 ":  # 14 bits each, behind the start code of a key frame
        size = _size(re.match(rb".{23}\x9d\x01\x2a(.{2})(.{2})", data, re.DOTALL), "little")
        return None if size is None else (size[0] & 0x3FFF, size[1] & 0x3FFF)
    if kind == b"VP8L" and len(data) >= 25:  # 14 bits each, less 1
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(data) >= 30:  # 24 bits each, less 1
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """From the start of the frame, the first segment of type C0 to CF but C4, C8 and CC."""
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


def sent_picture(name: str, address: Any) -> Picture:
    """The picture of a data URL, once its bytes are known to be what it says: never SVG, which can hold programs."""
    found = _SENT.fullmatch(address) if isinstance(address, str) else None
    if found is None:
        rule = f"the picture {name!r} must be data:image/png;base64,... (or jpeg, gif, webp)"
        raise InputError(rule, repr(address)[:60], "send the bytes of an image file in base64")
    if len(found[2]) > LARGEST * 4 // 3 + 4:
        rule = f"the picture {name!r} must not be larger than {LARGEST / 1e6:g} MB"
        raise InputError(rule, f"{len(found[2]) * 3 / 4e6:.1f} MB", "make it smaller; 800 pixels are enough for a card")
    try:
        content = b64decode(found[2], validate=True)
    except ValueError as problem:
        raise InputError(f"the picture {name!r} must be in base64", problem, "encode it anew") from problem
    if not _BEGINNINGS[found[1]].match(content):
        rule = f"the picture {name!r} must be the {found[1].upper()} file that it says it is"
        raise InputError(rule, f"a file that begins with {content[:8]!r}", "send a PNG, JPEG, GIF or WebP image")
    return Picture(found[1], content)
