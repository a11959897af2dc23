"""Random studies, saved and read again, for as long as one likes: `make soak` takes an hour, `make test` some seconds."""

import os
import time

import pytest

from support.random_studies import differences

SECONDS = float(os.environ.get("ANCHORPBO_SOAK_SECONDS", "10"))
KNOWN = (2, 120, 271)
"""Studies that once were not: a prior of whole numbers, numpy's single precision in an acquisition and in a prior."""


@pytest.mark.parametrize("number", KNOWN)
def test_a_study_that_once_changed_is_read_as_it_was_after_every_event(number):
    assert differences(number, every=True) == []


def test_random_studies_are_read_as_they_were():
    end, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or number < 20:
        assert differences(number) == []
        number += 1
