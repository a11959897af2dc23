"""Plans: how a study models its user and selects duels, with two presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from anchorpbo.acquisition import ACQUISITIONS as STRATEGIES
from anchorpbo.acquisition import EI, EUBO, UCB, Acquisition, DesignAcquisition, resolve_acquisition
from anchorpbo.errors import IncompatibleError, InputError, UnknownNameError
from anchorpbo.inference import EP, Hallucination, Inference, InferenceName, Laplace, resolve_inference
from anchorpbo.kernels import RBF, Kernel, Tanimoto
from anchorpbo.likelihoods import Likelihood, LikelihoodName, Logistic, Probit, resolve_likelihood
from anchorpbo.model import (
    MAP,
    IntegrationName,
    IntegrationRule,
    Learn,
    LogNormal,
    QuasiMonteCarlo,
    resolve_integration,
)
from anchorpbo.model.fitting import base_name
from anchorpbo.model.priors import LEARNABLE, make_default_specs
from anchorpbo.numerics.validation import as_integer, as_non_negative, as_share
from anchorpbo.reliability import EuclideanMetric, Metric, NoiseMap, ProductMetric, TanimotoMetric
from anchorpbo.space import DesignSpace
from anchorpbo.study.noise_basis import NoiseBasis
from anchorpbo.study.noise_rules import BoundedNoise, ConstantNoise, NoiseRule, PaperNoise
from anchorpbo.study.optimality import StoppingCalibration
from anchorpbo.typing import Array

PRESET_VERSIONS = {"default": 2, "paper": 1}
"""Latest version of each preset. A study keeps the version it was created with."""
DEFAULT_LENGTHSCALE = LogNormal(0.3, 0.45)
"""Prior of the length-scales of the default preset, in units of a parameter's range, for any number of parameters."""
DEFAULT_OUTPUTSCALE = LogNormal(3.0, 1.5)
"""Prior of the output scale of the default preset, in units of the noise variance of a duel."""
DEFAULT_CALIBRATION = StoppingCalibration(
    intercept=-0.74, margin_weight=0.6, signal_weight=0.5, answers_weight=0.14, slope=0.18
)
"""Calibration of the stopping rule of the default preset."""
RISK_AVERSE_STRATEGIES = ("anpei", "rahbo", "raeubo")
DEFAULT_RISK_AVERSION = 1.0
"""Risk aversion of the default preset, in utility per unit of noise; its utilities are in units of the noise."""
MAX_LENGTHSCALES = 20
"""Largest number of coordinates with a length-scale each; more coordinates share one."""


StartName = Literal["spread", "anchors"]
STARTS = ("spread", "anchors")


@dataclass(frozen=True)
class Plan:
    """All settings of a study, as objects."""

    acquisition: Acquisition
    kernel: Kernel
    likelihood: Likelihood
    inference: Inference
    noise: NoiseRule
    metric: Metric
    """Distance between designs, by which the noise map measures how near anchors are."""
    learn: Mapping[str, Learn | None]
    """Hyper-parameters to learn, of those the kernel has; ``None`` for the default bounds and prior."""
    initial: int
    """Number of duels spread over the space before the model selects."""
    refit_every: int | None
    """Number of duels between two fits; ``None`` for one duel at first and more and more later."""
    risk_weight: float
    """Cost of a unit of noise of a recommended design, in utility."""
    avoids_repeats: bool
    """Whether a recently answered duel is not asked again for a while."""
    integration: IntegrationRule = field(default_factory=MAP)
    """How the model integrates over its hyper-parameters."""
    recommends: Literal["seen", "space"] = "seen"
    """Designs that `recommend` chooses from by default: those compared, or any design of the space."""
    start: StartName = "spread"
    """First duels: between designs spread over the space, or a knockout among the anchors before those."""
    version: int = 1
    """Version of the preset."""
    repeat_rate: float = 0.0
    """Share of questions that repeat an earlier pair, see `anchorpbo.study.repeats`."""
    calibration: StoppingCalibration | None = None
    """Calibration of `Recommendation.p_within`, if it was measured with this plan."""

    def noise_map(self, anchors: Array, negative: Array | None = None, basis: NoiseBasis | None = None) -> NoiseMap:
        """Return the noise map of anchors, (n, d), and of designs that the user cannot judge well, (k, d).

        Parameters
        ----------
        basis
            Length-scales in units of which distances are measured, and centres at which the noise is corrected.
        """
        basis = NoiseBasis() if basis is None else basis
        metric = self.metric if basis.lengthscales is None else self.metric.with_lengthscales(basis.lengthscales)
        if negative is None or not len(negative):
            noise = self.noise(anchors, metric)
        else:
            noise = self.noise(anchors, metric, negative)
        return noise if basis.centres is None else self.noise.correct(noise, basis.centres, metric)

    @property
    def chooses_pairs(self) -> bool:
        """Whether both designs of a duel are selected, instead of one being the previous winner."""
        return not isinstance(self.acquisition, DesignAcquisition)

    def last_fit(self, duels: int) -> int:
        """Return how many of the duels so far the last fit of the hyper-parameters used."""
        if self.refit_every is not None:
            return duels - max(duels - self.initial, 0) % self.refit_every
        # Intervals of a tenth, every duel up to 20 and every fifteenth at 150: fits cost a constant share of the time.
        at = min(duels, 20)
        while at >= 20 and at + at // 10 <= duels:
            at += at // 10
        return at


