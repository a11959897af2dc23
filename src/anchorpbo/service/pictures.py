"""Image files of a catalogue: those of known kinds in its own folder, and nothing else."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
"""Endings, and what each is called as a type of image."""


def picture_file(folder: str | PathLike[str], name: str) -> Path | None:
    """The file of an image, if it lies in the folder itself."""
    try:
        home = Path(folder).resolve()
        path = (home / name).resolve()  # a link may lead elsewhere
        inside = path.parent == home and path.suffix.lower() in KINDS and path.is_file()
    except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
        return None
    return path if inside else None
