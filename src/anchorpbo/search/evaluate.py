"""Scoring many items a piece at a time, so that memory follows the piece and not the list."""

from collections.abc import Iterator

import numpy as np

from anchorpbo.acquisition import Bound
from anchorpbo.errors import InputError
from anchorpbo.typing import Array

PIECE = 2_000_000
"""About how many numbers a piece may hold in one array."""


def check_bound(bound: Bound) -> None:
    """Raise unless an acquisition knows what to score by."""
    if not isinstance(bound, Bound):
        remedy = "search acquisition.bind(model.posterior, model.noise)"
        raise InputError("a search needs an acquisition that is bound to a posterior", repr(bound), remedy)


def pieces(count: int, width: int) -> Iterator[slice]:
    """Cut range(count) into slices of about `PIECE` / width."""
    step = max(PIECE // max(width, 1), 1)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def values_of(bound: Bound, X: Array) -> Array:
    """Values, (n,), of items X, (n, *item_shape); all of them must be finite."""
    if not len(X):
        return np.empty(0)
    width = max(len(bound.posterior.points), bound.posterior.dimension)
    values = np.concatenate([bound(X[piece]) for piece in pieces(len(X), width)])
    check_finite(values)
    return values


def check_finite(values: Array) -> None:
    """Raise unless an acquisition gave ordinary numbers."""
    bad = values[~np.isfinite(values)]
    if bad.size:
        remedy = "make partials finite, also where the standard deviation is 0"
        raise InputError("an acquisition must be finite to be searched", bad[0], remedy)
