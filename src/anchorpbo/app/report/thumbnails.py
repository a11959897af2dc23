"""Small pictures beside the names of designs in a report.

A design may occur in many rows, so each drawing or picture is in the document once, and the rows refer to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.study_service import StudyService
from anchorpbo.html import Markup, escape, tag

MAX_DESIGNS = 200
"""Maximum number of designs with a thumbnail; the rows of others have none."""
MAX_CHARACTERS = 4_000_000
"""Maximum length of all thumbnails together."""
_WIDTH, _HEIGHT = 56, 42
_REFERENCE = re.compile(r"(\bid=\"|#)d\d+-")
"""Matches an id, or a reference to one, of a drawing; drawings of different designs must not share ids."""


class Thumbnails:
    """Thumbnails of a study's designs."""

    def __init__(self, studies: StudyService, id: str) -> None:
        display = studies.definition(id).display
        self._studies, self._id = studies, id
        self._pictures: Mapping[str, str] = studies.cards.pictures(id)
        self._is_empty = not any(key in display for key in ("template", "svg", "smiles")) and not self._pictures
        self._numbers: dict[str, int | None] = {}
        self._definitions: list[Markup] = []
        self._characters = 0

    def render(self, design: Design) -> Markup:
        """Return the thumbnail of a design, or nothing if it has no picture."""
        if self._is_empty:
            return Markup()
        key = json.dumps(design, sort_keys=True, default=str)
        if key not in self._numbers:
            self._numbers[key] = self._define(design)
        number = self._numbers[key]
        if number is None:
            return Markup()
        use = f'<use href="#thumbnail{number}" width="{_WIDTH}" height="{_HEIGHT}"/>'
        size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        return Markup(f'<svg class="thumbnail" aria-hidden="true" {size}>{use}</svg>')

    def render_definitions(self) -> Markup:
        """Return the drawings and pictures that the thumbnails refer to."""
        if not self._definitions:
            return Markup()
        return Markup(f'<svg class="definitions" aria-hidden="true">{tag("defs", *self._definitions)}</svg>')

    def _define(self, design: Design) -> int | None:
        """Add the drawing of a design to the definitions and return its number."""
        if len(self._definitions) >= MAX_DESIGNS:
            return None
        (card,) = self._studies.cards.show(self._id, [design])
        number = len(self._definitions)
        definition = self._draw(card, number)
        if definition is None or self._characters + len(definition) > MAX_CHARACTERS:
            return None
        self._characters += len(definition)
        self._definitions.append(definition)
        return number

    def _draw(self, card: Card, number: int) -> Markup | None:
        if card.svg is not None:  # sanitized at its creation
            drawing = _REFERENCE.sub(rf"\1t{number}-", card.svg)
            return Markup(drawing.replace("<svg ", f'<svg id="thumbnail{number}" ', 1))
        address = self._pictures.get(card.image or "")
        if address is None:
            return None
        image = f'<image href="{escape(address)}" width="{_WIDTH}" height="{_HEIGHT}"/>'
        return Markup(f'<svg id="thumbnail{number}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{image}</svg>')
