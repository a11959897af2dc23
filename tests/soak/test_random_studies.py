"""Random studies, saved and read again: for an hour in `make soak`, for some seconds in `make test`."""

import os
import time

import pytest

from support.random_studies import differences

SECONDS = float(os.environ.get("ANCHORPBO_SOAK_SECONDS", "10"))
KNOWN = (2, 120, 271, 2635)
"""Studies that once were not: a prior of whole numbers, numpy's single precision in
a prior and in a weight, a slope of 1e-313."""


@pytest.mark.parametrize("number", KNOWN)
def test_a_study_that_once_changed_is_read_as_it_was_after_every_event(number):
    assert differences(number, every=True) == []


def test_random_studies_are_read_as_they_were():
    end, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or number < 20:
        assert differences(number) == []
        number += 1
