"""A hundred kinds of sushi, scored by 5,000 people (Kamishima's SUSHI preference data set; for research).

Designs have four coordinates, each from 0 to 1 over the hundred: how often it is eaten, how light in oil it is, its
price, and how often it is sold. The utility of a kind is its Copeland score, that of a design in between the mean of
the three nearest kinds.
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
"""Columns of the items' file: eating frequency, oiliness (0 is heavy), price, sold frequency."""
_ANCHOR_COUNT = 13


@cache
def sushi() -> Problem:
    """Sushi in four dimensions; reads, and at first use fetches, the data files."""
    return sushi_items().problem("sushi")


@cache
def sushi_items() -> RatedItems:
    """The hundred kinds, in the order of the data set."""
    table = _read_table()
    coordinates = np.array([[float(row[c]) for c in _COORDINATES] for row in table])
    scores = np.loadtxt(fetch_data_file("sushi/sushi3b.5000.10.score"), dtype=np.int64)
    return RatedItems(tuple(row[_NAME] for row in table), scale_min_max(coordinates), scale_min_max(copeland(scores)))


@cache
def sushi_anchors() -> Array:
    """Thirteen kinds that everybody knows, (13, 4).

    One for each style, major and minor group, the kind of the group that is eaten most often; of the groups those whose
    kind is eaten most often, in that order.
    """
    table = _read_table()
    best: dict[tuple[str, ...], int] = {}
    # From the most eaten down (equal ones in their order), so the first of a group is its most eaten.
    for i in sorted(range(len(table)), key=lambda i: -float(table[i][_EATEN])):
        best.setdefault(tuple(table[i][_GROUPS]), i)
    return freeze(sushi_items().points[list(best.values())[:_ANCHOR_COUNT]])


def copeland(scores: IntArray) -> Array:
    """Share of the items that each item beats, (n,).

    One item beats another when, of the users who scored both, more scored it above the other than below.

    Parameters
    ----------
    scores
        (users, n), from 0, or -1 where the user did not score the item.
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
