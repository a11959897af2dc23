"""The unit of utility: the squared difference of utilities that changes the margin of a duel by 1."""

import numpy as np
import pytest

from anchorpbo import Logistic, Probit


@pytest.mark.parametrize(
    ("likelihood", "expected"),
    [(Probit(), 2 * 0.3), (Logistic(form="paper"), 0.3**2), (Logistic(form="difference"), 0.3**2)],
    ids=["probit: the sum of two variances", "paper: the squared level", "difference: the squared level"],
)
def test_the_unit_is_that_of_a_duel_whose_designs_have_the_same_noise(likelihood, expected):
    unit = likelihood.compute_utility_unit(0.3)
    assert unit == pytest.approx(expected, rel=1e-12)
    a, _ = likelihood.coefficients(np.full(1, 0.3), np.full(1, 0.3))
    assert a[0] * np.sqrt(unit) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("noise", [1e-300, 1e300])
def test_the_unit_of_extreme_noise_is_finite_and_positive(noise):
    assert 0.0 < Probit().compute_utility_unit(noise) < np.inf
