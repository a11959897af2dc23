"""Climbs on functions that are nearly flat."""

import numpy as np
import pytest

from anchorpbo.search.ascent import Ascent


@pytest.mark.parametrize("slope", [0.0, 5e-324, 1e-313, 1e-301, 1e-290])
def test_a_slope_that_is_hardly_a_number_leads_to_a_point(slope):
    ascent = Ascent(np.full((2, 3), 0.5), 1e-9, designs=1)
    ascent.tell(ascent.under_way, np.zeros(2), np.array([[slope, 0.0, -slope], [0.0, slope, 0.0]]))
    assert np.isfinite(ascent.trial).all()
