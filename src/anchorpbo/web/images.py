"""Images of a catalogue: those its image column names, sent with the study or from its own folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

from anchorpbo.service.definition import Definition
from anchorpbo.service.pictures import Picture, picture_file


def image_of(definition: Definition, name: str) -> Picture | Path | None:
    """An image, if the catalogue names it: what was sent, or a file that lies in the catalogue's folder."""
    if name not in definition.images:
        return None
    sent = definition.picture(name)
    if sent is not None or definition.folder is None:
        return sent
    return picture_file(definition.folder, name)