def make_paper_plan(space: DesignSpace, strategy: str | Acquisition | None, baseline: str = "constant") -> Plan:
    """Return the plan of the paper (docs/reproduction.md)."""
    acquisition = resolve_acquisition("raeubo" if strategy is None else strategy)
    pairs = not isinstance(acquisition, DesignAcquisition)
    plain = isinstance(acquisition, EI | UCB | EUBO) and baseline == "constant"
    return Plan(
        acquisition=acquisition,
        kernel=_make_kernel(space, np.sqrt(0.1)),
        likelihood=Logistic(form="paper") if pairs and not acquisition.needs_probit else Probit(),
        inference=Laplace() if pairs else Hallucination(),
        noise=ConstantNoise() if plain else PaperNoise(),
        metric=_make_metric(space),
        learn={"lengthscale": Learn((0.1, 1.0))},
        initial=8,
        refit_every=10,
        risk_weight=10.0,
        avoids_repeats=False,
    )


def make_default_plan(
    space: DesignSpace, strategy: str | Acquisition | None, version: int = PRESET_VERSIONS["default"]
) -> Plan:
    """Return the plan for real use (docs/decisions/0041-default-preset.md; version 1: 0011-default-strategy.md)."""
    strategy = _DEFAULT_STRATEGIES[version] if strategy is None else strategy
    acquisition = resolve_acquisition(
        strategy, **({"risk_aversion": DEFAULT_RISK_AVERSION} if strategy in RISK_AVERSE_STRATEGIES else {})
    )
    d = space.dimension
    lengthscale = 0.25 * np.sqrt(d) if version == 1 else DEFAULT_LENGTHSCALE.median
    first = Plan(
        acquisition=acquisition,
        kernel=_make_kernel(space, np.full(d, lengthscale) if d <= MAX_LENGTHSCALES else lengthscale),
        likelihood=Probit(),
        # As precise as the rounding of a duel; recommendations use a tighter tolerance (`ModelFitter.report_model`).
        inference=Hallucination() if isinstance(acquisition, DesignAcquisition) else EP(tolerance=1e-5),
        noise=BoundedNoise(),
        metric=_make_metric(space),
        learn={"lengthscale": None, "outputscale": None},
        initial=5,
        refit_every=None,
        risk_weight=1.0,
        avoids_repeats=True,
    )
    if version == 1:
        return first
    return replace(
        first,
        # The two choices differ only for fingerprints. Other studies keep the text and the digest of older releases.
        noise=BoundedNoise(default_bounds="metric") if space.columns.fingerprint else BoundedNoise(),
        initial=3,
        start="anchors",
        integration=QuasiMonteCarlo(),
        recommends="space",
        risk_weight=0.0,
        version=version,
    )


_DEFAULT_STRATEGIES = {1: "raeubo", 2: "kg"}
"""Strategies of the default preset, by version."""


def _make_priors(plan: Plan, dimension: int) -> dict[str, Learn | None]:
    """Return the hyper-parameters that the default preset learns, with their priors.

    The output scale is in units of the noise, because answers depend only on their ratio.
    """
    unit = plan.likelihood.compute_utility_unit(plan.noise_map(np.zeros((1, dimension))).scale)
    # Rounded, so that rounding errors of the unit are not saved.
    median, spread = float(f"{DEFAULT_OUTPUTSCALE.median * unit:.12g}"), DEFAULT_OUTPUTSCALE.spread
    return {
        "lengthscale": Learn((0.03, 10.0), DEFAULT_LENGTHSCALE),
        "outputscale": Learn((1e-4 * median, 1e3 * median), LogNormal(median, spread)),
    }


