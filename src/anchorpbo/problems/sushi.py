"""100 kinds of sushi, scored by 5,000 people (Kamishima's SUSHI preference data set; for research).

Designs have four coordinates, each scaled to [0, 1]: eating frequency, lightness in oil, price and selling frequency.
The utility of a kind is its Copeland score. The utility of any other design is the mean of the three nearest kinds.
"""

from functools import cache

import numpy as np

from anchorpbo.numerics.validation import freeze
from anchorpbo.problems.base import Problem
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.problems.nearest_neighbours import RatedItems, scale_min_max
from anchorpbo.typing import Array, IntArray

_NAME, _GROUPS, _EATEN = 1, slice(2, 5), 6
_COORDINATES = (6, 5, 7, 8)
"""Columns of the items' file: eating frequency, oiliness (0 is heavy), price, selling frequency."""
_ANCHOR_COUNT = 13


@cache
def sushi() -> Problem:
    """Return the sushi problem in four dimensions; downloads the data files at first use."""
    return sushi_items().problem("sushi")


@cache
def sushi_items() -> RatedItems:
    """Return the 100 kinds, in the order of the data set."""
    table = _read_table()
    coordinates = np.array([[float(row[c]) for c in _COORDINATES] for row in table])
    scores = np.loadtxt(fetch_data_file("sushi/sushi3b.5000.10.score"), dtype=np.int64)
    return RatedItems(tuple(row[_NAME] for row in table), scale_min_max(coordinates), scale_min_max(copeland(scores)))


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
