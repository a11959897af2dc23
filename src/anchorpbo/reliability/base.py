"""The reliability score q(x): the larger it is, the more reliable the user's judgement at x.

::

    X_0          anchors, (n, d)
    h            bandwidth
    q(x)         reliability: 0 far from all anchors, above 0 near them, below 0 near negative anchors
    (r / h)^2    squared distance in bandwidths, (points, anchors)

`Reliability` is the interface that a noise map uses; `ConstantReliability` has no anchors. The validation functions are
shared by the classes with anchors, `DensityReliability`, `BoundedReliability` and `SignedReliability`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_floats, as_points, as_positive, as_positive_bounds
from anchorpbo.typing import Array

MIN_BANDWIDTH = 1e-100
MAX_ANCHOR_SIZE = 1e50
"""Within these limits (r / h)^2 does not overflow."""


class Reliability(ABC):
    """A score q(x) and its gradient; immutable, and compared by type and content."""

    anchors: Array | None
    """Designs the user knows well, (n, d); ``None`` without anchors."""

    bandwidth: float | None
    """Width of the neighbourhood of an anchor; ``None`` without anchors."""

    negative: Array | None = None
    """Designs the user cannot judge, (k, d); ``None`` without negative anchors."""

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""

    @abstractmethod
    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""

    @final
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return mine.keys() == theirs.keys() and all(_same(mine[key], theirs[key]) for key in mine)

    @final
    def __hash__(self) -> int:
        return hash((type(self), self.bandwidth, None if self.anchors is None else self.anchors.shape))


@final
@dataclass(frozen=True, eq=False)
class ConstantReliability(Reliability):
    """The score ``q(x) = 0`` everywhere, used without anchors."""

    anchors: None = field(default=None, init=False, repr=False)
    bandwidth: None = field(default=None, init=False, repr=False)

    def value(self, X: Array) -> Array:
        """Return zeros, (n,)."""
        return np.zeros(X.shape[0])

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return zeros, (n,) and (n, d)."""
        return np.zeros(X.shape[0]), np.zeros(X.shape)


def _same(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and np.array_equal(first, second)
    return bool(first == second)


def as_anchors(anchors: npt.ArrayLike, name: str = "anchors") -> Array:
    """Copy to an (n, d) array of at least one anchor; anchors need not lie in the unit cube."""
    array = as_floats(name, anchors)
    if array.size == 0:
        remedy = "use NoiseMap.constant(...) without anchors"
        raise InputError(f"{name} must hold at least one design", f"shape {array.shape}", remedy)
    largest = float(np.abs(array).max())
    if largest > MAX_ANCHOR_SIZE:
        raise InputError(f"{name} must be at most {MAX_ANCHOR_SIZE:g} in size", largest, "rescale the inputs")
    return as_points(name, array)


def as_bandwidth(bandwidth: float) -> float:
    """Return a bandwidth above 0 as a float."""
    h = as_positive("bandwidth", bandwidth)
    if h < MIN_BANDWIDTH:
        raise InputError(f"bandwidth must be at least {MIN_BANDWIDTH:g}", h, "choose a larger one")
    return h


def as_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """Return a range of bandwidths (lower, upper) with lower <= upper."""
    lower, upper = as_positive_bounds("bounds", bounds)
    return as_bandwidth(lower), upper


def squared_ratio(distances: Array, bandwidth: float) -> Array:
    """Return (r / h)^2; it is infinite if it overflows."""
    with np.errstate(over="ignore"):
        return np.square(distances / bandwidth)