def _is_calibrated(plan: Plan, space: DesignSpace) -> bool:
    """Return whether the plan is the one that the calibration was measured with: the preset without any change.

    Plans are compared by value, because a saved study names all options. Repeats of earlier pairs are allowed: they
    change which pairs are asked, not the model of the answers.
    """
    preset = make_default_plan(space, None, plan.version)
    preset = replace(preset, learn=_make_priors(preset, space.dimension), repeat_rate=plan.repeat_rate)
    # Studies of older releases have narrower bandwidths for fingerprints.
    return plan in (preset, replace(preset, noise=BoundedNoise()))


PRESETS = ("default", "paper")


def make_plan(
    space: DesignSpace,
    strategy: str | Acquisition | None,
    preset: str,
    kernel: Kernel | None,
    likelihood: LikelihoodName | Likelihood | None,
    inference: InferenceName | Inference | None,
    noise: NoiseRule | None,
    learn: Mapping[str, Learn | None] | None,
    initial: int | None,
    refit_every: int | None,
    risk_weight: float | None,
    baseline: str,
    integration: IntegrationName | IntegrationRule | None = None,
    preset_version: int | None = None,
    start: StartName | None = None,
    repeat_rate: float = 0.0,
) -> Plan:
    """Return the plan of a preset, with some parts replaced; see `Optimizer`."""
    if isinstance(strategy, str):
        strategy = strategy.lower()
        if strategy not in STRATEGIES:
            raise UnknownNameError.of("strategy", strategy, STRATEGIES)
    if not isinstance(preset, str) or preset not in PRESETS:
        raise UnknownNameError.of("preset", preset, PRESETS)
    version = PRESET_VERSIONS[preset] if preset_version is None else as_integer("preset_version", preset_version, 1)
    if version > PRESET_VERSIONS[preset]:
        rule = f"preset_version must be from 1 to {PRESET_VERSIONS[preset]}"
        raise InputError(rule, version, "leave it out, or open the study with the release that created it")
    if baseline not in ("constant", "anchored"):
        raise UnknownNameError.of("baseline", baseline, ("constant", "anchored"))
    if start is not None and start not in STARTS:
        raise UnknownNameError.of("start", start, STARTS)
    _check_types(kernel, noise, learn)
    given: dict[str, Any] = {
        "kernel": kernel,
        "likelihood": None if likelihood is None else resolve_likelihood(likelihood),
        "inference": None if inference is None else resolve_inference(inference),
        "noise": noise,
        "learn": learn,
        "initial": None if initial is None else as_integer("initial", initial, 0),
        "refit_every": None if refit_every is None else as_integer("refit_every", refit_every, 1),
        "risk_weight": None if risk_weight is None else as_non_negative("risk_weight", risk_weight),
        "integration": None if integration is None else resolve_integration(integration),
        "start": start,
        "repeat_rate": as_share("repeat_rate", repeat_rate),
    }
    if preset == "paper":
        base = make_paper_plan(space, strategy, baseline)
    else:
        if strategy is None and not isinstance(given["likelihood"] or Probit(), Probit):
            strategy = "raeubo"  # the knowledge gradient needs probit answers
        base = make_default_plan(space, strategy, version)
    plan = replace(base, **{name: value for name, value in given.items() if value is not None})
    if learn is None and plan.version > 1:
        plan = replace(plan, learn=_make_priors(plan, space.dimension))
    if plan.version > 1 and _is_calibrated(plan, space):
        plan = replace(plan, calibration=DEFAULT_CALIBRATION)
    _check_plan(plan, space)
    return plan


def _check_types(kernel: Any, noise: Any, learn: Any) -> None:
    """Raise unless the objects given instead of the preset's have the right types."""
    if kernel is not None and not isinstance(kernel, Kernel):
        raise InputError("kernel must be a Kernel", repr(kernel), "use RBF(), Matern52() or your own")
    if noise is not None and not isinstance(noise, NoiseRule):
        raise InputError(
            "noise must be a NoiseRule", repr(noise), "use BoundedNoise(), PaperNoise() or ConstantNoise()"
        )
    if learn is not None and not isinstance(learn, Mapping):
        raise InputError("learn must map names to Learn or None", repr(learn), 'write {"lengthscale": None}')


