"""Assertions of the contract suites report the rule, the value and the place."""

import numpy as np
import pytest

from anchorpbo.testing.contract import ensure_close, ensure_finite


def test_the_place_is_named_by_its_arguments() -> None:
    g = np.array([-1.0, 0.5])
    with pytest.raises(AssertionError, match=r"it is 3.0 at g = 0.5$"):
        ensure_close("x", [1.0, 3.0], [1.0, 2.0], at={"g": g})
    with pytest.raises(AssertionError, match=r"it is inf at mean = 0.5, std = 4.0$"):
        ensure_finite("x", [1.0, np.inf], at={"mean": g, "std": np.array([2.0, 4.0])})


def test_the_place_is_an_index_without_arguments_and_left_out_of_a_scalar() -> None:
    with pytest.raises(AssertionError, match=r"it is 3.0 at index \(1,\)$"):
        ensure_close("x", [1.0, 3.0], [1.0, 2.0])
    with pytest.raises(AssertionError, match=r"it is 3.0$"):
        ensure_close("x", 3.0, 2.0)


def test_a_reference_that_is_not_finite_is_named_as_such() -> None:
    with pytest.raises(AssertionError, match=r"^the reference value of x must be finite; it is nan at index \(1,\)$"):
        ensure_close("x", [1.0, 3.0], [1.0, np.nan], rtol=1e-5)
