"""Images of a catalogue: those its image column names, sent with the study or from its own folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

from anchorpbo.app.rendering.pictures import EmbeddedPicture, find_picture
from anchorpbo.app.service import StudyService


def image_of(studies: StudyService, id: str, name: str) -> EmbeddedPicture | Path | None:
    """An image, if the catalogue names it: what was sent, or a file that lies in the catalogue's folder."""
    definition = studies.definition(id)
    if name not in definition.images:
        return None
    sent = studies.picture(id, name)
    if sent is not None or definition.folder is None:
        return sent
    return find_picture(definition.folder, name)