def _check_plan(plan: Plan, space: DesignSpace) -> None:
    """Raise unless the parts of a plan fit together and fit the space."""
    plan.kernel.check_dimension(space.dimension)
    if space.region is not None and len(space.region.continuous) and not plan.kernel.differentiable:
        rule = "a space with continuous parameters needs a kernel with a gradient"
        raise IncompatibleError(rule, repr(plan.kernel), "for categories write RBF(..., categorical=[column])")
    plan.inference.check(plan.likelihood)
    if plan.acquisition.needs_probit and not isinstance(plan.likelihood, Probit):
        rule = f"{type(plan.acquisition).__name__} needs probit answers, whose noise is a variance"
        raise IncompatibleError(rule, repr(plan.likelihood), "leave the likelihood out, or choose the strategy 'eubo'")
    # Creating the map of one anchor checks the rule's settings now, instead of at the first duel the model selects.
    plan.noise_map(np.zeros((1, space.dimension)))
    _check_learn(plan.kernel, plan.learn)


def _make_kernel(space: DesignSpace, lengthscale: float | Array) -> Kernel:
    """Return an RBF for numbers and categories, Tanimoto for fingerprints, or their product for both."""
    columns, d = space.columns, space.dimension
    if not columns.fingerprint:
        return RBF(lengthscale, categorical=columns.categorical)
    if len(columns.fingerprint) == d:
        return Tanimoto()
    others = _list_other_columns(space)
    lengths = lengthscale if np.ndim(lengthscale) == 0 else np.asarray(lengthscale)[list(others)]
    rbf = RBF(lengths, categorical=[others.index(c) for c in columns.categorical])
    return rbf.on(others) * Tanimoto().on(columns.fingerprint)


def _make_metric(space: DesignSpace) -> Metric:
    """Return the metric that belongs to that kernel."""
    columns = space.columns
    if not columns.fingerprint:
        return EuclideanMetric(columns.categorical)
    if len(columns.fingerprint) == space.dimension:
        return TanimotoMetric()
    others = _list_other_columns(space)
    euclidean = EuclideanMetric(tuple(others.index(c) for c in columns.categorical))
    return ProductMetric(((euclidean, others), (TanimotoMetric(), columns.fingerprint)))


def _list_other_columns(space: DesignSpace) -> tuple[int, ...]:
    """Return the columns that are not part of the fingerprint."""
    return tuple(sorted({*space.columns.numeric, *space.columns.categorical}))


def select_learnable(kernel: Kernel, noise: NoiseMap, wanted: Mapping[str, Learn | None]) -> dict[str, Learn | None]:
    """Return the hyper-parameters to learn that the model has; for a product of kernels, only one output scale."""
    names = kernel.parameter_names
    present = {*names, *map(base_name, names), "tie_threshold", "lapse"}
    present |= {base_name(f"noise_{name}") for name in noise.parameter_names}
    chosen = {name: spec for name, spec in wanted.items() if name in present}
    scales = [name for name in names if base_name(name) == "outputscale"]
    if "outputscale" in chosen and len(scales) > 1:
        chosen[scales[0]] = chosen.pop("outputscale")
    return chosen


def _check_learn(kernel: Kernel, learn: Mapping[str, Learn | None]) -> None:
    """Raise unless every name is that of a hyper-parameter; a preset may name some that this kernel lacks."""
    names = {*LEARNABLE, *kernel.parameter_names, *map(base_name, kernel.parameter_names)}
    for name, spec in learn.items():
        if name not in names:
            raise UnknownNameError.of("a hyper-parameter to learn", name, names)
        if not isinstance(spec, Learn | None):
            remedy = "write Learn((lower, upper)), or None for the default bounds"
            raise InputError(f"learn[{name!r}] must be a Learn or None", repr(spec), remedy)


def resolve_priors(plan: Plan, dimension: int, scale: float) -> dict[str, Learn | None]:
    """Return the hyper-parameters of the kernel and the threshold to learn, with their priors for noise of a scale."""
    unit = plan.likelihood.compute_utility_unit(scale)
    defaults = make_default_specs(dimension, plan.likelihood.default_threshold, unit)
    wanted = select_learnable(plan.kernel, NoiseMap.constant(1.0), plan.learn)
    return {name: defaults.get(base_name(name)) if spec is None else spec for name, spec in wanted.items()}
