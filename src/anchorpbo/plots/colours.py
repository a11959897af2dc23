"""Colours that people with any colour vision can tell apart, those of Okabe and Ito, and what goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK, GREY = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#767676",
)  # fmt: skip

HEAT = {"utility": "viridis", "uncertainty": "magma", "noise": "inferno", "reliability": "cividis"}
"""Scales that grow evenly in lightness, by names that plotly and matplotlib share."""

Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class Ink:
    """Colours of what is neither data nor mark."""

    text: str
    line: str
    grid: str
    ground: str
    fill: str
    """Of marks that are hollow."""


INKS: dict[str, Ink] = {
    "light": Ink("#1A1A1A", "#444444", "#E6E6E6", "#FFFFFF", "#FFFFFF"),
    "dark": Ink("#E8E8E8", "#AAAAAA", "#3A3A3A", "#161616", "#161616"),
    # Read on white as well as on black: the page shows through.
    "auto": Ink("#777777", "#888888", "rgba(128,128,128,0.25)", "rgba(0,0,0,0)", "rgba(128,128,128,0.15)"),
}
