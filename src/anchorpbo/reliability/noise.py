"""The noise map: how noisy a comparison is at each design (eq. general-noise, eq. general-logistic-noise).

::

    a            scale: the noise where q = 0, far from all anchors
    c            strength: 1 in the paper, where the noise varies by a factor of at most e if q <= 1
    q(x)         reliability
    noise(x) = max(a exp(-c q(x)), 1e-6 a)
    dnoise/dx = -c noise dq/dx            0 where the floor binds
    dnoise/dlog a = noise
    dnoise/dlog c = -c q noise            0 where the floor binds

The noise is the variance sigma^2_eps for a probit model and the level lambda for a logistic one. The floor, 1e-6
times the scale, keeps the row of every duel finite.
"""

from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, UnknownNameError, UnsupportedError
from anchorpbo.numerics.validation import as_non_negative, as_points, as_positive
from anchorpbo.reliability.bandwidth import loo_bandwidth
from anchorpbo.reliability.base import ConstantReliability, Reliability, as_anchors, as_bandwidth, as_bounds
from anchorpbo.reliability.bounded import BoundedReliability
from anchorpbo.reliability.density import DensityReliability
from anchorpbo.reliability.metric import Metric, MetricLike, as_metric
from anchorpbo.reliability.profile import GaussianDensity, Profile, as_profile
from anchorpbo.typing import Array, BoolArray

FLOOR = 1e-6
"""Smallest noise, as a fraction of the scale."""


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

    Examples
    --------
    >>> noise = NoiseMap.bounded([[0.2, 0.2], [0.3, 0.1]], bandwidth=0.2, scale=1.0, strength=3.0)
    >>> noise([[0.2, 0.2], [0.4, 0.4], [0.9, 0.9]]).round(2)
    array([0.05, 0.19, 1.  ])
    """

    score: Reliability
    scale: float = 1.0
    strength: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.score, Reliability):
            remedy = "use NoiseMap.from_anchors, bounded or constant"
            raise InputError("score must be a Reliability", repr(self.score)[:80], remedy)
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
        bandwidth: float | Literal["loo"] = "loo",
        bounds: tuple[float, float] | None = None,
        scale: float = 1.0,
        strength: float = 3.0,
        *,
        metric: MetricLike = "euclidean",
    ) -> "NoiseMap":
        """Create a map for practical use: ``noise = scale * exp(-strength * q)`` with q in [0, 1], 1 at every anchor.

        Parameters
        ----------
        anchors
            Designs the user knows well, (n, d); they need not lie in the unit cube.
        bandwidth
            Width h of an anchor's neighbourhood, or "loo" to choose it by leave-one-out within ``bounds``. The
            leave-one-out score uses the anchors' Gaussian density with its factor 1/h^d, which q does not have.
        bounds
            Smallest and largest bandwidth. By default (0.1 sqrt(d), 0.2 sqrt(d)) with the metric's d: a tenth to
            a fifth of the diagonal of the unit cube. With much larger values a few anchors would cover the whole cube.
        scale
            Noise a far from every anchor.
        strength
            The noise at an anchor is ``scale * exp(-strength)``. The default, 3, is a twentieth of the scale.
        metric
            As in `from_anchors`.
        """
        points, distance = as_anchors(anchors), as_metric(metric)
        if bounds is None:
            diagonal = float(np.sqrt(distance.dimension(points.shape[1])))
            bounds = (0.1 * diagonal, 0.2 * diagonal)
        h = _resolve_bandwidth(bandwidth, points, as_bounds(bounds), GaussianDensity(), distance)
        return cls(BoundedReliability(points, h, distance), scale, strength)

    @classmethod
    def constant(cls, variance: float) -> "NoiseMap":
        """Create the homoscedastic map: the same noise everywhere, in any number of dimensions."""
        return cls(ConstantReliability(), as_positive("variance", variance))

    @property
    def anchors(self) -> Array | None:
        """Designs the user knows well, (n, d), read-only; ``None`` for a constant map."""
        return self.score.anchors

    @property
    def bandwidth(self) -> float | None:
        """Bandwidth h; ``None`` for a constant map."""
        return self.score.bandwidth

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
        """Return the noise, (n,), and its gradient in x, (n, d), which is 0 where the floor binds."""
        return self.slopes(self._points(X))

    def values(self, X: Array) -> Array:
        """Return the noise, (n,), at X, (n, d), without validating X."""
        return self._noise(self.score.value(X))[0]

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the noise, (n,), and its gradient, (n, d), without validating X."""
        reliability, slope = self.score.value_and_gradient(X)
        noise, free = self._noise(reliability)
        return noise, (-self.strength * noise * free)[:, None] * slope

    def log_parameter_gradients(self, X: npt.ArrayLike) -> dict[str, Array]:
        """Return the derivatives of the noise, (n,) each, in log "scale" and, unless constant, log "strength"."""
        reliability = self.reliability(X)
        noise, free = self._noise(reliability)
        if isinstance(self.score, ConstantReliability):
            return {"scale": noise}
        return {"scale": noise, "strength": -self.strength * reliability * noise * free}

    def with_parameters(self, scale: float | None = None, strength: float | None = None) -> "NoiseMap":
        """Return a copy with another scale or strength and the same reliability, including its bandwidth."""
        if strength is not None and isinstance(self.score, ConstantReliability):
            rule = "a constant map has a scale but no strength"
            raise UnsupportedError(rule, f"strength={strength!r}", "use NoiseMap.bounded")
        return replace(
            self,
            scale=self.scale if scale is None else scale,
            strength=self.strength if strength is None else strength,
        )

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
            "bandwidth": self.bandwidth,
            "scale": self.scale,
            "strength": None if isinstance(self.score, ConstantReliability) else self.strength,
        }
        return {name: value for name, value in numbers.items() if value is not None}

    def _points(self, X: npt.ArrayLike) -> Array:
        return as_points("X", X, None if self.anchors is None else self.anchors.shape[1])

    def _noise(self, reliability: Array) -> tuple[Array, BoolArray]:
        """Return the noise, (n,), and whether it is above its floor, (n,)."""
        fraction = np.exp(-self.strength * reliability)
        return self.scale * np.maximum(fraction, FLOOR), fraction > FLOOR


def _resolve_bandwidth(
    bandwidth: float | str, anchors: Array, bounds: tuple[float, float], profile: Profile, metric: Metric
) -> float:
    """Return the bandwidth if it is a number; choose it by leave-one-out if it is "loo"."""
    if not isinstance(bandwidth, str):
        return as_bandwidth(bandwidth)
    if bandwidth != "loo":
        raise UnknownNameError("bandwidth must be a number above 0 or 'loo'", repr(bandwidth), "check the spelling")
    return loo_bandwidth(anchors, bounds, profile, metric)
