"""Images of a catalogue: those its image column names, from its own folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

from anchorpbo.service.definition import Definition
from anchorpbo.service.pictures import picture_file


def image_file(definition: Definition, name: str) -> Path | None:
    """The file of an image, if the catalogue names it and it lies in the catalogue's folder."""
    if definition.folder is None or name not in definition.images:
        return None
    return picture_file(definition.folder, name)
