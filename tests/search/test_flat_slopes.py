"""Climbs on functions that are nearly flat."""

import numpy as np
import pytest

from anchorpbo.search.projected_bfgs import ProjectedBFGS


@pytest.mark.parametrize("slope", [0.0, 5e-324, 1e-313, 1e-301, 1e-290])
def test_a_slope_that_is_hardly_a_number_leads_to_a_point(slope):
    ascent = ProjectedBFGS(np.full((2, 3), 0.5), 1e-9, symmetric=False)
    ascent.tell(ascent.active_rows, np.zeros(2), np.array([[slope, 0.0, -slope], [0.0, slope, 0.0]]))
    assert np.isfinite(ascent.trial).all()
