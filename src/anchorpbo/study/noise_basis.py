"""Length-scales and centres of a noise map, which are functions of the answers but not hyper-parameters.

::

    length-scales    of the fitted kernel, one per coordinate, if distances to the anchors are measured in them
    centres          designs at which the noise is corrected (`anchorpbo.reliability.correction`), (r, d)

Both are functions of the answers up to the last fit, and are saved with the fitted hyper-parameters.

The length-scales of a kernel, limited to `MAX_LENGTHSCALE` as in `Metric.with_lengthscales`::

    stationary kernel      its length-scales; a shared one counts for every coordinate
    kernel on columns      those of its kernel, in its columns
    sum, product           the shorter one of the two sides, which makes the utility vary faster
    other kernels          `MAX_LENGTHSCALE`: the kernel does not say how much a coordinate matters
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.kernels import Kernel, OnColumns, Product, Stationary, Sum
from anchorpbo.reliability.metric import MAX_LENGTHSCALE
from anchorpbo.typing import Array

LENGTHSCALES, CENTRES = "lengthscales", "centres"


@dataclass(frozen=True, eq=False)
class NoiseBasis:
    """Length-scales and centres of a noise map; ``None`` for a map without them."""

    lengthscales: Array | None = None
    """Length-scale of each coordinate, (d,)."""
    centres: Array | None = None
    """Centres of the correction, (r, d)."""

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that are present as JSON data."""
        parts = {LENGTHSCALES: self.lengthscales, CENTRES: self.centres}
        return {name: value.tolist() for name, value in parts.items() if value is not None}

    @classmethod
    def read(cls, data: Any, dimension: int, *, learns_metric: bool, is_corrected: bool) -> NoiseBasis | None:
        """Read the result of `to_dict`; ``None`` if a part that the map needs is missing or invalid."""
        data = data if isinstance(data, Mapping) else {}
        lengthscales = _read_array(data.get(LENGTHSCALES), (dimension,)) if learns_metric else None
        centres = _read_array(data.get(CENTRES), (-1, dimension)) if is_corrected else None
        if learns_metric and (lengthscales is None or (lengthscales <= 0.0).any()):
            return None
        return None if is_corrected and (centres is None or not len(centres)) else cls(lengthscales, centres)


def _read_array(data: Any, shape: tuple[int, ...]) -> Array | None:
    """Return finite numbers of this shape, in which -1 stands for any length; ``None`` for anything else."""
    try:
        array = np.array(data, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    fits = array.ndim == len(shape) and all(want in (-1, size) for want, size in zip(shape, array.shape, strict=True))
    return array if fits and np.isfinite(array).all() else None


def find_lengthscales(kernel: Kernel, dimension: int) -> Array:
    """Return the length-scale of each coordinate, (dimension,)."""
    found = np.full(dimension, MAX_LENGTHSCALE)
    if isinstance(kernel, Stationary):
        found[:] = np.minimum(found, kernel.lengths)
    elif isinstance(kernel, OnColumns):
        found[list(kernel.columns)] = find_lengthscales(kernel.inner, len(kernel.columns))
    elif isinstance(kernel, Sum | Product):
        found = np.minimum(find_lengthscales(kernel.left, dimension), find_lengthscales(kernel.right, dimension))
    return found
