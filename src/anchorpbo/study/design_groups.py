"""Groups of designs whose difference nobody would notice: results treat them as one design.

Symbols: x, y designs, s_i the step of parameter i.

    x ~ y    |x_i - y_i| <= s_i for every `Real` parameter with a step, and x_j = y_j for every other parameter

The relation is not transitive: a chain of small steps leads anywhere. Groups are therefore formed around
representatives. In the order given, a design joins the first representative that it is ~ to, or else becomes one.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.space import DesignSpace, Real, Space
from anchorpbo.space.parameters import VaryingParameter
from anchorpbo.typing import Array, IntArray

_ROUNDING = 1e-6
"""Largest excess of a difference over a step, in steps, that counts as rounding."""


def group_designs(designs: Array, space: DesignSpace) -> IntArray:
    """Return the row number of the representative of each design, (u,).

    Parameters
    ----------
    designs
        Coordinates of designs, (u, d), the likeliest representatives first.
    space
        The design space. Without a `Real` parameter with a step, only equal designs form a group.
    """
    places, reach = _measure_steps(designs, space)
    if not reach.any():
        rows: dict[bytes, int] = {}
        return np.array([rows.setdefault(bytes(x), row) for row, x in enumerate(designs)], dtype=np.int64)
    found = np.full(len(designs), -1)
    for row in range(len(designs)):
        if found[row] < 0:
            near = (np.abs(places - places[row]) <= reach).all(axis=1)
            found[near & (found < 0)] = row
    return found


def find_near(designs: Array, x: Array, space: DesignSpace) -> Array:
    """Return the designs, (k, d), that are in one group with x, (d,), if x represents it."""
    return np.asarray(designs[group_designs(np.vstack([x, designs]), space)[1:] == 0])


def _measure_steps(designs: Array, space: DesignSpace) -> tuple[Array, Array]:
    """Return the designs in units of the steps, (u, d), and the largest difference within a group, (d,)."""
    places, reach = designs.copy(), np.zeros(designs.shape[1])
    if isinstance(space, Space):
        varying = [one for one in space.parameters.values() if isinstance(one, VaryingParameter)]
        for column, parameter in enumerate(varying):
            if isinstance(parameter, Real) and parameter.step is not None:
                places[:, column] = [parameter.decode(u) / parameter.step for u in designs[:, column]]
                reach[column] = 1.0 + _ROUNDING
    return places, reach
