"""Power laws."""

import pytest

from anchorpbo.research.bench.power_laws import find_steepest_step, fit_power_law


def test_a_known_law_is_found():
    law = fit_power_law({m: 3e-5 * m**1.7 for m in (50, 100, 150, 300, 1000)})
    assert law.exponent == pytest.approx(1.7)
    assert law.factor == pytest.approx(3e-5)
    assert law(200) == pytest.approx(3e-5 * 200**1.7)


def test_small_sizes_do_not_count():
    costs = {m: 1e-4 * m**2 for m in (50, 100, 200)}
    assert fit_power_law({10: 7.0, 25: 9.0, **costs}).exponent == pytest.approx(2.0)


@pytest.mark.parametrize("costs", [{}, {100: 1.0}, {10: 1.0, 25: 2.0}])
def test_too_few_sizes_have_no_law(costs):
    assert fit_power_law(costs) is None


def test_a_cliff_is_the_steepest_step_beyond_the_law():
    costs = {10: 1.0, 50: 1.1, 100: 2.2, 150: 9.9, 300: 19.8}
    step = find_steepest_step(costs, fit_power_law(costs))
    assert (step.smaller, step.larger) == (100, 150)
    assert step.ratio == pytest.approx(4.5)
    assert step.expected < 3.0
