"""Utilities of plain dicts: their range by brute force, and that their parameters matter together."""

from itertools import product
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize

from anchorpbo.problems.mixed import (
    COFFEE_BEST,
    COFFEE_MAXIMUM,
    COFFEE_MINIMUM,
    ESPRESSO_BEST,
    ESPRESSO_MAXIMUM,
    ESPRESSO_MINIMUM,
    TABLE_BEST,
    TABLE_MAXIMUM,
    TABLE_MINIMUM,
    coffee,
    espresso,
    table,
)

ORIGINS = ("Kenya", "Brazil", "Ethiopia")


def cup(temperature, dose, grind, origin):
    return {"temperature": temperature, "dose": dose, "grind": grind, "origin": origin}


def best_cup(sign, grinds=range(1, 11), origins=ORIGINS):
    """The largest of sign times the score, by a grid of real values for every grind and origin, and its refinement."""
    found = []
    for grind, origin in product(grinds, origins):

        def loss(z, grind=grind, origin=origin):
            return -sign * coffee(cup(z[0], np.exp(z[1]), grind, origin))

        grid = product(np.linspace(80, 96, 17), np.linspace(log(10), log(20), 9))
        start = min(grid, key=loss)
        box = [(80.0, 96.0), (log(10), log(20))]
        tight = {"ftol": 1e-15, "gtol": 1e-9}
        end = minimize(loss, start, method="L-BFGS-B", bounds=box, options=tight)
        x = end.x if end.fun < loss(start) else start
        found.append((-loss(x), cup(float(x[0]), float(np.exp(x[1])), grind, origin)))
    return max(found, key=lambda each: each[0])


def test_the_range_of_coffee_by_brute_force():
    value, best = best_cup(1)
    assert value == pytest.approx(COFFEE_MAXIMUM, rel=1e-10)
    assert coffee(COFFEE_BEST) == pytest.approx(COFFEE_MAXIMUM, rel=1e-14)
    assert (best["grind"], best["origin"]) == (COFFEE_BEST["grind"], COFFEE_BEST["origin"])
    assert best["temperature"] == pytest.approx(COFFEE_BEST["temperature"], abs=1e-3)
    assert best["dose"] == pytest.approx(COFFEE_BEST["dose"], abs=1e-3)
    assert -best_cup(-1)[0] == pytest.approx(COFFEE_MINIMUM, rel=1e-10)


def test_coffee_is_the_formula():
    s, T, G = 8.2, 89.7, 2.6  # Ethiopia's
    t, g, r = (84.5 - T) / 6, (7 - G) / 3, log(12.5 / 15) / 0.4
    expected = s * np.exp(-(t**2) - g**2 + t * g - r**2)
    assert coffee(cup(84.5, 12.5, 7, "Ethiopia")) == pytest.approx(expected, rel=1e-12)


def test_each_origin_wants_its_own_temperature_and_grind_and_coarser_wants_hotter():
    best = {origin: best_cup(1, origins=[origin])[1] for origin in ORIGINS}
    assert len({each["grind"] for each in best.values()}) == 3
    assert len({round(each["temperature"]) for each in best.values()}) == 3
    hottest = [best_cup(1, grinds=[grind], origins=["Brazil"])[1]["temperature"] for grind in (4, 6, 8)]
    assert hottest == sorted(hottest)
    assert hottest[-1] - hottest[0] > 2.0


def test_the_range_of_tables_by_listing_them():
    tables = [
        {"seats": seats, "shape": shape, "material": material}
        for seats, shape, material in product(range(2, 8), ("round", "square", "oval"), ("oak", "steel", "glass"))
    ]
    assert len(tables) == 54
    liked = [table(each) for each in tables]
    assert max(liked) == pytest.approx(TABLE_MAXIMUM, rel=1e-12)
    assert min(liked) == pytest.approx(TABLE_MINIMUM, rel=1e-12)
    assert tables[int(np.argmax(liked))] == TABLE_BEST
    assert table({"seats": 3, "shape": "round", "material": "oak"}) == pytest.approx(0.6 + 0.5 - 2.2**2 / 4)


def test_the_range_of_espresso_by_brute_force():
    shots = [
        {"temperature": t, "ratio": r, "grind": grind, "basket": basket}
        for t in np.linspace(86, 96, 41)
        for r in np.geomspace(1.2, 3.6, 41)
        for grind in range(1, 21)
        for basket in ("single", "double", "triple")
    ]
    scores = [espresso(shot) for shot in shots]
    assert min(scores) == pytest.approx(ESPRESSO_MINIMUM, rel=1e-12)
    assert max(scores) <= espresso(ESPRESSO_BEST) == ESPRESSO_MAXIMUM
