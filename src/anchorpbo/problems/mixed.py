"""Utilities on spaces of mixed parameters, for designs as dicts.

Each function is deterministic and to be maximised; its best design, maximum and minimum follow it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any

_COFFEE_ORIGINS = {"Kenya": (9.0, 92.4, 4.3), "Brazil": (7.0, 86.8, 7.4), "Ethiopia": (8.2, 89.7, 2.6)}
"""Best score, and the temperature and the grind at which it would be reached."""


def coffee(design: Mapping[str, Any]) -> float:
    """Return the score of a cup: the best temperature and grind depend on the origin and on each other.

    u = s exp(-t^2 - g^2 + t g - r^2), with t = (temperature - T) / 6, g = (grind - G) / 3, r = log(dose / 15) / 0.4,
    and s, T, G the origin's best score, temperature and grind. The best grinds are not whole numbers, so the best
    temperature of a real cup is not T.

    Parameters
    ----------
    design
        `temperature` in 80 to 96, `dose` in 10 to 20 (best searched in logarithm), `grind` a whole number in 1 to 10,
        `origin` one of Kenya, Brazil and Ethiopia.
    """
    score, temperature, grind = _COFFEE_ORIGINS[design["origin"]]
    t = (design["temperature"] - temperature) / 6.0
    g = (design["grind"] - grind) / 3.0
    r = log(design["dose"] / 15.0) / 0.4
    return score * exp(-t * t - g * g + t * g - r * r)


COFFEE_BEST: dict[str, Any] = {"temperature": 92.1, "dose": 15.0, "grind": 4, "origin": "Kenya"}
"""Best design of `coffee`."""
COFFEE_MAXIMUM = 8.932752493372245
COFFEE_MINIMUM = 9.082042997859925e-06

_TABLE_SHAPES = {"round": 0.6, "square": 0.0, "oval": 0.9}
"""Utility of a shape."""
_TABLE_BONUSES = {("round", "oak"): 0.5, ("oval", "steel"): 0.7, ("square", "steel"): 0.8}
"""Bonus for a shape and a material together."""


def table(design: Mapping[str, Any]) -> float:
    """Return the utility of one of 54 tables, a finite space without continuous parameters.

    u = a + b - (seats - n)^2 / 4, with the utility a of the shape, its best number of seats n = 4 + 2 a, and the bonus
    b for the shape and the material together.

    Parameters
    ----------
    design
        `seats` a whole number in 2 to 7, `shape` one of round, square and oval, `material` one of oak, steel and glass.
    """
    shape = _TABLE_SHAPES[design["shape"]]
    together = _TABLE_BONUSES.get((design["shape"], design["material"]), 0.0)
    missed = float(design["seats"]) - (4.0 + 2.0 * shape)
    return shape + together - missed * missed / 4.0


TABLE_BEST: dict[str, Any] = {"seats": 6, "shape": "oval", "material": "steel"}
"""Best design of `table`."""
TABLE_MAXIMUM = 1.59
TABLE_MINIMUM = -2.71


_ESPRESSO_BASKETS = {"single": (0.0, 11.0), "double": (1.0, 8.0), "triple": (0.6, 6.0)}
"""Utility of a basket and its best grind."""


def espresso(design: Mapping[str, Any]) -> float:
    """Return the score of a shot: unimodal, with a best grind that depends on the basket.

    u = b - ((temperature - 93) / 5)^2 - (log(ratio / 2) / 0.4)^2 - ((grind - G) / 6)^2, with the utility b and the best
    grind G of the basket.

    Parameters
    ----------
    design
        `temperature` in 86 to 96, `ratio` in 1.2 to 3.6 (best searched in logarithm), `grind` a whole number in 1 to
        20, `basket` one of single, double and triple.
    """
    worth, grind = _ESPRESSO_BASKETS[design["basket"]]
    t = (design["temperature"] - 93.0) / 5.0
    r = log(design["ratio"] / 2.0) / 0.4
    g = (design["grind"] - grind) / 6.0
    return float(worth - t * t - r * r - g * g)


ESPRESSO_BEST: dict[str, Any] = {"temperature": 93.0, "ratio": 2.0, "grind": 8, "basket": "double"}
"""Best design of `espresso`."""
ESPRESSO_MAXIMUM = 1.0
ESPRESSO_MINIMUM = -8.96377671592417
