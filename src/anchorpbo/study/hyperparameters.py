"""Hyper-parameters and models of a study, as functions of its log."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.inference import EP, Inference, Laplace
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model import MAP, HyperparameterNode, IntegrationRule, PreferenceGP
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.posterior.posterior_mixture import WEIGHTS_TOLERANCE
from anchorpbo.reliability import NoiseMap
from anchorpbo.study.cache import LRUCache
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.noise_basis import CENTRES, LENGTHSCALES, NoiseBasis, find_lengthscales
from anchorpbo.study.plan import Plan, select_learnable
from anchorpbo.typing import Array

ONE_START_DUELS = 50
"""Number of duels from which a fit has one start: the evidence then had one optimum in every study tried."""

FACTORS = "factors"
"""Key of the factors of the correction of the noise in the JSON of hyper-parameters."""

Key = tuple[str, bytes, bytes]
"""Digest of the log up to the last duel of the fit, the present anchors and the negative anchors."""


@dataclass(frozen=True, eq=False)
class Hyperparameters:
    """Kernel, noise map and likelihood at fitted hyper-parameters: the mode, or one node of an integral over them.

    The kernel's hyper-parameters are kept and saved as logarithms, because exp(log(x)) is not always x: from the values
    of the kernel, another kernel would be restored.
    """

    prior: Kernel
    """The kernel of the plan."""
    log_parameters: Array
    """Logarithms of its fitted hyper-parameters, (p,)."""
    noise: NoiseMap
    likelihood: Likelihood
    weight: float = 1.0
    """Weight of this node."""
    others: tuple[Hyperparameters, ...] = ()
    """The other nodes, if this one is the mode; all weights sum to 1."""
    basis: NoiseBasis = field(default_factory=NoiseBasis)
    """Length-scales and centres of the noise map, if it has any."""

    @classmethod
    def from_nodes(
        cls,
        prior: Kernel,
        likelihood: Likelihood,
        nodes: Sequence[HyperparameterNode],
        basis: NoiseBasis,
    ) -> Hyperparameters:
        """Return the nodes of a fit, with the kernel and the likelihood of the plan."""
        parts = []
        for node in nodes:
            kernel, noise, fitted = node.generative.kernel, node.generative.noise, node.generative.likelihood
            # Without ties the threshold stays open, so that a later tie can set it.
            kept = fitted if fitted.tau > 0 else likelihood.with_lapse(fitted.lapse)
            parts.append(cls(prior, kernel.log_parameters, noise, kept, node.weight, basis=basis))
        return replace(parts[0], others=tuple(parts[1:]))

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel at these hyper-parameters."""
        return self.prior.with_log_parameters(self.log_parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return the hyper-parameters as JSON data."""
        noise = {
            "scale": self.noise.scale,
            **({"strength": self.noise.strength} if self.noise.strength_matters else {}),
            **({} if self.noise.correction is None else {FACTORS: np.asarray(self.noise.correction.factors).tolist()}),
            **self.basis.to_dict(),
        }
        log_parameters = dict(zip(self.prior.parameter_names, self.log_parameters.tolist(), strict=True))
        # Without lapses the key is left out, as in studies of releases that had none.
        lapse = {"lapse": self.likelihood.lapse} if self.likelihood.lapse else {}
        mode = {
            "log_parameters": log_parameters, "noise": noise, "tie_threshold": self.likelihood.tie_threshold, **lapse,
        }  # fmt: skip
        if not self.others:
            return mode
        others = [{"weight": node.weight, **node.to_dict()} for node in self.others]
        return {**mode, "weight": self.weight, "others": others}

    def at(self, data: Mapping[str, Any]) -> Hyperparameters:
        """Return the same parts at the hyper-parameters of a `to_dict`."""
        if not isinstance(data, Mapping) or "others" not in data:
            return self._at_node(data)
        if not _are_nodes(data):
            rule = "learnt must have a list of other nodes and weights above 0 that sum to 1"
            raise InputError(rule, repr(data), "set it to null to have it learnt again")
        mode, *others = (
            replace(
                self._at_node({key: node[key] for key in node if key not in ("weight", "others")}),
                weight=node["weight"],
            )
            for node in (data, *data["others"])
        )
        return replace(mode, others=tuple(others))

    def _at_node(self, data: Any) -> Hyperparameters:
        layout = self.to_dict()
        if not _matches_layout(data, layout):
            rule = f"learnt must have the keys of {json.dumps(layout)}, with valid hyper-parameters"
            raise InputError(rule, repr(data), "set it to null to have it learnt again")
        likelihood, threshold = self.likelihood.with_lapse(data.get("lapse", 0.0)), data["tie_threshold"]
        if threshold is not None:
            likelihood = likelihood.with_threshold(threshold)
        log_parameters = np.array([data["log_parameters"][name] for name in self.prior.parameter_names], dtype=float)
        parameters = {name: value for name, value in data["noise"].items() if name not in self.basis.to_dict()}
        noise = self.noise.with_parameters(**parameters)
        return Hyperparameters(self.prior, log_parameters, noise, likelihood, basis=self.basis)

    def make_model(self, inference: Inference, seed: int) -> PreferenceGP:
        """Create a model with fixed hyper-parameters."""
        model = PreferenceGP(self.kernel, self.likelihood, inference, self.noise, seed, learn=None)
        return model.at_nodes(node._to_node() for node in (self, *self.others)) if self.others else model

    def _to_node(self) -> HyperparameterNode:
        return HyperparameterNode(self.weight, GenerativeModel(self.kernel, self.noise, self.likelihood))


def _are_nodes(data: Mapping[str, Any]) -> bool:
    """Return whether data has a list of nodes, with weights above 0 that sum to 1."""
    if not isinstance(data["others"], list) or not all(isinstance(node, Mapping) for node in data["others"]):
        return False
    weights = [node.get("weight") for node in (data, *data["others"])]
    return all(map(_is_scale, weights)) and abs(sum(weights) - 1.0) <= WEIGHTS_TOLERANCE


def _matches_layout(data: Any, layout: Mapping[str, Any]) -> bool:
    """Return whether data has a layout, with numbers that can be hyper-parameters."""
    parts = ("log_parameters", "noise")
    if (
        not isinstance(data, Mapping)
        or set(data) | {"lapse"} != set(layout) | {"lapse"}
        or not all(isinstance(data[p], Mapping) for p in parts)
    ):
        return False
    if any(set(data[part]) != set(layout[part]) for part in parts):
        return False
    logs, threshold = data["log_parameters"].values(), data["tie_threshold"]
    # All nodes have the length-scales and the centres that the noise map was made with.
    if any(data["noise"].get(name) != layout["noise"].get(name) for name in (LENGTHSCALES, CENTRES)):
        return False
    factors = data["noise"].get(FACTORS, [])
    if not isinstance(factors, list) or len(factors) != len(layout["noise"].get(FACTORS, [])):
        return False
    numbers = (value for name, value in data["noise"].items() if name not in (LENGTHSCALES, CENTRES, FACTORS))
    noise = [*numbers, *factors]
    return (
        all(_is_number(log) and _is_scale(_exp(log)) for log in logs)
        and all(map(_is_scale, noise))
        and (threshold is None or threshold == 0.0 or _is_scale(threshold))
        and _is_number(lapse := data.get("lapse", 0.0))
        and 0 <= lapse < 1
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _exp(log_value: float) -> float:
    """Return exp of a logarithm; infinity if it overflows."""
    try:
        return math.exp(log_value)
    except OverflowError:
        return math.inf


def _is_scale(value: object) -> bool:
    return _is_number(value) and 0 < value < math.inf  # type: ignore[operator]


class ModelFitter:
    """Fits hyper-parameters and conditions models by a plan; caches the latest ones. Not thread-safe."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan: Plan = plan
        self.seed: int = seed
        self._fits: LRUCache[Hyperparameters] = LRUCache(32)
        self._models: LRUCache[PreferenceGP] = LRUCache(4)

    def hyperparameters(self, data: StudyData) -> Hyperparameters:
        """Return the hyper-parameters of the last fit, under the present anchors."""
        return self._fits.get_or_compute(self.key(data), lambda: self._fit(data))

    def acquisition_model(self, data: StudyData, fantasies: Sequence[Array] = ()) -> PreferenceGP:
        """Return the model that selects duels, given the data and fantasies: pairs, (2, d), in which the first wins."""
        if fantasies:
            return self._condition(data, self.plan.inference, fantasies)
        key = ("acquisition", data.digest, self.key(data))
        return self._models.get_or_compute(key, lambda: self._condition(data, self.plan.inference))

    def report_model(self, data: StudyData) -> PreferenceGP:
        """Return the model that recommends.

        Its inference is EP, regardless of the inference that selects the duels: Hallucination Believer is one draw of
        the posterior, and the mean of Laplace is biased.
        """
        key = ("report", data.digest, self.key(data))
        return self._models.get_or_compute(key, lambda: self._condition(data, EP()))

    def key(self, data: StudyData) -> Key:
        """Return the key of the hyper-parameters, which are a function of it."""
        count = self.plan.last_fit(len(data))
        return data.digests[count - 1] if count else "", data.anchors.tobytes(), data.negative_anchors.tobytes()

    def has_hyperparameters(self, data: StudyData) -> bool:
        """Return whether the hyper-parameters are in the cache."""
        return self._fits.get(self.key(data)) is not None

    def put_hyperparameters(self, data: StudyData, values: Mapping[str, Any]) -> None:
        """Put the result of `Hyperparameters.to_dict` into the cache, instead of fitting again."""
        plan = self.plan
        saved = values.get("noise") if isinstance(values, Mapping) else None
        is_corrected = plan.noise.corrects and plan.last_fit(len(data)) > 0
        basis = NoiseBasis.read(
            saved, data.dimension, learns_metric=self._learns_metric(data), is_corrected=is_corrected
        )
        if basis is None:
            d, expected = data.dimension, {}
            if self._learns_metric(data):
                expected[LENGTHSCALES] = f"{d} numbers above 0"
            if is_corrected:
                expected[CENTRES] = f"lists of {d} numbers"
            rule = f"learnt must have the keys of {json.dumps({'noise': expected})}"
            raise InputError(rule, repr(saved), "set it to null to have it learnt again")
        noise = plan.noise_map(data.anchors, data.negative_anchors, basis)
        initial = Hyperparameters(plan.kernel, plan.kernel.log_parameters, noise, plan.likelihood, basis=basis)
        self._fits.put(self.key(data), initial.at(values))

    def _condition(self, data: StudyData, inference: Inference, fantasies: Sequence[Array] = ()) -> PreferenceGP:
        return self.hyperparameters(data).make_model(inference, self.seed).condition(data.duels(fantasies=fantasies))

    def _fit(self, data: StudyData) -> Hyperparameters:
        """Fit the hyper-parameters; if the metric of the noise map is learnt, in two stages.

        The first stage has the map of the space's metric. Its mode gives the length-scales of the metric, and the
        second stage starts at that mode with the map of the rescaled metric.
        """
        plan, kernel, likelihood = self.plan, self.plan.kernel, self.plan.likelihood
        count = plan.last_fit(len(data))
        duels, starts, lengthscales = data.duels(count), 2 if count < ONE_START_DUELS else 1, None
        skips = plan.noise.weigh_skips(*data.split_questions(count))
        if self._learns_metric(data):
            noise = plan.noise_map(data.anchors, data.negative_anchors)
            kernel = self._make_model(kernel, noise, MAP(), starts).find_nodes(duels, skips)[0].generative.kernel
            lengthscales, starts = find_lengthscales(kernel, data.dimension), 1
        basis = NoiseBasis(lengthscales, self._select_centres(duels, lengthscales))
        noise = plan.noise_map(data.anchors, data.negative_anchors, basis)
        nodes = self._make_model(kernel, noise, plan.integration, starts).find_nodes(duels, skips)
        return Hyperparameters.from_nodes(plan.kernel, likelihood, nodes, basis)

    def _select_centres(self, duels: Duels, lengthscales: Array | None) -> Array | None:
        """Return the centres of the correction of the noise; ``None`` without duels, or if the rule has none."""
        if not len(duels):
            return None
        metric = self.plan.metric
        metric = metric if lengthscales is None else metric.with_lengthscales(lengthscales)
        counts = np.bincount(np.append(duels.first, duels.second), minlength=len(duels.points)).astype(np.float64)
        return self.plan.noise.select_centres(duels.points, counts, metric)

    def _make_model(self, kernel: Kernel, noise: NoiseMap, integration: IntegrationRule, starts: int) -> PreferenceGP:
        """Create a model whose hyper-parameters are to be fitted, from those of this kernel."""
        # Bounds and priors given for the study replace those of its noise rule.
        learn = select_learnable(kernel, noise, {**self.plan.noise.learn, **self.plan.learn})
        return PreferenceGP(
            kernel, self.plan.likelihood, Laplace(), noise, learn=learn, starts=starts, integration=integration
        )

    def _learns_metric(self, data: StudyData) -> bool:
        return self.plan.noise.learns_metric and len(data.anchors) + len(data.negative_anchors) > 0
