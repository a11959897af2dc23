"""exp by a polynomial against the library's."""

import numpy as np

from anchorpbo.numerics.exponential import MIN_EXPONENT, exp_below_zero


def exponentials(x):
    x = np.array(x, dtype=float)
    exp_below_zero(x, np.empty_like(x))
    return x


def test_exponentials_are_right_to_two_units_in_the_last_place():
    x = -np.concatenate([np.linspace(0.0, 708.0, 100_001), np.geomspace(1e-300, 1.0, 10_000)])
    expected = np.exp(x)
    assert (np.abs(exponentials(x) - expected) <= 2.0 * np.spacing(expected)).all()


def test_zero_gives_exactly_one():
    assert exponentials([0.0, -0.0]).tolist() == [1.0, 1.0]


def test_halves_of_log_two_meet_where_the_reduction_switches():
    x = -np.log(2.0) * (np.arange(1, 200) - 0.5)
    around = np.concatenate([np.nextafter(x, 0.0), x, np.nextafter(x, -np.inf)])
    np.testing.assert_allclose(exponentials(around), np.exp(around), rtol=1e-15)


def test_what_would_underflow_stops_at_the_smallest_ordinary_number():
    assert exponentials([-709.0, -1e6, -np.inf]).tolist() == [exponentials([MIN_EXPONENT])[0]] * 3
    assert 0.0 < exponentials([MIN_EXPONENT])[0] < 1e-307
