"""Even selections of many answers."""

from __future__ import annotations

import numpy as np

from anchorpbo.typing import IntArray


def select_evenly(numbers: IntArray, count: int) -> IntArray:
    """Return all numbers if there are at most `count`, else evenly spaced ones, the first and the last among them."""
    places = np.linspace(0, len(numbers) - 1, min(count, len(numbers))).round().astype(int)
    return np.asarray(numbers[np.unique(places)])
