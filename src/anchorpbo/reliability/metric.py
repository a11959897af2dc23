"""Distances between designs.

::

    r(x, y)      distance, at least 0 and 0 for x = y
    d            the exponent of 1/h^d in eq. kde, which makes a kernel of width h a density

    EuclideanMetric    r = |x - y|_2, categories 0 or 1 apart          d = number of columns
    TanimotoMetric     r = 1 - x.y / (|x|^2 + |y|^2 - x.y)             d = 1
    HammingMetric      r = fraction of columns where x and y differ    d = 1
    ProductMetric      r^2 = sum of squares over groups of columns     d = sum over the groups
    CallableMetric     r = any function of two sets of designs         d = 1 by default

A non-Euclidean metric has no natural dimension: the 2,048 columns of a fingerprint are not coordinates. So d = 1, which
treats the distance itself as the coordinate. A noise map has a gradient only with a `SmoothMetric`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.numerics.validation import as_floats
from anchorpbo.typing import Array


class Metric(ABC):
    """A distance between designs."""

    has_gradient: ClassVar[bool] = False
    """Whether the squared distance can be differentiated in x; true for every `SmoothMetric`."""

    @abstractmethod
    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m), between the rows of X, (n, c), and of Y, (m, c)."""

    @abstractmethod
    def dimension(self, columns: int) -> int:
        """Return the d of the factor 1/h^d for designs with this many columns."""


class SmoothMetric(Metric):
    """A distance whose square has a gradient in x everywhere."""

    has_gradient: ClassVar[bool] = True

    @abstractmethod
    def weighted_gradient(self, weights: Array, X: Array, Y: Array) -> Array:
        """Return ``sum_j weights[i, j] * d r(x_i, y_j)^2 / d x_i``, (n, c), for weights (n, m)."""


@dataclass(frozen=True)
class EuclideanMetric(SmoothMetric):
    """The distance ``|x - y|_2``; d is the number of columns."""

    categorical: tuple[int, ...] = ()
    """Categorical columns: two different values are at distance 1, and the gradient is 0."""

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        squares = np.zeros((len(X), len(Y)))
        for c in range(X.shape[1]):
            apart = np.subtract.outer(X[:, c], Y[:, c])
            squares += apart != 0.0 if c in self.categorical else apart * apart
        return np.sqrt(squares)

    def dimension(self, columns: int) -> int:
        """Return the number of columns."""
        return columns

    def weighted_gradient(self, weights: Array, X: Array, Y: Array) -> Array:
        """Return ``2 sum_j weights[i, j] (x_i - y_j)``, (n, c)."""
        # Differences first, because `x sum(w) - w y` cancels near an anchor; one column at a time, to save memory.
        gradient = np.zeros_like(X)
        for c in range(X.shape[1]):
            if c not in self.categorical:
                gradient[:, c] = 2.0 * np.einsum("nm,nm->n", weights, np.subtract.outer(X[:, c], Y[:, c]))
        return gradient


@dataclass(frozen=True)
class TanimotoMetric(Metric):
    """The distance ``1 - x.y / (|x|^2 + |y|^2 - x.y)`` of fingerprints; two all-zero fingerprints are at distance 0."""

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        common = X @ Y.T
        union = np.add.outer(np.einsum("nc,nc->n", X, X), np.einsum("mc,mc->m", Y, Y)) - common
        similarity = np.divide(common, union, out=np.ones_like(common), where=union > 0)
        return np.asarray(np.maximum(1.0 - similarity, 0.0))

    def dimension(self, columns: int) -> int:
        """Return 1: a fingerprint's columns are not coordinates."""
        return 1


@dataclass(frozen=True)
class HammingMetric(Metric):
    """The fraction of columns in which x and y differ."""

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        from scipy.spatial.distance import cdist  # imported here because it is slow to import

        return np.asarray(cdist(X, Y, "hamming"), dtype=np.float64)

    def dimension(self, columns: int) -> int:
        """Return 1: categories have no natural dimension."""
        return 1


@dataclass(frozen=True)
class ProductMetric(Metric):
    """The root of the summed squares of other metrics, each on its own columns."""

    parts: tuple[tuple[Metric, tuple[int, ...]], ...]
    """Metrics and the columns that each of them uses."""

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        squares = [metric.distances(X[:, columns], Y[:, columns]) ** 2 for metric, columns in self.parts]
        return np.asarray(np.sqrt(np.sum(squares, axis=0)))

    def dimension(self, columns: int) -> int:
        """Return the sum over the parts."""
        return sum(metric.dimension(len(own)) for metric, own in self.parts)


@dataclass(frozen=True)
class CallableMetric(Metric):
    """A distance given by a function, whose result is validated at every call.

    Parameters
    ----------
    function
        ``(X, Y) -> (n, m)`` for X of shape (n, c) and Y of shape (m, c), finite and at least 0.
    intrinsic_dimension
        The d of the factor 1/h^d.
    """

    function: Callable[[Array, Array], npt.ArrayLike]
    intrinsic_dimension: int = 1

    def __post_init__(self) -> None:
        d = self.intrinsic_dimension
        if not callable(self.function):
            raise InputError("function must be callable", repr(self.function)[:80], "give (X, Y) -> (n, m)")
        if isinstance(d, bool) or not isinstance(d, int | np.integer) or d < 1:
            raise InputError("intrinsic_dimension must be a whole number above 0", repr(d), "use 1 when in doubt")

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the function's distances, (n, m), after validation."""
        result = as_floats("distances of the supplied metric", self.function(X, Y))
        expected = (X.shape[0], Y.shape[0])
        if result.shape != expected:
            rule = f"distances of the supplied metric must have shape {expected} here"
            raise ShapeError(rule, result.shape, "return one row for each row of X and one column for each row of Y")
        if (result < 0).any():
            raise InputError("distances of the supplied metric must be at least 0", result.min(), "check the function")
        return result

    def dimension(self, columns: int) -> int:
        """Return the intrinsic dimension; `columns` is ignored."""
        return int(self.intrinsic_dimension)


MetricLike: TypeAlias = str | Metric | Callable[[Array, Array], npt.ArrayLike]
"""A metric as an argument of public functions: a name, a `Metric` or a function."""

METRICS: dict[str, Metric] = {"euclidean": EuclideanMetric(), "tanimoto": TanimotoMetric(), "hamming": HammingMetric()}
"""Metrics by name."""


def as_metric(metric: MetricLike) -> Metric:
    """Resolve a name, a `Metric` or a function ``(X, Y) -> (n, m)`` to a `Metric`."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        if metric not in METRICS:
            raise UnknownNameError.of("metric", metric, METRICS)
        return METRICS[metric]
    if isinstance(metric, type) or not callable(metric):
        remedy = (
            "write EuclideanMetric() rather than EuclideanMetric" if isinstance(metric, type) else "try 'euclidean'"
        )
        raise InputError("metric must be a name, a Metric or a function (X, Y) -> (n, m)", repr(metric)[:80], remedy)
    return CallableMetric(metric)


def as_smooth_metric(metric: Metric) -> SmoothMetric:
    """Return the metric if it has a gradient; raise `UnsupportedError` otherwise."""
    if not isinstance(metric, SmoothMetric):
        rule, remedy = "a gradient needs a SmoothMetric, such as EuclideanMetric()", "compare values, not gradients"
        raise UnsupportedError(rule, repr(metric)[:80], remedy)
    return metric
