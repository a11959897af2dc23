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
from typing import Any

from anchorpbo.errors import InputError

KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
"""Endings, and what each is called as a type of image."""
LARGEST = 1_000_000
"""Bytes of a picture that is sent."""
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
