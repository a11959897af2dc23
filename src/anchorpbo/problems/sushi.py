"""100 kinds of sushi, scored and ordered by 5,000 people (Kamishima's SUSHI preference data set; for research).

Designs have four coordinates, each scaled to [0, 1]: eating frequency, lightness in oil, price and selling frequency.
The utility of a kind is its Copeland score. The utility of any other design is the mean of the three nearest kinds.
"""

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np

from anchorpbo.errors import DataError
from anchorpbo.numerics.validation import freeze
from anchorpbo.problems.base import Problem
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.problems.nearest_neighbours import RatedItems, scale_min_max
from anchorpbo.space import Catalogue
from anchorpbo.typing import Array, IntArray

_NAME, _GROUPS, _EATEN = 1, slice(2, 5), 6
_COORDINATES = (6, 5, 7, 8)
"""Columns of the items' file: eating frequency, oiliness (0 is heavy), price, selling frequency."""
_ANCHOR_COUNT = 13
_ORDERED_COUNT = 10
"""Number of kinds that each user ordered."""
_SAMPLE_A = np.array([0, 1, 2, 3, 4, 6, 7, 8, 26, 29])
"""Row numbers in the items' file of the ten kinds of sample "a", whose file numbers them from 0 to 9: ebi, anago,
maguro, ika, uni, ikura, tamago, toro, tekka_maki, kappa_maki."""
_FEATURES = {"oiliness": 5, "eaten": 6, "price": 7, "sold": 8}
_CATEGORIES = {"style": 2, "major": 3, "minor": 4}


@cache
def sushi() -> Problem:
    """Return the sushi problem in four dimensions; downloads the data files at first use."""
    return sushi_items().problem("sushi")


@cache
def sushi_items() -> RatedItems:
    """Return the 100 kinds, in the order of the data set."""
    table = _read_table()
    coordinates = np.array([[float(row[c]) for c in _COORDINATES] for row in table])
    utilities = scale_min_max(copeland(sushi_scores()))
    return RatedItems(tuple(row[_NAME] for row in table), scale_min_max(coordinates), utilities)


@cache
def sushi_anchors() -> Array:
    """Return thirteen well-known kinds, (13, 4).

    Each group of equal style, major and minor group is represented by its most eaten kind. The thirteen most eaten of
    these are returned, most eaten first.
    """
    table = _read_table()
    best: dict[tuple[str, ...], int] = {}
    # Sorted from the most eaten down (stable), so that the first of a group is its most eaten.
    for i in sorted(range(len(table)), key=lambda i: -float(table[i][_EATEN])):
        best.setdefault(tuple(table[i][_GROUPS]), i)
    return freeze(sushi_items().points[list(best.values())[:_ANCHOR_COUNT]])


@cache
def sushi_orders(sample: Literal["a", "b"]) -> IntArray:
    """Return the kinds that each user ordered, as row numbers of `sushi_items`, (5000, 10), the best first.

    Parameters
    ----------
    sample
        ``"a"``: all users ordered the same ten kinds. ``"b"``: each user ordered ten kinds of the hundred.
    """
    name = f"sushi/sushi3{sample}.5000.10.order"
    rows = np.loadtxt(fetch_data_file(name), dtype=np.int64, skiprows=1, ndmin=2)
    if rows.shape[1] != _ORDERED_COUNT + 2 or (rows[:, 1] != _ORDERED_COUNT).any():
        rule = f"each line of {name} after the first must be 0, {_ORDERED_COUNT} and {_ORDERED_COUNT} kinds"
        raise DataError(rule, f"{rows.shape[1]} numbers per line", "use the original file")
    return freeze(_SAMPLE_A[rows[:, 2:]] if sample == "a" else rows[:, 2:])


def sushi_scores() -> IntArray:
    """Return how much each user likes each kind, (5000, 100), from 0 to 4, or -1 if the user did not score it.

    Each user scored the ten kinds of their order in sample ``"b"``.
    """
    return freeze(np.loadtxt(fetch_data_file("sushi/sushi3b.5000.10.score"), dtype=np.int64))


def sushi_catalogue(kinds: Sequence[int]) -> Catalogue:
    """Return a catalogue of some kinds, by their row numbers in `sushi_items`, in this order.

    Its features are oiliness, eating frequency, price and selling frequency; its categories are style, major and minor
    group; its key is the name. Features are scaled to the range of these kinds.
    """
    table = _read_table()
    records = [
        {"name": table[kind][_NAME]}
        | {name: float(table[kind][column]) for name, column in _FEATURES.items()}
        | {name: table[kind][column] for name, column in _CATEGORIES.items()}
        for kind in kinds
    ]
    return Catalogue(records, list(_FEATURES), list(_CATEGORIES), key="name")


def copeland(scores: IntArray) -> Array:
    """Return the share of the items that each item beats, (n,).

    An item beats another if more users scored it above the other than below, among the users who scored both.

    Parameters
    ----------
    scores
        (users, n), from 0, or -1 if the user did not score the item.
    """
    items = scores.shape[1]
    above = np.zeros((items, items))  # users who scored item i above item j
    for score in range(1, int(scores.max()) + 1):
        above += (scores == score).astype(float).T @ ((scores >= 0) & (scores < score)).astype(float)
    return np.asarray((above > above.T).sum(axis=1) / items)


@cache
def _read_table() -> list[list[str]]:
    text = fetch_data_file("sushi/sushi3.idata").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]
