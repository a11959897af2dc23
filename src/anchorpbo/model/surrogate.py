"""Everything that a hyper-parameter belongs to, in one vector.

theta holds logarithms: those of the kernel, then ``noise_scale``, ``noise_strength`` (not of a constant map) and
``tie_threshold`` (where there is one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.inference import EvidenceGradient
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import SPACES, InducingSpace, LatentSpace, choose_inducing
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, BoolArray

Values = TypeVar("Values", Array, BoolArray)
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
        for_kernel, for_noise, for_threshold = self.split(theta)
        noise = dict(zip(self._noise_parameters, (float(np.exp(value)) for value in for_noise), strict=True))
        likelihood = self.likelihood
        if self._threshold:
            likelihood = likelihood.with_threshold(float(np.exp(for_threshold[0])))
        return Surrogate(self.kernel.with_log_parameters(for_kernel), self.noise.with_parameters(**noise), likelihood)

    def with_kernel(self, log_parameters: Array) -> Surrogate:
        """The same judge of a utility whose kernel has other hyper-parameters."""
        return Surrogate(self.kernel.with_log_parameters(log_parameters), self.noise, self.likelihood)

    def space(self, duels: Duels, name: str = "auto") -> LatentSpace:
        """The rows of these duels and the prior covariance of their designs."""
        return SPACES[name](self.rows(duels), self.kernel(duels.points, duels.points))

    def inducing_space(self, duels: Duels, most: int, tolerance: float = 0.0) -> InducingSpace:
        """The rows of these duels and the designs that stand for all others; see `choose_inducing`."""
        rows = self.rows(duels)
        return InducingSpace(rows, choose_inducing(self.kernel, duels.points, rows, most, tolerance))

    def rows(self, duels: Duels) -> Rows:
        """The matrix D of these duels; the kernel has no part in it."""
        return self.likelihood.rows(duels, self.noise(duels.points))

    def space_with_pullback(self, duels: Duels, rows: Rows | None = None) -> tuple[LatentSpace, Pullback]:
        """The space, and the chain rule from there to theta, for the entries of it that are wanted.

        `rows` are those of the duels, where they are known already.
        """
        K, pull_kernel = self.kernel.value_with_pullback(duels.points)
        space = SPACES["auto"](self.rows(duels) if rows is None else rows, K)

        def pull(gradient: EvidenceGradient, wanted: BoolArray) -> Array:
            parts: tuple[Callable[[], Array], ...] = (
                lambda: pull_kernel(gradient.by_kernel),
                lambda: self._pull_noise(duels, gradient),
                lambda: np.array([gradient.by_threshold * self.likelihood.tau]),
            )
            theirs = self.split(wanted)
            return np.concatenate(
                [part() if mine.any() else np.zeros(len(mine)) for part, mine in zip(parts, theirs, strict=True)]
            )

        return space, pull

    def _pull_noise(self, duels: Duels, gradient: EvidenceGradient) -> Array:
        first, second, noise = duels.first, duels.second, self.noise(duels.points)
        coefs = self.likelihood.coefficient_gradients(noise[first], noise[second])
        by_first = gradient.by_coef_first * coefs.first_by_first + gradient.by_coef_second * coefs.second_by_first
        by_second = gradient.by_coef_first * coefs.first_by_second + gradient.by_coef_second * coefs.second_by_second
        slopes = self.noise.log_parameter_gradients(duels.points)
        return np.array(
            [by_first @ slopes[name][first] + by_second @ slopes[name][second] for name in self._noise_parameters]
        )

    def split(self, theta: Values) -> tuple[Values, Values, Values]:
        """What in theta belongs to the kernel, to the noise map and to the threshold."""
        end = len(self.kernel.parameter_names)
        last = end + len(self._noise_parameters)
        return theta[:end], theta[end:last], theta[last:]

    @property
    def _noise_parameters(self) -> tuple[str, ...]:
        return ("scale", "strength") if self.noise.strength_matters else ("scale",)

    @property
    def _threshold(self) -> tuple[str, ...]:
        return ("tie_threshold",) if self.likelihood.tau > 0 else ()
