"""Images of a catalogue: those its image column names, from its own folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

from anchorpbo.service.definition import Definition

_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp"}


def image_file(definition: Definition, name: str) -> Path | None:
    """The file of an image, if the catalogue names it and it lies in the catalogue's folder."""
    if definition.folder is None or name not in definition.images:
        return None
    try:
        folder = Path(definition.folder).resolve()
        path = (folder / name).resolve()  # a link may lead elsewhere
        inside = path.parent == folder and path.suffix.lower() in _SUFFIXES and path.is_file()
    except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
        return None
    return path if inside else None
