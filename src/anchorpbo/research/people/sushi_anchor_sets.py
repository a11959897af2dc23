"""Kinds of sushi that people know well, by several definitions.

::

    representatives    the thirteen of `sushi_anchors`: the most eaten kind of each style and group
    eaten              the kinds with the largest eating frequency
    sold               the kinds that most shops sell
    least-eaten        the kinds with the smallest eating frequency: a control that should not help
    liked              the kinds of largest Copeland score: a control, because well-known kinds are also liked
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import sushi_anchors, sushi_items
from anchorpbo.typing import Array, IntArray

EATEN, SOLD = 0, 3
"""Coordinates of `sushi_items` with the eating frequency and the frequency in shops."""


def measure_kinds() -> Mapping[str, Array]:
    """Return how often each kind is eaten and sold, and how much it is liked, (100,) each, from 0 to 1."""
    items = sushi_items()
    return {"eaten": items.points[:, EATEN], "sold": items.points[:, SOLD], "liked": items.utilities}


ANCHOR_SETS: Mapping[str, str] = {
    "representatives": "Representatives",
    "eaten": "Most eaten",
    "sold": "Most sold",
    "least-eaten": "Least eaten (control)",
    "liked": "Best liked (control)",
}
"""Definitions by name, with their names in tables, in the order of tables."""


def choose_anchor_kinds(name: str, kinds: IntArray, count: int) -> IntArray:
    """Return the positions in `kinds` of this many anchors; of equally frequent kinds, the earlier ones.

    Parameters
    ----------
    name
        Name of `ANCHOR_SETS`.
    kinds
        Row numbers of `sushi_items`.
    count
        Number of anchors; the representatives are always thirteen, of all kinds.
    """
    if name not in ANCHOR_SETS:
        raise UnknownNameError.of("a definition of anchors", name, ANCHOR_SETS)
    points = sushi_items().points
    if name == "representatives":
        if len(kinds) != len(points):
            raise InputError("representatives are chosen among all kinds", len(kinds), "use another definition")
        return np.array([int(np.flatnonzero((points[kinds] == each).all(axis=1))[0]) for each in sushi_anchors()])
    sign, measure = (1.0, "eaten") if name == "least-eaten" else (-1.0, name)
    return np.sort(np.argsort(sign * measure_kinds()[measure][kinds], kind="stable")[:count])
