"""Comparison of noise maps on the same answers: an anchored noise against a constant one.

Symbols: c the strength of the bounded map, E(c) the largest log posterior density of the other hyper-parameters at c
(Laplace evidence plus log-priors), E_0 that of constant noise; c_1 to c_8 the quantiles 1/16, 3/16, ... of c's prior.

    log Bayes factor of a fixed map     E - E_0
    of the learnt strength              log mean_k exp(E(c_k) - E_0): the prior of c is integrated out

Both models have the same other hyper-parameters with the same priors, of which each takes the mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp, ndtri

from anchorpbo.duels import Duels
from anchorpbo.kernels import RBF, Hamming, Kernel
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.model.priors import LogNormal, make_default_specs
from anchorpbo.numerics.validation import freeze
from anchorpbo.reliability import NoiseMap
from anchorpbo.reliability.metric import EuclideanMetric, Metric, ProductMetric
from anchorpbo.typing import Array, IntArray

CONSTANT, MATCHED = "constant", "matched"
STRENGTH_PRIOR = make_default_specs(1, 1.0)["noise_strength"].prior or LogNormal(2.0, 0.8)
"""Prior of the strength."""
_NODES = 8
STRENGTH_NODES: Array = freeze(
    STRENGTH_PRIOR.median * np.exp(STRENGTH_PRIOR.spread * ndtri((np.arange(_NODES) + 0.5) / _NODES))
)
"""Strengths c_k at which the evidence is computed."""
DEFAULT_STRENGTH = 3.0
_KIND_LENGTH = 0.05
"""Length-scale at which two kinds have a correlation of exp(-20): a utility of its own for each kind."""


@dataclass(frozen=True, eq=False)
class DesignModel:
    """Designs with the kernel of their utility and the metric of their noise map."""

    points: Array
    """Coordinates, (n, d)."""
    kernel: Kernel
    """Kernel at which fits start."""
    metric: Metric
    learn: Mapping[str, Learn | None] = field(default_factory=lambda: {"lengthscale": None, "outputscale": None})
    """Hyper-parameters to learn."""

    @classmethod
    def of_coordinates(cls, points: Array) -> DesignModel:
        """Return designs whose utility is a smooth function of their coordinates."""
        return cls(points, RBF(0.3), EuclideanMetric())

    @classmethod
    def of_kinds(cls, points: Array) -> DesignModel:
        """Return designs whose utility is a smooth function of their coordinates plus an independent part for each.

        So a lack of fit of the smooth function need not be explained by noise. The last coordinate is the row number.
        """
        n, d = points.shape
        columns = tuple(range(d))
        numbered = np.column_stack([points, np.arange(n) / n])
        kernel = RBF(0.3).on(columns) + Hamming(_KIND_LENGTH).on((d,))
        own = Learn((1e-3, 1e3), LogNormal(1.0, 1.5))
        learn = {"left.lengthscale": None, "left.outputscale": None, "right.outputscale": own}
        return cls(numbered, kernel, ProductMetric(((EuclideanMetric(), columns),)), learn)


@dataclass(frozen=True)
class MapModel:
    """A noise map to compare."""

    title: str
    """Name in tables."""
    make: Callable[[Array, Metric, Array], NoiseMap]
    """Make the map from anchors, (n, d), a metric, and all designs, (m, d)."""
    learns_strength: bool = False


def _make_bounded(anchors: Array, metric: Metric, points: Array) -> NoiseMap:
    return NoiseMap.bounded(anchors, strength=DEFAULT_STRENGTH, metric=metric)


def _make_matched(anchors: Array, metric: Metric, points: Array) -> NoiseMap:
    return NoiseMap.constant(float(_make_bounded(anchors, metric, points)(points).mean()))


MAP_MODELS: Mapping[str, MapModel] = {
    CONSTANT: MapModel("Constant", lambda *_: NoiseMap.constant(1.0)),
    "bounded": MapModel("Bounded, strength 3", _make_bounded),
    "learnt": MapModel("Bounded, learnt strength", _make_bounded, True),
    "paper": MapModel("Paper", lambda anchors, metric, _: NoiseMap.from_anchors(anchors, metric=metric)),
    MATCHED: MapModel("Constant, lower", _make_matched),
}
"""Noise maps by name, in the order of tables; `CONSTANT` is the one that the others are compared with.

