"""Designs as the widget shows them: the cards of the app, with their pictures inside."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from anchorpbo.app.rendering.cards import make_card
from anchorpbo.app.rendering.display import check_display
from anchorpbo.app.rendering.pictures import IMAGE_TYPES, find_picture
from anchorpbo.errors import InputError
from anchorpbo.space import Design, DesignSpace

LARGEST = 2_000_000
"""Bytes of an image: it travels with each duel."""


@dataclass(frozen=True)
class Cards:
    """How designs are shown."""

    display: Mapping[str, Any]
    """Checked, see `anchorpbo.app.rendering.display`."""
    folder: str | PathLike[str] | None
    """Where image files are."""

    @classmethod
    def of(cls, space: DesignSpace, display: Mapping[str, Any] | None, folder: str | PathLike[str] | None) -> Cards:
        """Checked against a space."""
        if display is not None and not isinstance(display, Mapping):
            raise InputError("display must map keys to columns or texts", repr(display), 'write {"title": "name"}')
        checked = check_display(display or {}, space)
        if ("image" in checked) != (folder is not None):
            rule = "images need the column that names their files, and the folder these are in"
            received = f"display.image={checked.get('image')!r}, images={folder!r}"
            raise InputError(rule, received, 'write display={"image": "file"}, images="folder"')
        return cls(checked, folder)

    def card(self, design: Design, prefix: str = "") -> dict[str, Any]:
        """A design as JSON; `prefix` goes before the ids in its drawing."""
        card = asdict(make_card(self.display, design, prefix))
        return card | {"image": None if card["image"] is None else self._embedded(card["image"])}

    def _embedded(self, name: str) -> str | None:
        """An image as a data URL: a notebook cannot reach the files of its kernel."""
        path = None if self.folder is None else find_picture(self.folder, name)
        if path is None or path.stat().st_size > LARGEST:
            return None
        return f"data:image/{IMAGE_TYPES[path.suffix.lower()]};base64,{b64encode(path.read_bytes()).decode()}"
