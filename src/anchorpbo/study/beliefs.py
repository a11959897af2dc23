"""What a study believes of its user: hyper-parameters and posterior, as functions of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anchorpbo.inference import EP, Inference, Laplace
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model import PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.study.memory import Memory
from anchorpbo.study.plan import Plan, learnable
from anchorpbo.study.record import Record
from anchorpbo.typing import Array

Key = tuple[str, bytes]
"""What hyper-parameters follow from: the log up to the last duel they were fitted to, and the anchors of today."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """Model parts at fitted hyper-parameters."""

    kernel: Kernel
    noise: NoiseMap
    likelihood: Likelihood

    def model(self, inference: Inference, seed: int) -> PreferenceGP:
        """A model that keeps them."""
        return PreferenceGP(self.kernel, self.likelihood, inference, self.noise, seed, learn=None)


class Beliefs:
    """Learns and infers by a plan; remembers what it has computed. Not thread-safe."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.seed = plan, seed
        self._fits: Memory[Learnt] = Memory(32)
        self._models: Memory[PreferenceGP] = Memory(4)

    def learnt(self, record: Record) -> Learnt:
        """The hyper-parameters a record leads to: those of its last fit, under the anchors of today."""
        return self._fits.get(self.key(record), lambda: self._fit(record))

    def model(self, record: Record, believed: Sequence[Array] = ()) -> PreferenceGP:
        """The model that chooses duels, given all of the record and pairs, (2, d), whose first is believed to win."""
        model = self.learnt(record).model(self.plan.inference, self.seed)
        return model.condition(record.duels(believed=believed))

    def report(self, record: Record) -> PreferenceGP:
        """The model that recommends, conditioned on all of the record.

        By EP whatever chose the duels: a hallucination is one draw of the posterior, and Laplace's mean is biased.
        """
        key = (record.digest, self.key(record))
        return self._models.get(key, lambda: self.learnt(record).model(EP(), self.seed).condition(record.duels()))

    def key(self, record: Record) -> Key:
        """What the hyper-parameters of a record follow from."""
        count = self.plan.fitted_at(len(record))
        return record.digests[count - 1] if count else "", record.anchors.tobytes()

    def recall(self, record: Record, log_parameters: Array, tie_threshold: float | None) -> None:
        """Take these as the hyper-parameters of a record, rather than fitting them again."""
        kernel, likelihood = self.plan.kernel.with_log_parameters(log_parameters), self.plan.likelihood
        if tie_threshold is not None:
            likelihood = likelihood.with_threshold(tie_threshold)
        self._fits.put(self.key(record), Learnt(kernel, self.plan.noise_map(record.anchors), likelihood))

    def _fit(self, record: Record) -> Learnt:
        kernel, likelihood, noise = self.plan.kernel, self.plan.likelihood, self.plan.noise_map(record.anchors)
        model = PreferenceGP(kernel, likelihood, Laplace(), noise, learn=learnable(kernel, self.plan.learn))
        model.fit(record.duels(self.plan.fitted_at(len(record))))
        # Without a tie there is no threshold to keep, and a later tie must be free to bring one.
        return Learnt(model.kernel, noise, model.likelihood if model.likelihood.tau > 0 else likelihood)
