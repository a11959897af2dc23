"""Designs that a person would write and that still meet the constraints."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from anchorpbo.space.parameters import Real
from anchorpbo.space.polytope import TOLERANCE
from anchorpbo.space.region import Region
from anchorpbo.typing import Array

_Ends: TypeAlias = Callable[[int, Array, Array], tuple[float, float] | None]


def rounded(x: Array, region: Region, numbers: Mapping[int, Real]) -> Array:
    """Round the continuous coordinates of a design x, (d,), that are in constraints; `numbers` has their parameters.

    Each is rounded in turn within the interval that the constraints leave it, given the ones before and whatever
    the ones after may still become. So those that come last, such as the remainder of a mixture, always find room.
    Looking at each constraint by itself gives that interval at once, but only where no two of them share parameters is
    it sure to be the right one; where it was not, linear programs find it.
    """
    quick = _in_turn(x, region, numbers, region.polytope.reach)
    if quick is not None:
        return quick
    exact = _in_turn(x, region, numbers, region.polytope.extent_of)
    if exact is None:
        return x
    # Rounding what is rounded must not change it, so what the quick way makes of this takes precedence.
    again = _in_turn(exact, region, numbers, region.polytope.reach)
    return exact if again is None else again


def _in_turn(x: Array, region: Region, numbers: Mapping[int, Real], ends_of: _Ends) -> Array | None:
    """One number after the other; ``None`` where that leads out of the region."""
    least, most = np.zeros(region.dimension), np.ones(region.dimension)
    least[region.gridded] = most[region.gridded] = x[region.gridded]
    for c, parameter in numbers.items():
        ends = ends_of(c, least, most)
        if ends is None or ends[0] > ends[1] + TOLERANCE:
            return None
        least[c] = most[c] = parameter.nearest_within(float(x[c]), *ends)
    y = x.copy()
    y[list(numbers)] = least[list(numbers)]
    return y if region.contains(y[None])[0] else None
