"""Limits of the server that the pages and other clients respect, from one source."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from anchorpbo.app.definition.definition import MAX_ANCHORS, MAX_NAME_LENGTH, MAX_QUESTION_LENGTH, MAX_TEXT_LENGTH
from anchorpbo.app.definition.validation import (
    MAX_CHOICES,
    MAX_COLUMNS,
    MAX_CONSTRAINTS,
    MAX_PARAMETERS,
    MAX_ROWS,
)
from anchorpbo.app.rendering.clips import MAX_CLIP_BYTES, MAX_STUDY_CLIP_BYTES
from anchorpbo.app.rendering.display import MAX_LABEL_CHARACTERS, MAX_PICTURES_CHARACTERS
from anchorpbo.app.service.anchors import MAX_PROPOSALS
from anchorpbo.app.service.duels import MAX_RESPONSE_MS
from anchorpbo.app.service.validator import MAX_COMPARISONS
from anchorpbo.app.web.settings import Settings

MAX_CARDS = 50
"""Maximum number of designs in one request for cards."""


@dataclass(frozen=True)
class Limits:
    """Largest sizes that the server accepts."""

    name: int
    """Characters of a name: of a study, a participant or a parameter."""
    question: int
    """Characters of a question."""
    text: int
    """Characters of a description or a comment."""
    label: int
    """Characters of a label or a unit."""
    cards: int
    """Designs in one request for cards."""
    proposals: int
    """Designs in one request for proposals."""
    anchors: int
    """Anchors of a participant when a study is created."""
    parameters: int
    constraints: int
    choices: int
    """Values of one parameter to choose from."""
    rows: int
    """Rows of a catalogue."""
    columns: int
    """Columns of a catalogue."""
    comparisons: int
    """Comparisons in one table."""
    pictures: int
    """Characters of all pictures of a study together, as data URLs."""
    clip_bytes: int
    """Bytes of an audio or video clip."""
    study_clips_bytes: int
    """Bytes of all clips of a study together."""
    response_ms: int
    """Milliseconds that an answer took."""
    upload_bytes: int
    """Bytes of a new study, a table or an export."""
    archive_bytes: int
    """Bytes of an export with clips."""

    def to_json(self) -> str:
        """Return the limits as JSON, for the scripts of a page."""
        return json.dumps(asdict(self))

    @classmethod
    def from_settings(cls, settings: Settings) -> Limits:
        """Return the limits of a server."""
        return cls(
            name=MAX_NAME_LENGTH,
            question=MAX_QUESTION_LENGTH,
            text=MAX_TEXT_LENGTH,
            label=MAX_LABEL_CHARACTERS,
            cards=MAX_CARDS,
            proposals=MAX_PROPOSALS,
            anchors=MAX_ANCHORS,
            parameters=MAX_PARAMETERS,
            constraints=MAX_CONSTRAINTS,
            choices=MAX_CHOICES,
            rows=MAX_ROWS,
            columns=MAX_COLUMNS,
            comparisons=MAX_COMPARISONS,
            pictures=MAX_PICTURES_CHARACTERS,
            clip_bytes=MAX_CLIP_BYTES,
            study_clips_bytes=MAX_STUDY_CLIP_BYTES,
            response_ms=MAX_RESPONSE_MS,
            upload_bytes=settings.max_upload_bytes,
            archive_bytes=settings.max_archive_bytes,
        )
