"""Noise rules: how a study makes a noise map from its anchors, and whether the map learns from the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.model import Learn, LogNormal, SkipEvidence
from anchorpbo.numerics.validation import as_integer, as_non_negative, as_positive
from anchorpbo.reliability import GaussianDensity, Metric, NoiseCorrection, NoiseMap, loo_bandwidth, select_centres
from anchorpbo.reliability.metric import diagonal_bandwidths
from anchorpbo.typing import Array

NOISE_METRICS = ("space", "learnt")
DEFAULT_BOUNDS = ("metric", "diagonal")


class NoiseRule(ABC):
    """Abstract rule that creates a noise map from anchors; immutable."""

    @property
    def learns_metric(self) -> bool:
        """Whether the metric of the map has the length-scales of the fitted kernel."""
        return False

    @property
    def corrects(self) -> bool:
        """Whether the noise map has a correction, at the centres of `select_centres`, that a fit learns."""
        return False

    def select_centres(self, designs: Array, counts: Array, metric: Metric) -> Array | None:
        """Return the centres, (r, d), among designs compared, (n, d), with their numbers of answers, (n,)."""
        return None

    def correct(self, noise: NoiseMap, centres: Array, metric: Metric) -> NoiseMap:
        """Return the noise map with a correction at these centres, (r, d), whose factors are 1."""
        return noise

    @property
    def learn(self) -> dict[str, Learn | None]:
        """Hyper-parameters of the noise map to learn, beside those of the plan."""
        return {}

    def weigh_skips(self, answered: Array, skipped: Array) -> SkipEvidence | None:
        """Return the evidence of questions that were answered, (a, 2, d), and skipped, (s, 2, d), for the noise map."""
        return None

    @abstractmethod
    def __call__(self, anchors: Array, metric: Metric, negative: Array | None = None) -> NoiseMap:
        """Return the noise map of anchors, (n, d), under the metric of their space.

        `negative` has the designs that the user cannot judge well, (k, d). It is passed only if there are any, so that
        rules without this argument work until a design is marked as hard to judge.
        """

    def __post_init__(self) -> None:
        # The digest of a study is computed from text, in which 1 and 1.0 differ.
        for name, value in vars(self).items():
            if isinstance(value, int) and not isinstance(value, bool):
                object.__setattr__(self, name, float(value))


@dataclass(frozen=True)
class ConstantNoise(NoiseRule):
    """The same noise everywhere, regardless of anchors and negative anchors."""

    scale: float = 1.0

    def __call__(self, anchors: Array, metric: Metric, negative: Array | None = None) -> NoiseMap:
        """Return a constant map."""
        return NoiseMap.constant(as_positive("scale", self.scale))


@dataclass(frozen=True)
class PaperNoise(NoiseRule):
    """The paper's noise map, by default with a = 1 and h in [1, 2] by leave-one-out; it ignores negative anchors."""

    scale: float = 1.0
    bandwidth: float | Literal["loo"] = "loo"
    profile: str = "gaussian"

    def __call__(self, anchors: Array, metric: Metric, negative: Array | None = None) -> NoiseMap:
        """Return the paper's map; constant without anchors."""
        if not len(anchors):
            return NoiseMap.constant(self.scale)
        return NoiseMap.from_anchors(anchors, self.bandwidth, scale=self.scale, profile=self.profile, metric=metric)


