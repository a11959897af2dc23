"""Pour-over coffee: parameters of all kinds, and a constraint."""

from __future__ import annotations

import numpy as np

from anchorpbo.app.examples.example import Example, bump, make_noise
from anchorpbo.space import Boolean, Categorical, Design, Integer, Ordinal, Real, Space

_DESCRIPTION = (
    "Two recipes for a pour-over: which cup would you rather drink? "
    "Mark as anchors the recipes you brew often, so that you know how they taste without brewing them again. "
    "Water flows while you pour, so blooming and pouring together take three minutes at most."
)
_ORIGINS = {"Ethiopia": 0.9, "Kenya": 0.5, "Colombia": 0.2, "Brazil": -0.4, "Sumatra": -0.9}
_ROASTS = ("light", "medium", "dark")
_BEST_TEMPERATURES = {"light": 95.0, "medium": 92.5, "dark": 88.0}


def make_coffee() -> Example:
    """Return the example."""
    space = Space(
        temperature=Real(84, 98, step=0.5),
        dose=Real(12, 22, step=0.5),
        ratio=Real(13, 18, step=0.25),
        grind=Integer(1, 10),
        bloom=Real(15, 60, step=5),
        pours=Integer(1, 5),
        origin=Categorical(tuple(_ORIGINS)),
        roast=Ordinal(_ROASTS),
        paper_filter=Boolean(),
        constraints="bloom + 30 * pours <= 180",
    )
    anchors = (
        _recipe(96.0, 15.0, 16.5, 7, 30.0, 1, "Colombia", "medium", True),
        _recipe(90.0, 18.0, 17.0, 6, 30.0, 4, "Ethiopia", "light", True),
        _recipe(90.0, 20.0, 15.0, 6, 30.0, 2, "Brazil", "dark", False),
        _recipe(94.0, 14.0, 14.0, 3, 45.0, 3, "Kenya", "medium", False),
    )
    points = np.array([space.encode(anchor) for anchor in anchors])

    def distance(design: Design) -> float:
        return float(np.linalg.norm(points - space.encode(design), axis=1).min())

    return Example(
        key="coffee",
        title="Pour-over coffee",
        description=_DESCRIPTION,
        space=space,
        display={
            "labels": {
                "temperature": "Water temperature",
                "dose": "Coffee",
                "ratio": "Water for each gram of coffee",
                "grind": "Grind, 1 fine to 10 coarse",
                "bloom": "Bloom",
                "pours": "Pours",
                "origin": "Origin",
                "roast": "Roast",
                "paper_filter": "Paper filter",
            },
            "units": {"temperature": "°C", "dose": "g", "ratio": "g", "bloom": "s"},
        },
        suggested_anchors=anchors,
        utility=_utility,
        noise=make_noise(distance, least=0.1, most=0.5, reach=0.5),
    )


def _recipe(
    temperature: float,
    dose: float,
    ratio: float,
    grind: int,
    bloom: float,
    pours: int,
    origin: str,
    roast: str,
    paper_filter: bool,
) -> Design:
    return {
        "temperature": temperature, "dose": dose, "ratio": ratio, "grind": grind, "bloom": bloom, "pours": pours,
        "origin": origin, "roast": roast, "paper_filter": paper_filter,
    }  # fmt: skip


def _utility(recipe: Design) -> float:
    """Return the utility for bright, clear coffee: hot water for light roasts, a long bloom for coarse grinds."""
    strength = 2.0 * bump(recipe["ratio"], 15.75, 1.2) + 0.5 * bump(recipe["dose"], 17.0, 3.0)
    heat = 1.6 * bump(recipe["temperature"], _BEST_TEMPERATURES[recipe["roast"]], 3.0)
    extraction = 1.8 * bump(recipe["grind"], 3.5 + recipe["bloom"] / 30.0, 1.8) + 0.5 * bump(recipe["pours"], 3, 1.2)
    beans = _ORIGINS[recipe["origin"]] + {"light": 0.7, "medium": 0.4, "dark": -0.6}[recipe["roast"]]
    return strength + heat + extraction + beans + (0.5 if recipe["paper_filter"] else 0.0)
