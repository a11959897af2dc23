"""Round numbers along an axis, whatever the range."""

import math
import sys

import pytest

from anchorpbo.analysis.axes import log_ticks, ticks

LARGEST = sys.float_info.max


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 5e-324), (0.0, 1e-323), (0.0, 2e-323), (5e-324, 1e-323), (-LARGEST, LARGEST), (0.0, LARGEST), (1.0, 1.0)],
)
def test_the_narrowest_and_the_widest_range_have_ticks_in_it(low, high):
    found = ticks(low, high)
    assert found
    assert all(low <= value <= high for value in found)


@pytest.mark.parametrize(("low", "high"), [(5e-324, 1e-323), (1e308, LARGEST), (5e-324, LARGEST)])
def test_so_has_a_logarithmic_one(low, high):
    found = log_ticks(low, high)
    assert found
    assert all(math.isfinite(value) and low <= value * (1 + 1e-9) for value in found)
