"""What a search of a region is given, checked once."""

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition import Bound
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.numerics.validation import as_floats, as_integer
from anchorpbo.search.evaluate import check_bound
from anchorpbo.space.region import Region
from anchorpbo.typing import Array

# Encoding to the unit cube and back may overshoot its faces by rounding.
_ROUNDING = 1e-9


def check_search(bound: Bound, region: Region, raw: int, restarts: int) -> None:
    """Raise unless the acquisition can be searched there."""
    check_bound(bound)
    if region.dimension != bound.posterior.dimension:
        rule = f"where must have the {bound.posterior.dimension} coordinates of the posterior's designs"
        raise ShapeError(rule, region.dimension, "search the cube the duels came from")
    as_integer("raw", raw, 1)
    as_integer("restarts", restarts, 1)
    if not len(region.free):
        return
    remedy = "search a list of designs with maximise_over instead"
    if not bound.posterior.kernel.differentiable:
        name = type(bound.posterior.kernel).__name__
        raise UnsupportedError("a search of continuous coordinates needs a kernel with a gradient in x", name, remedy)
    try:
        bound.noise.slopes(np.full((1, region.dimension), 0.5))
    except UnsupportedError as problem:
        rule = "a search of continuous coordinates needs a noise map with a gradient"
        raise UnsupportedError(rule, bound.noise, remedy) from problem


def as_extra(extra: npt.ArrayLike, item_shape: tuple[int, ...]) -> Array:
    """Further items, (n, *item_shape), in the unit cube."""
    items = as_floats("extra", extra)
    if items.shape[1:] != item_shape or items.ndim != 1 + len(item_shape):
        rule = f"extra must have shape (n, {', '.join(map(str, item_shape))})"
        raise ShapeError(rule, items.shape, "give one item a row")
    outside = items[(items < -_ROUNDING) | (items > 1.0 + _ROUNDING)]
    if outside.size:
        raise InputError("extra must lie in the unit cube", outside[0], "scale the designs first")
    return np.clip(items, 0.0, 1.0)
