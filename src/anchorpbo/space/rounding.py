"""Designs that a person would write and that still meet the constraints."""

from collections.abc import Mapping

import numpy as np

from anchorpbo.space.parameters import Real
from anchorpbo.space.region import Region
from anchorpbo.typing import Array


def rounded(x: Array, region: Region, numbers: Mapping[int, Real]) -> Array:
    """Round the continuous coordinates of a design x, (d,), that are in constraints; `numbers` has their parameters.

    Each is rounded in turn within the interval that the constraints leave it, given the ones before and whatever
    the ones after may still become: two small linear programs. So those that come last, such as the remainder of a
    mixture, always find room.
    """
    least, most = np.zeros(region.dimension), np.ones(region.dimension)
    least[region.gridded] = most[region.gridded] = x[region.gridded]
    for c, parameter in numbers.items():
        unit = np.zeros(region.dimension)
        unit[c] = 1.0
        ends = region.polytope.extent(unit, least, most)
        if ends is None:
            return x
        least[c] = most[c] = parameter.nearest_within(x[c], *ends)
    y = x.copy()
    y[list(numbers)] = least[list(numbers)]
    return y if region.contains(y[None])[0] else x
