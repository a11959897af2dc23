"""Scoring many items a piece at a time, so that memory follows the piece and not the list."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import Bound
from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_points
from anchorpbo.typing import Array, IntArray

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


def as_designs(name: str, designs: npt.ArrayLike, dimension: int) -> Array:
    """Finite designs, (n, d): those given where they are such an array already, else a copy."""
    if type(designs) is not np.ndarray or designs.dtype != np.float64 or designs.shape[1:] != (dimension,):
        return as_points(name, designs, dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        total = designs.sum()  # finite only where all of it is
    return designs if np.isfinite(total) else as_points(name, designs, dimension)


def values_of(bound: Bound, X: Array, rows: IntArray | None = None) -> Array:
    """Values of items X, (n, *item_shape), or of some rows of them; all of them must be finite."""
    count = len(X) if rows is None else len(rows)
    values = np.empty(count)
    for piece in pieces(count, max(len(bound.posterior.points), bound.posterior.dimension)):
        values[piece] = bound.values(X[piece] if rows is None else X[rows[piece]])
    check_finite(values)
    return values


def check_finite(values: Array) -> None:
    """Raise unless an acquisition gave ordinary numbers."""
    bad = values[~np.isfinite(values)]
    if bad.size:
        remedy = "make partials finite, also where the standard deviation is 0"
        raise InputError("an acquisition must be finite to be searched", bad[0], remedy)