@dataclass(frozen=True)
class BoundedNoise(NoiseRule):
    """The noise map for real use, see `NoiseMap.bounded`."""

    scale: float = 1.0
    strength: float = 3.0
    bandwidth: float | Literal["loo", "loo-per-dimension"] = "loo"
    adaptive: bool = False
    """Whether the bandwidth of an anchor is narrower where anchors are dense and wider where they are sparse."""
    metric: Literal["space", "learnt"] = "space"
    """Distance between designs: that of the space, or in units of the fitted length-scales of the kernel."""
    default_bounds: Literal["metric", "diagonal"] = "diagonal"
    """Bounds of the bandwidth that leave-one-out chooses. ``"metric"``: `Metric.default_bandwidths`, with the dimension
    `Metric.loo_dimension`, as in `NoiseMap.bounded`. ``"diagonal"``: a tenth to a fifth of the diagonal of the unit
    cube, with the dimension `Metric.dimension`, as in older releases. The two differ only in spaces with fingerprints,
    where the presets use ``"metric"``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        as_positive("scale", self.scale)
        as_non_negative("strength", self.strength)
        if self.metric not in NOISE_METRICS:
            raise UnknownNameError.of("metric", self.metric, NOISE_METRICS)
        if self.default_bounds not in DEFAULT_BOUNDS:
            raise UnknownNameError.of("default_bounds", self.default_bounds, DEFAULT_BOUNDS)

    @property
    def learns_metric(self) -> bool:
        """Whether the metric of the map has the length-scales of the fitted kernel."""
        return self.metric == "learnt"

    def __call__(self, anchors: Array, metric: Metric, negative: Array | None = None) -> NoiseMap:
        """Return the bounded map; constant without anchors and negative anchors."""
        if not len(anchors) and (negative is None or not len(negative)):
            return NoiseMap.constant(self.scale)
        bandwidth = self.bandwidth
        if bandwidth == "loo" and self.default_bounds == "diagonal":
            points = anchors if len(anchors) or negative is None else negative
            bounds = diagonal_bandwidths(metric.dimension(points.shape[1]))
            bandwidth = loo_bandwidth(points, bounds, GaussianDensity(), metric)
        return NoiseMap.bounded(
            anchors,
            bandwidth,
            scale=self.scale,
            strength=self.strength,
            metric=metric,
            negative=negative,
            adaptive=self.adaptive,
        )


@dataclass(frozen=True)
class LearntNoise(NoiseRule):
    """A noise map that learns from the answers; the map of another rule is its prior.

    The logarithm of the noise is that of the prior's map, whose strength c is learnt, plus a Gaussian process of low
    rank (`anchorpbo.reliability.correction`). Both are fitted with the other hyper-parameters by the evidence of the
    answers. So anchors that the answers contradict lose their effect, and without anchors the map starts constant.
    """

    prior: NoiseRule = field(default_factory=partial(BoundedNoise, strength=0.5))
    """Rule of the prior's map. The default has a low strength, which answers that support the anchors raise."""
    rank: int = 6
    """Largest number of centres, and so of learnt factors; 0 learns the strength only."""
    spread: float = 0.5
    """Prior standard deviation of the logarithm of the noise about the map of the anchors."""
    strength_spread: float = 1.0
    """Prior standard deviation of the logarithm of the strength; its median is the prior's strength."""
    width: float = 0.3
    """Width of the Gaussian process, times the square root of the dimension of the metric."""
    skip_weight: float = 1.0
    """Increase of the log odds of a skip when the noise is e times as large (`anchorpbo.model.skips`); 0 ignores
    skips."""

    def __post_init__(self) -> None:
        if not isinstance(self.prior, NoiseRule) or isinstance(self.prior, LearntNoise):
            raise InputError("prior must be another NoiseRule", repr(self.prior), "use BoundedNoise()")
        object.__setattr__(self, "rank", as_integer("rank", self.rank, 0))
        for name in ("spread", "strength_spread", "width"):
            object.__setattr__(self, name, as_positive(name, getattr(self, name)))
        object.__setattr__(self, "skip_weight", as_non_negative("skip_weight", self.skip_weight))

    def __call__(self, anchors: Array, metric: Metric, negative: Array | None = None) -> NoiseMap:
        """Return the prior's map."""
        return self.prior(anchors, metric) if negative is None else self.prior(anchors, metric, negative)

    @property
    def learns_metric(self) -> bool:
        """Whether the prior's map has a learnt metric."""
        return self.prior.learns_metric

    @property
    def corrects(self) -> bool:
        """Whether the rank is above 0."""
        return self.rank > 0

    def select_centres(self, designs: Array, counts: Array, metric: Metric) -> Array | None:
        """Return centres with many answers, apart from each other, see `anchorpbo.reliability.select_centres`."""
        width = self._find_width(metric, designs.shape[1])
        return select_centres(designs, counts, self.rank, width, metric) if self.corrects else None

    def correct(self, noise: NoiseMap, centres: Array, metric: Metric) -> NoiseMap:
        """Return the noise map with a correction at these centres, (r, d), whose factors are 1."""
        return noise.with_correction(NoiseCorrection(centres, self._find_width(metric, centres.shape[1]), metric))

    def weigh_skips(self, answered: Array, skipped: Array) -> SkipEvidence | None:
        """Return the evidence of skipped questions; ``None`` if there are none or they are ignored."""
        return SkipEvidence(answered, skipped, self.skip_weight) if self.skip_weight and len(skipped) else None

    def _find_width(self, metric: Metric, dimension: int) -> float:
        return self.width * float(np.sqrt(metric.dimension(dimension)))

    @property
    def learn(self) -> dict[str, Learn | None]:
        """The strength, with a prior about that of the prior's map, and the factors of the correction.

        A rule without a field ``strength`` is taken to have the paper's, 1. A strength of 0 stays 0.
        """
        strength = float(getattr(self.prior, "strength", 1.0))
        factor = {"noise_factor": Learn((0.01, 100.0), LogNormal(1.0, self.spread))}
        if not strength:
            return {**factor}
        bounds = min(0.01, 0.1 * strength), max(13.0, 2.0 * strength)
        return {"noise_strength": Learn(bounds, LogNormal(strength, self.strength_spread)), **factor}
