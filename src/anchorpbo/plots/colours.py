"""Colours that people with any colour vision can distinguish (Okabe and Ito), and those of text, lines and grids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK, GREY = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#767676",
)  # fmt: skip

HEAT = {"utility": "viridis", "uncertainty": "magma", "noise": "inferno", "reliability": "cividis"}
"""Colour scales of even lightness, by names that plotly and matplotlib share."""

RANGES = {"reliability": (0.0, 1.0)}
"""Ends of the colour scales that do not depend on the values shown."""

SIGNED_HEAT, SIGNED_RANGE = "RdBu", (-1.0, 1.0)
"""Diverging scale of a reliability with negative values: red where the user cannot judge, blue near anchors."""

Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class ColourScale:
    """Name of a colour scale and its ends; ``None`` for the ends of the values shown."""

    name: str
    low: float | None
    high: float | None


def choose_colour_scale(what: str, values: Any) -> ColourScale:
    """Return the colour scale of a map of some values."""
    if what == "reliability" and np.min(values, initial=0.0) < 0.0:
        return ColourScale(SIGNED_HEAT, *SIGNED_RANGE)
    return ColourScale(HEAT[what], *RANGES.get(what, (None, None)))


@dataclass(frozen=True)
class Ink:
    """Colours of text, lines and grids."""

    text: str
    line: str
    grid: str
    ground: str
    fill: str
    """Fill of hollow marks."""


INKS: dict[str, Ink] = {
    "light": Ink("#1A1A1A", "#444444", "#E6E6E6", "#FFFFFF", "#FFFFFF"),
    "dark": Ink("#E8E8E8", "#AAAAAA", "#3A3A3A", "#161616", "#161616"),
    # Legible on white and on black: the background is transparent.
    "auto": Ink("#777777", "#888888", "rgba(128,128,128,0.25)", "rgba(0,0,0,0)", "rgba(128,128,128,0.15)"),
}
