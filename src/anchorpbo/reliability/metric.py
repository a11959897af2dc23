"""Distances between designs.

::

    r(x, y)      distance, at least 0 and 0 for x = y
    d            the exponent of 1/h^d in eq. kde, which makes a kernel of width h a density

    EuclideanMetric    r = |x - y|_2, categories 0 or 1 apart          d = number of columns
                       r^2 = sum_c ((x_c - y_c) / s_c)^2               d = sum_c (s_min / s_c)^2, with length-scales s
    TanimotoMetric     r = 1 - x.y / (|x|^2 + |y|^2 - x.y)             d = 1
    HammingMetric      r = fraction of columns where x and y differ    d = 1
    ProductMetric      r^2 = sum of squares over groups of columns     d = sum over the groups
    CallableMetric     r = any function of two sets of designs         d = 1 by default

A non-Euclidean metric has no natural dimension: the 2,048 columns of a fingerprint are not coordinates. So d = 1, which
treats the distance itself as the coordinate. A bounded map has no such factor. It asks its metric for default bounds of
the bandwidth and for the d of its leave-one-out choice, which is larger for fingerprints. A noise map has a gradient
only with a `SmoothMetric`.

`Metric.with_lengthscales` returns a metric in units of the length-scales l of a kernel (automatic relevance
determination), so that a parameter that hardly affects the utility hardly keeps two designs apart::

    s_c = min(l_c, 3) / min_b min(l_b, 3), at most 10
    d   = sum_c w_c with w_c = s_c^-2, between 1 and the number of columns

Equal length-scales give s = 1, the metric without them. A length-scale above 3, three times the side of the cube,
hardly differs from 3 in its effect on a kernel, so it counts as 3. With s_c = 10 the narrowest default bandwidth, 0.1,
is as wide as the cube in coordinate c; a larger ratio would change nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.numerics.validation import as_floats, as_vector
from anchorpbo.typing import Array

MAX_LENGTHSCALE = 3.0
"""Largest length-scale of a kernel that counts in a metric, in sides of the unit cube."""
MAX_RATIO = 10.0
"""Largest ratio of two length-scales of a metric that come from a kernel."""


class Metric(ABC):
    """A distance between designs."""

    has_gradient: ClassVar[bool] = False
    """Whether the squared distance can be differentiated in x; true for every `SmoothMetric`."""

    @abstractmethod
    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m), between the rows of X, (n, c), and of Y, (m, c)."""

    @abstractmethod
    def dimension(self, columns: int) -> float:
        """Return the d of the factor 1/h^d for designs with this many columns."""

    def default_bandwidths(self, columns: int) -> tuple[float, float]:
        """Return the smallest and the largest bandwidth of a bounded map by default: (0.1 sqrt(d), 0.2 sqrt(d))."""
        return diagonal_bandwidths(self.dimension(columns))

    def loo_dimension(self, columns: int) -> float:
        """Return the d of the factor 1/h^d in the leave-one-out choice of a bounded map's bandwidth."""
        return self.dimension(columns)

    def with_lengthscales(self, lengthscales: Array) -> "Metric":
        """Return this metric in units of a kernel's length-scales, one per column; itself if it has no coordinates."""
        return self


class SmoothMetric(Metric):
    """A distance whose square has a gradient in x everywhere."""

    has_gradient: ClassVar[bool] = True

    @abstractmethod
    def weighted_gradient(self, weights: Array, X: Array, Y: Array) -> Array:
        """Return ``sum_j weights[i, j] * d r(x_i, y_j)^2 / d x_i``, (n, c), for weights (n, m)."""


