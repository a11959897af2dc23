"""Everything that a hyper-parameter belongs to, in one vector.

theta holds logarithms: those of the kernel, then ``noise_scale``, ``noise_strength`` (not of a constant map) and
``tie_threshold`` (where there is one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.inference import EvidenceGradient
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import SPACES, LatentSpace
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, BoolArray, IntArray

Pullback = Callable[[EvidenceGradient, BoolArray], Array]
"""The evidence's gradient in theta, zero where it is not wanted."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """The prior of the utility and the model of its judge."""

    kernel: Kernel
    noise: NoiseMap
    likelihood: Likelihood
    """With its tie threshold settled."""

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.kernel.parameter_names, *(f"noise_{name}" for name in self._noise_parameters), *self._threshold)

    @property
    def theta(self) -> Array:
        """Logarithms of all hyper-parameters."""
        noise = [getattr(self.noise, name) for name in self._noise_parameters]
        others = np.log([*noise, *([self.likelihood.tau] if self._threshold else [])])
        return np.concatenate([self.kernel.log_parameters, others])

    def at(self, theta: Array) -> Surrogate:
        """The same surrogate at other hyper-parameters."""
        for_kernel, for_noise, for_threshold = np.split(theta, self._ends)
        noise = dict(zip(self._noise_parameters, (float(np.exp(value)) for value in for_noise), strict=True))
        likelihood = self.likelihood
        if self._threshold:
            likelihood = likelihood.with_threshold(float(np.exp(for_threshold[0])))
        return Surrogate(self.kernel.with_log_parameters(for_kernel), self.noise.with_parameters(**noise), likelihood)

    def space(self, duels: Duels, name: str = "auto") -> LatentSpace:
        """The rows of these duels and the prior covariance of their designs."""
        rows = self.likelihood.rows(duels, self.noise(duels.points))
        return SPACES[name](rows, self.kernel(duels.points, duels.points))

    def space_with_pullback(self, duels: Duels) -> tuple[LatentSpace, Pullback]:
        """The space, and the chain rule from there to theta, for the entries of it that are wanted."""
        K, pull_kernel = self.kernel.value_with_pullback(duels.points)
        noise = self.noise(duels.points)
        space = SPACES["auto"](self.likelihood.rows(duels, noise), K)

        def pull(gradient: EvidenceGradient, wanted: BoolArray) -> Array:
            parts: tuple[Callable[[], Array], ...] = (
                lambda: pull_kernel(gradient.by_kernel),
                lambda: self._pull_noise(duels, noise, gradient),
                lambda: np.array([gradient.by_threshold * self.likelihood.tau]),
            )
            theirs = np.split(wanted, self._ends)
            return np.concatenate(
                [part() if mine.any() else np.zeros(len(mine)) for part, mine in zip(parts, theirs, strict=True)]
            )

        return space, pull

    def _pull_noise(self, duels: Duels, noise: Array, gradient: EvidenceGradient) -> Array:
        first, second = duels.first, duels.second
        coefs = self.likelihood.coefficient_gradients(noise[first], noise[second])
        by_first = gradient.by_coef_first * coefs.first_by_first + gradient.by_coef_second * coefs.second_by_first
        by_second = gradient.by_coef_first * coefs.first_by_second + gradient.by_coef_second * coefs.second_by_second
        slopes = self.noise.log_parameter_gradients(duels.points)
        return np.array(
            [by_first @ slopes[name][first] + by_second @ slopes[name][second] for name in self._noise_parameters]
        )

    @property
    def _ends(self) -> IntArray:
        """Where in theta the kernel's part ends, and the noise map's."""
        return np.cumsum([len(self.kernel.parameter_names), len(self._noise_parameters)])

    @property
    def _noise_parameters(self) -> tuple[str, ...]:
        return ("scale", "strength") if self.noise.strength_matters else ("scale",)

    @property
    def _threshold(self) -> tuple[str, ...]:
        return ("tie_threshold",) if self.likelihood.tau > 0 else ()
