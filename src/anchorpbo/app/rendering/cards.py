"""Cards: designs prepared for display, with a heading, a picture and one row per parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anchorpbo.app.rendering.clips import ClipKind
from anchorpbo.app.rendering.molecules import draw_molecule
from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.app.rendering.templates import Template
from anchorpbo.errors import AnchorPBOError
from anchorpbo.formatting import format_value
from anchorpbo.space import DesignSpace, Real, Space


@dataclass(frozen=True)
class CardRow:
    """Row of a card: one parameter with its value."""

    name: str
    label: str
    value: str
    unit: str


@dataclass(frozen=True)
class Card:
    """A design prepared for display."""

    title: str | None
    svg: str | None
    """Sanitized SVG drawing, see `anchorpbo.app.rendering.svg`."""
    image: str | None
    """Name of an image file in the catalogue's folder."""
    link: str | None
    rows: list[CardRow]
    clip: str | None
    """Name of an audio or video clip."""
    clip_kind: ClipKind | None
    """Kind of the clip; ``None`` if there is none, or if it is missing."""


def find_decimals(space: DesignSpace) -> dict[str, int]:
    """Return the number of decimals that are shown of each parameter with a step."""
    if not isinstance(space, Space):
        return {}
    real = {name: one.decimals for name, one in space.parameters.items() if isinstance(one, Real)}
    return {name: decimals for name, decimals in real.items() if decimals is not None}


def make_card(
    display: Mapping[str, Any], design: Mapping[str, Any], prefix: str = "", decimals: Mapping[str, int] | None = None
) -> Card:
    """Return the card of a design.

    Parameters
    ----------
    display
        A valid display, see `anchorpbo.app.rendering.display`.
    design
        The design.
    prefix
        Prefix of the ids in the drawing, so that one page can hold several drawings.
    decimals
        Number of decimals by parameter, see `find_decimals`; others have four significant digits.
    """
    places = {} if decimals is None else decimals
    labels, units, hidden = display.get("labels", {}), display.get("units", {}), set(display.get("hidden", ()))
    special = {display[key] for key in ("svg", "image", "smiles", "clip", "link", "title") if key in display}
    rows = [
        CardRow(name, labels.get(name, name), format_value(value, places.get(name)), units.get(name, ""))
        for name, value in design.items()
        if name not in hidden and name not in special and value is not None
    ]
    title, image, link, clip = (_get_text(design, display.get(key)) for key in ("title", "image", "link", "clip"))
    safe_link = link if link is not None and link.startswith(("https://", "http://")) else None
    return Card(title, _draw(display, design, prefix), image, safe_link, rows, clip, clip_kind=None)


def _get_text(design: Mapping[str, Any], column: str | None) -> str | None:
    value = None if column is None else design.get(column)
    return None if value is None else str(value)


def _draw(display: Mapping[str, Any], design: Mapping[str, Any], prefix: str) -> str | None:
    try:
        if "template" in display:
            return _parse_template(display["template"]).render(design, prefix)
        if "svg" in display:
            return sanitize_svg(str(design[display["svg"]]), prefix)
        if "smiles" in display:
            return draw_molecule(str(design[display["smiles"]]))
    except AnchorPBOError:
        # A failed drawing must not block the comparison: the card still has its rows.
        return None
    return None


@lru_cache(maxsize=64)
def _parse_template(text: str) -> Template:
    return Template(text)