@dataclass(frozen=True)
class EuclideanMetric(SmoothMetric):
    """The distance ``|x - y|_2``, or ``|(x - y) / s|_2`` with length-scales s.

    d is the number of columns. With length-scales it is their effective number, ``sum_c (s_min / s_c)^2``, in which a
    column with a long length-scale counts little.
    """

    categorical: tuple[int, ...] = ()
    """Categorical columns: two different values are at distance 1, and the gradient is 0."""
    lengthscales: tuple[float, ...] | None = None
    """Length-scale s of each column, above 0; ``None`` for 1 each."""

    def __post_init__(self) -> None:
        if self.lengthscales is None:
            return
        scales = as_vector("lengthscales", self.lengthscales)
        if not len(scales) or (scales <= 0.0).any():
            raise InputError("lengthscales must be one or more numbers above 0", self.lengthscales, "one per column")
        object.__setattr__(self, "lengthscales", tuple(scales.tolist()))

    def scales(self, columns: int) -> Array:
        """Return the length-scales, (columns,); ones without any."""
        if self.lengthscales is None:
            return np.ones(columns)
        if len(self.lengthscales) != columns:
            rule = f"a metric with {len(self.lengthscales)} length-scales needs designs with as many coordinates"
            raise ShapeError(rule, columns, "give one length-scale for each coordinate")
        return np.array(self.lengthscales)

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        squares, scales = np.zeros((len(X), len(Y))), self.scales(X.shape[1])
        for c in range(X.shape[1]):
            apart = np.subtract.outer(X[:, c], Y[:, c])
            if c in self.categorical:
                apart = np.asarray(apart != 0.0, dtype=np.float64)
            apart /= scales[c]
            squares += apart * apart
        return np.sqrt(squares)

    def dimension(self, columns: int) -> float:
        """Return the number of columns, or the effective number with length-scales."""
        if self.lengthscales is None:
            return columns
        scales = self.scales(columns)
        return float(np.sum(np.square(scales.min() / scales)))

    def with_lengthscales(self, lengthscales: Array) -> "EuclideanMetric":
        """Return this metric with relative length-scales, at most 10 and the smallest 1; see the module."""
        limited = np.minimum(lengthscales, MAX_LENGTHSCALE)
        scales = np.minimum(limited / limited.min(), MAX_RATIO)
        # Without length-scales an isotropic kernel gives an equal object, not only equal numbers.
        return EuclideanMetric(self.categorical, None if (scales == 1.0).all() else tuple(scales.tolist()))

    def weighted_gradient(self, weights: Array, X: Array, Y: Array) -> Array:
        """Return ``2 sum_j weights[i, j] (x_i - y_j) / s^2``, (n, c)."""
        # Differences first, because `x sum(w) - w y` cancels near an anchor; one column at a time, to save memory.
        gradient, scales = np.zeros_like(X), self.scales(X.shape[1])
        for c in range(X.shape[1]):
            if c not in self.categorical:
                apart = np.subtract.outer(X[:, c], Y[:, c])
                gradient[:, c] = 2.0 / scales[c] ** 2 * np.einsum("nm,nm->n", weights, apart)
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

    def dimension(self, columns: int) -> float:
        """Return 1: a fingerprint's columns are not coordinates."""
        return 1

    def default_bandwidths(self, columns: int) -> tuple[float, float]:
        """Return (0.2, 0.3): from close analogues to the chemical neighbourhood of a molecule (decision 47).

        Morgan fingerprints of two molecules of one series are about 0.6 apart, and of unrelated ones 0.9.
        """
        return 0.2, 0.3

    def loo_dimension(self, columns: int) -> float:
        """Return 6: distances between fingerprints vary as little as in a space of about six coordinates.

        With d = 1 leave-one-out would choose the largest bandwidth for any anchors but near duplicates, with which
        anchors of one chemical series vouch for all of it.
        """
        return 6


@dataclass(frozen=True)
class HammingMetric(Metric):
    """The fraction of columns in which x and y differ."""

    def distances(self, X: Array, Y: Array) -> Array:
        """Return the distances, (n, m)."""
        from scipy.spatial.distance import cdist  # imported here because it is slow to import

        return np.asarray(cdist(X, Y, "hamming"), dtype=np.float64)

    def dimension(self, columns: int) -> float:
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

    def dimension(self, columns: int) -> float:
        """Return the sum over the parts."""
        return sum(metric.dimension(len(own)) for metric, own in self.parts)

    def default_bandwidths(self, columns: int) -> tuple[float, float]:
        """Return the root of the summed squares of the parts' bandwidths, since their squared distances are summed."""
        parts = np.array([metric.default_bandwidths(len(own)) for metric, own in self.parts])
        lower, upper = np.sqrt(np.square(parts).sum(axis=0)).tolist()
        return lower, upper

    def loo_dimension(self, columns: int) -> float:
        """Return the sum over the parts."""
        return sum(metric.loo_dimension(len(own)) for metric, own in self.parts)

    def with_lengthscales(self, lengthscales: Array) -> "ProductMetric":
        """Return this metric with each part in units of the length-scales of its columns."""
        parts = ((metric.with_lengthscales(lengthscales[list(own)]), own) for metric, own in self.parts)
        return ProductMetric(tuple(parts))


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

    def dimension(self, columns: int) -> float:
        """Return the intrinsic dimension; `columns` is ignored."""
        return int(self.intrinsic_dimension)


def diagonal_bandwidths(dimension: float) -> tuple[float, float]:
    """Return a tenth and a fifth of the diagonal of the unit cube, sqrt(d)."""
    diagonal = float(np.sqrt(dimension))
    return 0.1 * diagonal, 0.2 * diagonal


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
