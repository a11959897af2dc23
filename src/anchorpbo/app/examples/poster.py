"""A poster: colours and layout of a drawing, rendered from the template in poster.svg."""

from __future__ import annotations

import math
from importlib.resources import files

import numpy as np

from anchorpbo.app.examples.example import Example, bump, make_noise
from anchorpbo.space import Categorical, Design, Integer, Real, Space

_DESCRIPTION = (
    "Two posters for the same concerts: which one would make you stop? "
    "Mark as anchors posters that you are sure about, whether you like them or not. "
    "Colours are given by their place on the colour wheel: 0 is red, 120 green, 240 blue."
)
_SHAPES = {"sun": 0.7, "waves": 0.4, "arcs": 0.1, "tiles": -0.2}
_ALIGNMENTS = {"left": 0.5, "centre": 0.0, "right": -0.3}


def make_poster() -> Example:
    """Return the example."""
    space = Space(
        background=Real(0, 350, step=10),
        accent=Real(0, 350, step=10),
        lightness=Real(10, 94, step=2),
        saturation=Real(10, 90, step=5),
        shape=Categorical(tuple(_SHAPES)),
        size=Real(0.6, 1.2, step=0.05),
        title_size=Integer(40, 96),
        align=Categorical(tuple(_ALIGNMENTS)),
        margin=Integer(20, 56),
    )
    anchors = (
        _poster(220.0, 180.0, 26.0, 40.0, "waves", 0.8, 60, "centre", 28),
        _poster(40.0, 20.0, 92.0, 60.0, "sun", 1.0, 72, "left", 32),
        _poster(0.0, 180.0, 50.0, 90.0, "tiles", 1.2, 44, "centre", 20),
        _poster(280.0, 330.0, 14.0, 70.0, "arcs", 0.8, 88, "right", 48),
    )
    points = np.array([space.encode(anchor) for anchor in anchors])

    def distance(design: Design) -> float:
        return float(np.linalg.norm(points - space.encode(design), axis=1).min())

    return Example(
        key="poster",
        title="A concert poster",
        description=_DESCRIPTION,
        space=space,
        display={
            "template": files("anchorpbo.app.examples").joinpath("poster.svg").read_text("utf-8"),
            "labels": {
                "background": "Background hue",
                "accent": "Accent hue",
                "lightness": "Background lightness",
                "saturation": "Colourfulness",
                "shape": "Shape",
                "size": "Size of the shape",
                "title_size": "Size of the title",
                "align": "Alignment",
                "margin": "Margin",
            },
            "units": {"background": "°", "accent": "°", "lightness": "%", "saturation": "%", "title_size": "pt"},
        },
        suggested_anchors=anchors,
        utility=_utility,
        noise=make_noise(distance, least=0.1, most=0.5, reach=0.5),
    )


def _poster(
    background: float,
    accent: float,
    lightness: float,
    saturation: float,
    shape: str,
    size: float,
    title_size: int,
    align: str,
    margin: int,
) -> Design:
    return {
        "background": background, "accent": accent, "lightness": lightness, "saturation": saturation, "shape": shape,
        "size": size, "title_size": title_size, "align": align, "margin": margin,
    }  # fmt: skip


def _utility(design: Design) -> float:
    """Return the utility for someone who likes a warm accent on dark blue, and a large title on the left with space."""
    accent = math.cos(math.radians(design["accent"] - 25.0))
    ground = math.cos(math.radians(design["background"] - 220.0))
    # The ground should be very dark or very light, because the ink stands out on both and on nothing between.
    tone = 1.6 * max(bump(design["lightness"], 16.0, 12.0), 0.6 * bump(design["lightness"], 92.0, 10.0))
    type_ = 1.3 * bump(design["title_size"], 78.0, 16.0) + 0.8 * bump(design["margin"], 36.0, 10.0)
    colours = 0.8 * accent + 0.7 * ground + 0.8 * bump(design["saturation"], 65.0, 20.0)
    layout = _SHAPES[design["shape"]] + _ALIGNMENTS[design["align"]] + 0.6 * bump(design["size"], 0.95, 0.2)
    return tone + type_ + colours + layout
