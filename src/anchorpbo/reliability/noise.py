"""The noise map: how noisy a comparison is at each design (eq. general-noise, eq. general-logistic-noise).

::

    a            scale: the noise where q = 0, far from all anchors
    c            strength: 1 in the paper, where the noise varies by a factor of at most e if q <= 1
    q(x)         reliability
    u(x)         correction learnt from the answers, phi(x)' w; 0 without one
    noise(x) = min(max(a exp(u(x) - c q(x)), 1e-6 a), 1e6 a)
    dnoise/dx = noise (du/dx - c dq/dx)   0 where a limit binds
    dnoise/dlog a = noise
    dnoise/dlog c = -c q noise            0 where a limit binds
    dnoise/dw = noise phi(x)              0 where a limit binds

The noise is the variance sigma^2_eps for a probit model and the level lambda for a logistic one. The floor, 1e-6
times the scale, keeps the row of every duel finite. The ceiling, 1e6 times the scale, can bind only near negative
anchors, where q < 0, or under a correction; it keeps the exponential from overflowing.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, cast, final

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.numerics.validation import as_floats, as_non_negative, as_points, as_positive, as_vector
from anchorpbo.reliability.adaptive import local_factors
from anchorpbo.reliability.bandwidth import loo_bandwidth
from anchorpbo.reliability.bandwidths import as_euclidean, loo_bandwidths
from anchorpbo.reliability.base import ConstantReliability, Reliability, as_anchors, as_bandwidth, as_bounds
from anchorpbo.reliability.bounded import BoundedReliability
from anchorpbo.reliability.correction import NoiseCorrection
from anchorpbo.reliability.density import DensityReliability
from anchorpbo.reliability.metric import EuclideanMetric, Metric, MetricLike, as_metric
from anchorpbo.reliability.profile import GaussianDensity, Profile, as_profile
from anchorpbo.reliability.signed import SignedReliability, check_columns
from anchorpbo.typing import Array, BoolArray

FLOOR = 1e-6
"""Smallest noise, as a fraction of the scale."""
MAX_EXPONENT = math.log(1e6)
"""Logarithm of the largest noise, as a multiple of the scale; symmetric to the floor."""


@final
@dataclass(frozen=True, repr=False)
class NoiseMap:
    """Noise of a comparison as a function of the design.

    Use `from_anchors` for the paper's map, `bounded` in practice, and `constant` without anchors.

    Parameters
    ----------
    score
        Reliability q.
    scale
        Noise a where q = 0, above 0.
    strength
        Effect c of the reliability on the noise, at least 0; with 0 the map is constant.
    correction
        Correction u of the logarithm of the noise, which a fit learns from the answers; ``None`` for none.

    Examples
    --------
    >>> noise = NoiseMap.bounded([[0.2, 0.2], [0.3, 0.1]], bandwidth=0.2, scale=1.0, strength=3.0)
    >>> noise([[0.2, 0.2], [0.4, 0.4], [0.9, 0.9]]).round(2)
    array([0.05, 0.19, 1.  ])
    """

    score: Reliability
    scale: float = 1.0
    strength: float = 1.0
    correction: NoiseCorrection | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.score, Reliability):
            remedy = "use NoiseMap.from_anchors, bounded or constant"
            raise InputError("score must be a Reliability", repr(self.score)[:80], remedy)
        if not isinstance(self.correction, NoiseCorrection | None):
            remedy = "write NoiseCorrection(centres, width)"
            raise InputError("correction must be a NoiseCorrection or None", repr(self.correction)[:80], remedy)
        known = self.anchors
        if known is not None and self.correction is not None and self.correction.centres.shape[1] != known.shape[1]:
            rule = f"centres must have the {known.shape[1]} coordinates of the anchors"
            raise ShapeError(rule, f"{self.correction.centres.shape[1]} of them", "choose centres among the designs")
        object.__setattr__(self, "scale", as_positive("scale", self.scale))
        object.__setattr__(self, "strength", as_non_negative("strength", self.strength))
        as_positive(f"the noise floor, {FLOOR:g} of scale,", self.floor)

    @classmethod
    def from_anchors(
        cls,
        anchors: npt.ArrayLike,
        bandwidth: float | Literal["loo"] = "loo",
        bounds: tuple[float, float] = (1.0, 2.0),
        scale: float = 1.0,
        *,
        normalised: bool = False,
        profile: str | Profile = "gaussian",
        metric: MetricLike = "euclidean",
    ) -> "NoiseMap":
        """Create the paper's map: ``noise = scale * exp(-q)`` with q the density of the anchors (eq. kde).

        Parameters
        ----------
        anchors
            Designs the user knows well, (n, d); they need not lie in the unit cube.
        bandwidth
            Width h of the kernel, or "loo" to choose it by leave-one-out within ``bounds``.
        bounds
            Smallest and largest bandwidth. With h >= 1 and k(0) = 1 the noise stays in [scale/e, scale].
        scale
            Noise a where q = 0.
        normalised
            Whether the Gaussian profile has the factor (2 pi)^(-d/2) of a density, instead of k(0) = 1.
        profile
            "gaussian", "gaussian-density", "unit-gaussian" (exp(-pi r^2)) or a `Profile`.
        metric
            "euclidean", "tanimoto", "hamming", a `Metric`, or a function (X, Y) -> (n, m). Only the Euclidean
            metric has a gradient; the others have d = 1, unless a `Metric` defines another d.
        """
        points, kernel, distance = as_anchors(anchors), as_profile(profile, normalised), as_metric(metric)
        h = _resolve_bandwidth(bandwidth, points, as_bounds(bounds), kernel, distance)
        return cls(DensityReliability(points, h, kernel, distance), scale)

    @classmethod
    def bounded(
        cls,
        anchors: npt.ArrayLike,
        bandwidth: float | npt.ArrayLike | Literal["loo", "loo-per-dimension"] = "loo",
        bounds: tuple[float, float] | None = None,
        scale: float = 1.0,
        strength: float = 3.0,
        *,
        metric: MetricLike = "euclidean",
        negative: npt.ArrayLike | None = None,
        adaptive: bool = False,
    ) -> "NoiseMap":
        """Create a map for practical use: ``noise = scale * exp(-strength * q)`` with q in [0, 1], 1 at every anchor.

        With negative anchors q = q+ - q- is in [-1, 1], see `SignedReliability`.

        Parameters
        ----------
        anchors
            Designs the user knows well, (n, d); they need not lie in the unit cube. There may be none if there are
            negative anchors.
        bandwidth
            Width h of an anchor's neighbourhood, or "loo" to choose it by leave-one-out within ``bounds``. The
            leave-one-out score uses the anchors' Gaussian density with its factor 1/h^d, which q does not have.
            An array, (d,), gives each dimension its own width. "loo-per-dimension" chooses their ratios, see
            `loo_bandwidths`, about the bandwidth of "loo", which is their geometric mean. Both need a Euclidean metric.
        bounds
            Smallest and largest bandwidth. By default those of the metric (`Metric.default_bandwidths`): for the
            Euclidean one (0.1 sqrt(d), 0.2 sqrt(d)), a tenth to a fifth of the diagonal of the unit cube; for
            fingerprints (0.2, 0.3). With much larger values a few anchors would cover the whole space.
        scale
            Noise a far from every anchor.
        strength
            The noise at an anchor is ``scale * exp(-strength)``. The default, 3, is a twentieth of the scale.
        metric
            As in `from_anchors`.
        negative
            Designs the user cannot judge, (k, d), with the bandwidth and the metric of the anchors. The noise at one
            that is far from the anchors is ``scale * exp(strength)``. Leave-one-out uses them only if there are no
            anchors.
        adaptive
            Whether the bandwidth of an anchor is narrower where anchors are dense and wider where they are sparse, see
            `local_factors`.
        """
        good, poor = _split_anchors(anchors, negative)
        points, distance = good if poor is None or len(good) else poor, as_metric(metric)
        h, distance = _resolve_bandwidths(bandwidth, points, bounds, distance)

        def vouch(marked: Array) -> BoundedReliability:
            return BoundedReliability(marked, h, distance, local_factors(marked, h, distance) if adaptive else None)

        if poor is None:
            return cls(vouch(good), scale, strength)
        return cls(SignedReliability(vouch(good) if len(good) else None, vouch(poor)), scale, strength)

    @classmethod
    def constant(cls, variance: float) -> "NoiseMap":
        """Create the homoscedastic map: the same noise everywhere, in any number of dimensions."""
        return cls(ConstantReliability(), as_positive("variance", variance))

    @property
    def anchors(self) -> Array | None:
        """Designs the user knows well, (n, d), read-only; ``None`` for a constant map.

        n is 0 if the map has only negative anchors.
        """
        return self.score.anchors

    @property
    def negative(self) -> Array | None:
        """Designs the user cannot judge, (k, d), read-only; ``None`` without negative anchors."""
        return self.score.negative

    @property
    def bandwidth(self) -> float | None:
        """Bandwidth h; ``None`` for a constant map.

        With a bandwidth per dimension it is their geometric mean, see `bandwidths`.
        """
        return self.score.bandwidth

    @property
    def bandwidths(self) -> Array | None:
        """Bandwidth of each dimension, (d,): h times the length-scales of a Euclidean metric.

        ``None`` for a constant map and for other metrics. Local bandwidths multiply all dimensions of an anchor by one
        factor, which is not included.
        """
        score = self.score.poor if isinstance(self.score, SignedReliability) else self.score
        if not isinstance(score, BoundedReliability | DensityReliability):
            return None
        columns = score.anchors.shape[1]
        return score.bandwidth * score.metric.scales(columns) if isinstance(score.metric, EuclideanMetric) else None

    @property
    def strength_matters(self) -> bool:
        """Whether the noise varies with the strength; false for a constant map and for strength 0."""
        return self.anchors is not None and self.strength > 0

    @property
    def floor(self) -> float:
        """Smallest noise that this map returns."""
        return FLOOR * self.scale

    def reliability(self, X: npt.ArrayLike) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        return self.score.value(self._points(X))

    def __call__(self, X: npt.ArrayLike) -> Array:
        """Return the noise, (n,), at the rows of X, (n, d)."""
        return self.values(self._points(X))

    def gradient(self, X: npt.ArrayLike) -> Array:
        """Return the gradient of the noise in x, (n, d)."""
        return self.value_and_gradient(X)[1]

    def value_and_gradient(self, X: npt.ArrayLike) -> tuple[Array, Array]:
        """Return the noise, (n,), and its gradient in x, (n, d), which is 0 where a limit binds."""
        return self.slopes(self._points(X))

    def values(self, X: Array) -> Array:
        """Return the noise, (n,), at X, (n, d), without validating X."""
        return self._noise(self.score.value(X), X)[0]

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the noise, (n,), and its gradient, (n, d), without validating X."""
        reliability, slope = self.score.value_and_gradient(X)
        noise, free = self._noise(reliability, X)
        of_exponent = -self.strength * slope
        if self.correction is not None:
            of_exponent += self.correction.value_and_gradient(X)[1]
        return noise, (noise * free)[:, None] * of_exponent

    # -- hyper-parameters ----------------------------------------------------------------------------------------------

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the hyper-parameters: scale, strength if it matters, and the factors of the correction."""
        strength = ("strength",) if self.strength_matters else ()
        return "scale", *strength, *(f"factor[{j}]" for j in range(self._count_factors()))

    @property
    def log_parameters(self) -> Array:
        """Logarithms of the hyper-parameters, in the order of their names."""
        numbers = [self.scale, *([self.strength] if self.strength_matters else [])]
        return np.log(numbers) if self.correction is None else np.append(np.log(numbers), self.correction.weights)

    def with_log_parameters(self, log_parameters: Array) -> "NoiseMap":
        """Return a copy with these hyper-parameters, given as logarithms, and the same reliability and centres."""
        numbers = np.exp(log_parameters)
        own = len(numbers) - self._count_factors()
        scale, strength = float(numbers[0]), float(numbers[1]) if self.strength_matters else None
        return self.with_parameters(scale, strength, numbers[own:] if self.correction is not None else None)

    def log_parameter_gradients(self, X: npt.ArrayLike) -> dict[str, Array]:
        """Return the derivatives of the noise, (n,) each, in the logarithms of its hyper-parameters, by name.

        There is one for "scale", one for "strength" unless the map is constant, and one for each "factor[j]".
        """
        X = self._points(X)
        reliability = self.score.value(X)
        noise, free = self._noise(reliability, X)
        gradients = {"scale": noise}
        if not isinstance(self.score, ConstantReliability):
            gradients["strength"] = -self.strength * reliability * noise * free
        if self.correction is not None:
            features = (noise * free)[:, None] * self.correction.features(X)
            gradients |= {f"factor[{j}]": features[:, j] for j in range(features.shape[1])}
        return gradients

    def with_parameters(
        self, scale: float | None = None, strength: float | None = None, factors: npt.ArrayLike | None = None
    ) -> "NoiseMap":
        """Return a copy with another scale, strength or factors, and the same reliability, including its bandwidth."""
        if strength is not None and isinstance(self.score, ConstantReliability):
            rule = "a constant map has a scale but no strength"
            raise UnsupportedError(rule, f"strength={strength!r}", "use NoiseMap.bounded")
        if factors is not None and self.correction is None:
            rule = "only a map with a correction has factors"
            raise UnsupportedError(rule, f"factors={factors!r}", "use with_correction first")
        correction = self.correction
        if correction is not None and factors is not None:
            correction = correction.with_factors(np.asarray(factors, dtype=np.float64))
        return replace(
            self,
            scale=self.scale if scale is None else scale,
            strength=self.strength if strength is None else strength,
            correction=correction,
        )

    def with_correction(self, correction: NoiseCorrection | None) -> "NoiseMap":
        """Return a copy with another correction of the logarithm of the noise, or without one."""
        return replace(self, correction=correction)

    def _count_factors(self) -> int:
        return 0 if self.correction is None else len(self.correction.centres)

    def __repr__(self) -> str:
        numbers = {name: f"{value:.6g}" for name, value in self._numbers().items()}
        parts = [f"{name}={text}" for name, text in numbers.items()]
        return f"NoiseMap({', '.join([f'kind={self._kind!r}', *parts])})"

    def _repr_html_(self) -> str:
        from anchorpbo.html import facts, sheet

        return sheet("NoiseMap", facts({"kind": self._kind, **self._numbers()}))

    @property
    def _kind(self) -> str:
        return type(self.score).__name__.removesuffix("Reliability").lower()

    def _numbers(self) -> dict[str, float]:
        """Return the parameters of this map by name; parameters that are ``None`` are omitted."""
        numbers = {
            "anchors": None if self.anchors is None else len(self.anchors),
            "negative": None if self.negative is None else len(self.negative),
            "bandwidth": self.bandwidth,
            "scale": self.scale,
            "strength": None if isinstance(self.score, ConstantReliability) else self.strength,
            "centres": self._count_factors() or None,
        }
        return {name: value for name, value in numbers.items() if value is not None}

    def _points(self, X: npt.ArrayLike) -> Array:
        known = self.anchors
        if known is None and self.correction is not None:
            known = self.correction.centres
        return as_points("X", X, None if known is None else known.shape[1])

    def _noise(self, reliability: Array, X: Array) -> tuple[Array, BoolArray]:
        """Return the noise, (n,), and whether it is between its limits, (n,)."""
        exponents = -self.strength * reliability
        if self.correction is not None:
            exponents += self.correction.value(X)
        fraction = np.exp(np.minimum(exponents, MAX_EXPONENT))
        return self.scale * np.maximum(fraction, FLOOR), (fraction > FLOOR) & (exponents < MAX_EXPONENT)


def _split_anchors(anchors: npt.ArrayLike, negative: npt.ArrayLike | None) -> tuple[Array, Array | None]:
    """Return anchors, (n, d), and negative anchors, (k, d), or ``None`` if there are none; n is 0 only if k is not."""
    if negative is None or as_floats("negative", negative).size == 0:
        return as_anchors(anchors), None
    poor = as_anchors(negative, "negative")
    if as_floats("anchors", anchors).size == 0:
        return np.empty((0, poor.shape[1])), poor
    good = as_anchors(anchors)
    check_columns(good, poor)
    return good, poor


def _resolve_bandwidths(
    bandwidth: float | str | npt.ArrayLike, anchors: Array, bounds: tuple[float, float] | None, metric: Metric
) -> tuple[float, Metric]:
    """Return the bandwidth of a bounded map and its metric, whose length-scales are changed if each dimension has one.

    The bandwidth is then the geometric mean. Leave-one-out chooses the ratios of the dimensions, about the one
    bandwidth that it chooses for all of them: the bandwidths of a density without limits would be too narrow for the
    neighbourhood that anchors vouch for (decision 47).
    """
    d = anchors.shape[1]
    if not isinstance(bandwidth, str) and np.ndim(bandwidth) > 0:
        widths = as_vector("bandwidth", bandwidth)
        if len(widths) != d:
            raise ShapeError(f"bandwidth must be one number or {d}, one per dimension", widths.shape, "give one number")
        for width in widths.tolist():
            as_bandwidth(width)
        widths = widths / as_euclidean(metric).scales(d)
        h = float(widths[0]) if (widths == widths[0]).all() else float(np.exp(np.log(widths).mean()))
        return h, _stretch(as_euclidean(metric), widths / h)
    per_dimension = bandwidth == "loo-per-dimension"
    limits = as_bounds(metric.default_bandwidths(d) if bounds is None else bounds)
    given = "loo" if per_dimension else cast("float | str", bandwidth)
    h = _resolve_bandwidth(given, anchors, limits, GaussianDensity(), metric, metric.loo_dimension(d))
    if not per_dimension:
        return h, metric
    widths = loo_bandwidths(anchors, None if bounds is None else limits, metric)
    equal = (widths == widths[0]).all()
    return h, metric if equal else _stretch(as_euclidean(metric), widths / np.exp(np.log(widths).mean()))


def _stretch(metric: EuclideanMetric, ratios: Array) -> EuclideanMetric:
    """Return a metric whose length-scales are multiplied by ratios, (d,); the metric itself if all of them are 1."""
    if (ratios == 1.0).all():
        return metric
    return EuclideanMetric(metric.categorical, tuple((ratios * metric.scales(len(ratios))).tolist()))


def _resolve_bandwidth(
    bandwidth: float | str,
    anchors: Array,
    bounds: tuple[float, float],
    profile: Profile,
    metric: Metric,
    dimension: float | None = None,
) -> float:
    """Return the bandwidth if it is a number; choose it by leave-one-out if it is "loo"."""
    if not isinstance(bandwidth, str):
        return as_bandwidth(bandwidth)
    if bandwidth != "loo":
        rule = "bandwidth must be a number above 0 or 'loo', or 'loo-per-dimension' in a bounded map"
        raise UnknownNameError(rule, repr(bandwidth), "check the spelling")
    return loo_bandwidth(anchors, bounds, profile, metric, dimension)
