"""Seeds for libraries that draw from numpy's global generator."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def seed_numpy(*seed: int) -> Iterator[None]:
    """Seed numpy's global generator inside the block and restore it after; the library's warnings are silenced."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(np.random.SeedSequence([*seed, 110]).generate_state(4))  # noqa: NPY002
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