`MATCHED` is constant, with the mean of the bounded map over all designs: anchors lower the noise on the whole, and few
answers do not correct a level that is too high. What the bounded map gains beyond it comes from the anchors' places.
"""
MANY_ANSWERS = tuple(name for name in MAP_MODELS if name != MATCHED)
"""Noise maps to compare if the answers determine the output scale, and so the level of the noise."""


@dataclass(frozen=True, eq=False)
class MapResult:
    """Fit of a noise map to the answers told, and its predictions."""

    name: str
    p: Array
    """Probabilities of the answers asked, (n,)."""
    strength: float
    """Strength of the map; 0 for constant noise."""
    log_bayes_factor: float
    """Log Bayes factor against constant noise, from the answers told."""
    profile: Array
    """E(c_k) - E_0 at the `STRENGTH_NODES`, (nodes,); empty unless the strength is learnt."""


def compare_maps(
    designs: DesignModel,
    anchors: IntArray,
    told: tuple[IntArray, IntArray],
    asked: tuple[IntArray, IntArray],
    names: Sequence[str] = MANY_ANSWERS,
) -> list[MapResult]:
    """Return the results of noise maps that learn from the same answers and predict the same others.

    Parameters
    ----------
    designs
        Designs and their model.
    anchors
        Rows of the designs that are anchors.
    told
        Rows of winners and losers to learn from, (m,) each.
    asked
        Rows of winners and losers to predict, (n,) each.
    names
        Names of `MAP_MODELS`.
    """
    # The rows are designs of a list, whose coordinates may be codes of categories.
    duels = Duels(designs.points, *told, bounds=None)
    X, Y = (designs.points[rows] for rows in asked)
    constant = fit_map(designs, CONSTANT, anchors, duels)
    results = []
    for name in names:
        model = constant if name == CONSTANT else fit_map(designs, name, anchors, duels)
        profile = (
            profile_strength(designs, anchors, duels, constant) if MAP_MODELS[name].learns_strength else np.empty(0)
        )
        factor = model.fit_info.objective - constant.fit_info.objective
        if len(profile):
            factor = integrate_profile(profile)
        strength = model.noise.strength if model.noise.strength_matters else 0.0
        results.append(MapResult(name, model.prob_choose(X, Y), strength, float(factor), profile))
    return results


def fit_map(designs: DesignModel, name: str, anchors: IntArray, duels: Duels) -> PreferenceGP:
    """Return the model with a noise map of `MAP_MODELS`, fitted to duels."""
    spec = MAP_MODELS[name]
    noise = spec.make(designs.points[anchors], designs.metric, designs.points)
    learn = {**designs.learn, **({"noise_strength": None} if spec.learns_strength else {})}
    return PreferenceGP(designs.kernel, noise=noise, inference="ep", learn=learn).fit(duels)


def profile_strength(designs: DesignModel, anchors: IntArray, duels: Duels, constant: PreferenceGP) -> Array:
    """Return E(c_k) - E_0, (nodes,); each fit starts at the hyper-parameters of the one before."""
    noise, kernel, found = _make_bounded(designs.points[anchors], designs.metric, designs.points), constant.kernel, []
    for strength in STRENGTH_NODES.tolist():
        at = noise.with_parameters(strength=strength)
        model = PreferenceGP(kernel, noise=at, inference="laplace", learn=designs.learn, starts=1).fit(duels)
        kernel = model.kernel
        found.append(model.fit_info.objective - constant.fit_info.objective)
    return np.array(found)


def integrate_profile(profile: Array) -> float:
    """Return the log Bayes factor of the learnt strength: the log mean of exp(E(c_k) - E_0)."""
    return float(logsumexp(profile) - np.log(len(profile)))
