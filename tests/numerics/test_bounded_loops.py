"""Draws that cannot be had are NaN, at once; a rejection sampler without an end would hang here."""

import math

import numpy as np
import pytest

from anchorpbo.numerics.variates import draw_above, draw_between, draw_modified_half_normal, draw_polya_gamma

EXTREMES = (0.0, 5e-324, 1e-200, 1.0, 1e200, 1.7e308, math.inf)


@pytest.mark.parametrize("k", [1, 2, 50])
def test_a_stretch_ends_for_any_numbers(k):
    rng = np.random.default_rng(0)
    for A in EXTREMES[1:]:
        for B in (*EXTREMES, *(-b for b in EXTREMES)):
            drawn = draw_modified_half_normal(rng, k, A, B)
            assert math.isnan(drawn) or drawn >= 0.0
    assert math.isnan(draw_modified_half_normal(rng, 5, 1.0, -1e200))


@pytest.mark.parametrize("a", [*EXTREMES, *(-a for a in EXTREMES), math.nan])
def test_a_cut_normal_ends_for_any_bounds(a):
    rng = np.random.default_rng(0)
    above = draw_above(rng, a)
    assert math.isnan(a) or above >= a
    for b in (a, 1.0, math.inf):
        between = draw_between(rng, a, b)
        assert math.isnan(between) or a <= between <= b


@pytest.mark.parametrize("z", EXTREMES)
def test_a_polya_gamma_draw_ends_for_any_tilt(z):
    assert draw_polya_gamma(np.random.default_rng(0), z) > 0.0
