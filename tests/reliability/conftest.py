"""Oracles that the tests of this folder share."""

from collections.abc import Callable

import numpy as np
import pytest

from anchorpbo.typing import Array


@pytest.fixture
def central_differences() -> Callable[..., Array]:
    """Gradient of a function (n, d) -> (n,), row by row, from two values a step apart on either side."""

    def differences(function: Callable[[Array], Array], X: Array, step: float = 1e-5) -> Array:
        gradient = np.empty(X.shape)
        for column in range(X.shape[1]):
            shift = np.zeros(X.shape[1])
            shift[column] = step
            gradient[:, column] = (function(X + shift) - function(X - shift)) / (2 * step)
        return gradient

    return differences
