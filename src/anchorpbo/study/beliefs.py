"""What a study believes of its user: hyper-parameters and posterior, as functions of the log."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.inference import EP, Inference, Laplace
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model import PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.study.memory import Memory
from anchorpbo.study.plan import Plan, learnable
from anchorpbo.study.record import Record
from anchorpbo.typing import Array

SETTLED = 50
"""From this many duels on the evidence has had one optimum in every study tried, and is climbed once."""

Key = tuple[str, bytes]
"""What hyper-parameters follow from: the log up to the last duel they were fitted to, and the anchors of today."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """Model parts at fitted hyper-parameters.

    The kernel's are kept as the logarithms it was made from, which are also what is saved: exp(log(x)) is not always x,
    so that those of the finished kernel would lead to another one.
    """

    prior: Kernel
    """The kernel of the plan."""
    log_parameters: Array
    """Where it is now."""
    noise: NoiseMap
    likelihood: Likelihood

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel at these hyper-parameters."""
        return self.prior.with_log_parameters(self.log_parameters)

    def to_dict(self) -> dict[str, Any]:
        """The hyper-parameters as JSON holds them."""
        noise = {
            "scale": self.noise.scale,
            **({"strength": self.noise.strength} if self.noise.strength_matters else {}),
        }
        log_parameters = dict(zip(self.prior.parameter_names, self.log_parameters.tolist(), strict=True))
        return {"log_parameters": log_parameters, "noise": noise, "tie_threshold": self.likelihood.tie_threshold}

    def at(self, data: Mapping[str, Any]) -> Learnt:
        """The same parts at the hyper-parameters of `to_dict`."""
        here = self.to_dict()
        if not _alike(data, here):
            rule = f"what was learnt must have the names {json.dumps(here)} has, with numbers that scales can have"
            raise InputError(rule, repr(data), "set it to null to have it learnt again")
        likelihood, threshold = self.likelihood, data["tie_threshold"]
        if threshold is not None:
            likelihood = likelihood.with_threshold(threshold)
        log_parameters = np.array([data["log_parameters"][name] for name in self.prior.parameter_names], dtype=float)
        return Learnt(self.prior, log_parameters, self.noise.with_parameters(**data["noise"]), likelihood)

    def model(self, inference: Inference, seed: int) -> PreferenceGP:
        """A model that keeps them."""
        return PreferenceGP(self.kernel, self.likelihood, inference, self.noise, seed, learn=None)


def _alike(data: Any, here: Mapping[str, Any]) -> bool:
    """Whether data has the layout of what is here, and numbers that can be hyper-parameters."""
    parts = ("log_parameters", "noise")
    if not isinstance(data, Mapping) or set(data) != set(here) or not all(isinstance(data[p], Mapping) for p in parts):
        return False
    if any(set(data[part]) != set(here[part]) for part in parts):
        return False
    logs, noise, threshold = data["log_parameters"].values(), data["noise"].values(), data["tie_threshold"]
    return (
        all(_is_number(log) and _is_scale(_exp(log)) for log in logs)
        and all(map(_is_scale, noise))
        and (threshold is None or threshold == 0.0 or _is_scale(threshold))
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _exp(log_value: float) -> float:
    """Return exp of a logarithm; infinity where it overflows."""
    try:
        return math.exp(log_value)
    except OverflowError:
        return math.inf


def _is_scale(value: object) -> bool:
    return _is_number(value) and 0 < value < math.inf  # type: ignore[operator]


class Beliefs:
    """Learns and infers by a plan; remembers what it has computed. Not thread-safe."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan: Plan = plan
        self.seed: int = seed
        self._fits: Memory[Learnt] = Memory(32)
        self._models: Memory[PreferenceGP] = Memory(4)

    def learnt(self, record: Record) -> Learnt:
        """The hyper-parameters a record leads to: those of its last fit, under the anchors of today."""
        return self._fits.get(self.key(record), lambda: self._fit(record))

    def model(self, record: Record, believed: Sequence[Array] = ()) -> PreferenceGP:
        """The model that chooses duels, given all of the record and pairs, (2, d), whose first is believed to win."""
        if believed:
            return self._infer(record, self.plan.inference, believed)
        key = ("choice", record.digest, self.key(record))
        return self._models.get(key, lambda: self._infer(record, self.plan.inference))

    def report(self, record: Record) -> PreferenceGP:
        """The model that recommends, conditioned on all of the record.

        By EP whatever chose the duels: a hallucination is one draw of the posterior, and Laplace's mean is biased.
        """
        key = ("report", record.digest, self.key(record))
        return self._models.get(key, lambda: self._infer(record, EP()))

    def _infer(self, record: Record, inference: Inference, believed: Sequence[Array] = ()) -> PreferenceGP:
        return self.learnt(record).model(inference, self.seed).condition(record.duels(believed=believed))

    def key(self, record: Record) -> Key:
        """What the hyper-parameters of a record follow from."""
        count = self.plan.fitted_at(len(record))
        return record.digests[count - 1] if count else "", record.anchors.tobytes()

    def has_learnt(self, record: Record) -> bool:
        """Whether the hyper-parameters of a record are remembered."""
        return self._fits.find(self.key(record)) is not None

    def recall(self, record: Record, data: Mapping[str, Any]) -> None:
        """Take what `Learnt.to_dict` gave as the hyper-parameters of a record, rather than fitting them again."""
        plan = self.plan
        given = Learnt(plan.kernel, plan.kernel.log_parameters, plan.noise_map(record.anchors), plan.likelihood)
        self._fits.put(self.key(record), given.at(data))

    def _fit(self, record: Record) -> Learnt:
        kernel, likelihood, noise = self.plan.kernel, self.plan.likelihood, self.plan.noise_map(record.anchors)
        count = self.plan.fitted_at(len(record))
        learn = learnable(kernel, noise, self.plan.learn)
        starts = 2 if count < SETTLED else 1
        model = PreferenceGP(kernel, likelihood, Laplace(), noise, learn=learn, starts=starts).fit(record.duels(count))
        # Without a tie there is no threshold to keep, and a later tie must be free to bring one.
        settled = model.likelihood if model.likelihood.tau > 0 else likelihood
        return Learnt(kernel, model.kernel.log_parameters, model.noise, settled)
