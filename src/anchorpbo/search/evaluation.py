"""Evaluation of an acquisition function on many items, in chunks that bound the memory."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import BoundAcquisition
from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_points
from anchorpbo.typing import Array, IntArray

CHUNK_ELEMENTS = 2_000_000
"""Approximate number of elements in an array of one chunk."""


def check_bound(bound: BoundAcquisition) -> None:
    """Raise unless an acquisition function is bound to a posterior."""
    if not isinstance(bound, BoundAcquisition):
        remedy = "search acquisition.bind(model.posterior, model.noise)"
        raise InputError("a search needs an acquisition that is bound to a posterior", repr(bound), remedy)


def iter_chunks(count: int, width: int) -> Iterator[slice]:
    """Split range(count) into slices of about `CHUNK_ELEMENTS` / width."""
    step = max(CHUNK_ELEMENTS // max(width, 1), 1)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def as_designs(name: str, designs: npt.ArrayLike, dimension: int) -> Array:
    """Return finite designs, (n, d), as an array; without a copy if they are a float array of this shape already."""
    if type(designs) is not np.ndarray or designs.dtype != np.float64 or designs.shape[1:] != (dimension,):
        return as_points(name, designs, dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        total = designs.sum()  # finite only if all elements are
    return designs if np.isfinite(total) else as_points(name, designs, dimension)


def evaluate(bound: BoundAcquisition, X: Array, rows: IntArray | None = None) -> Array:
    """Return the values of items X, (n, *item_shape), or of some of their rows; raise unless all are finite."""
    count = len(X) if rows is None else len(rows)
    values = np.empty(count)
    for chunk in iter_chunks(count, max(len(bound.posterior.points), bound.posterior.dimension)):
        values[chunk] = bound.values(X[chunk] if rows is None else X[rows[chunk]])
    check_finite(values)
    return values


def check_finite(values: Array) -> None:
    """Raise unless all values of an acquisition function are finite."""
    bad = values[~np.isfinite(values)]
    if bad.size:
        remedy = "make partials finite, also if the standard deviation is 0"
        raise InputError("an acquisition must be finite to be searched", bad[0], remedy)
