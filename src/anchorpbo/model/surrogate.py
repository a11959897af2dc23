"""Everything that a hyper-parameter belongs to, in one vector.

theta holds logarithms: those of the kernel, then ``noise_scale``, ``noise_strength`` (not of a constant map) and
``tie_threshold`` (where there is one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.inference import EvidenceGradient
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import LATENTS, ExactLatent, InducingLatent, choose_inducing_points
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, BoolArray

Values = TypeVar("Values", Array, BoolArray)
Pullback = Callable[[EvidenceGradient, BoolArray], Array]
"""The evidence's gradient in theta, zero where it is not wanted."""

LEAST_NOISE = 1e-12
"""Smallest noise of a comparison, as a share of the prior variance of the utility; less counts as this much.

The entries of a row are at most (1e-12 k(x, x))^-1/2: margins then have four digits, also as differences of utilities.
"""


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

    def latent(self, duels: Duels, name: str = "auto") -> ExactLatent:
        """The rows of these duels and the prior covariance of their designs."""
        return LATENTS[name](self.rows(duels), self.kernel(duels.points, duels.points))

    def inducing_latent(self, duels: Duels, most: int, tolerance: float = 0.0) -> InducingLatent:
        """The rows of these duels and the designs that stand for all others; see `choose_inducing_points`."""
        rows = self.rows(duels)
        return InducingLatent(rows, choose_inducing_points(self.kernel, duels.points, rows, most, tolerance))

    def rows(self, duels: Duels) -> Rows:
        """The matrix D of these duels."""
        return with_least_noise(self.given_rows(duels), self.kernel.diagonal(duels.points))

    def given_rows(self, duels: Duels) -> Rows:
        """The same by the noise as it is, however little; the kernel has no part in it."""
        with np.errstate(over="ignore"):
            return self.likelihood.rows(duels, self.noise(duels.points))

    def coefficients(self, X: Array, Y: Array) -> tuple[Array, Array]:
        """The two entries of the row of a comparison of each x_i with y_i, (n,) each."""
        with np.errstate(over="ignore"):
            a, b = self.likelihood.coefficients(self.noise(X), self.noise(Y))
        most = _largest(self.kernel.diagonal(X), self.kernel.diagonal(Y))
        return np.minimum(a, most), np.minimum(b, most)

    def latent_with_pullback(self, duels: Duels, rows: Rows | None = None) -> tuple[ExactLatent, Pullback]:
        """The latent vector, and the chain rule from there to theta, for the entries of it that are wanted.

        `rows` are the `given_rows` of the duels, where they are known already.
        """
        K, pull_kernel = self.kernel.value_with_pullback(duels.points)
        rows = with_least_noise(self.given_rows(duels) if rows is None else rows, np.diagonal(K))
        latent = LATENTS["auto"](rows, K)

        def pull(gradient: EvidenceGradient, wanted: BoolArray) -> Array:
            parts: tuple[Callable[[], Array], ...] = (
                lambda: pull_kernel(_by_kernel(rows, np.diagonal(K), gradient)),
                lambda: self._pull_noise(duels, rows, np.diagonal(K), gradient),
                lambda: np.array([gradient.by_threshold * self.likelihood.tau]),
            )
            theirs = self.split(wanted)
            return np.concatenate(
                [part() if mine.any() else np.zeros(len(mine)) for part, mine in zip(parts, theirs, strict=True)]
            )

        return latent, pull

    def _pull_noise(self, duels: Duels, rows: Rows, variances: Array, gradient: EvidenceGradient) -> Array:
        first, second, noise = duels.first, duels.second, self.noise(duels.points)
        coefs = self.likelihood.scale_rows(noise[first], noise[second])
        most = _largest(variances[first], variances[second])
        a_moves, b_moves = rows.coef_first < most, rows.coef_second < most  # one at its largest does not
        by_first = _product_where(a_moves, gradient.by_coef_first, coefs.first_by_first)
        by_first += _product_where(b_moves, gradient.by_coef_second, coefs.second_by_first)
        by_second = _product_where(a_moves, gradient.by_coef_first, coefs.first_by_second)
        by_second += _product_where(b_moves, gradient.by_coef_second, coefs.second_by_second)
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


def with_least_noise(rows: Rows, variances: Array) -> Rows:
    """Rows whose noise is at least `LEAST_NOISE` of the prior variances of their designs, (u,)."""
    largest = max(float(rows.coef_first.max(initial=0.0)), float(rows.coef_second.max(initial=0.0)))
    if largest <= _largest(variances.max(initial=0.0)):
        return rows
    most = _largest(variances[rows.first], variances[rows.second])
    return replace(rows, coef_first=np.minimum(rows.coef_first, most), coef_second=np.minimum(rows.coef_second, most))


def _largest(*variances: Array) -> Array:
    """The largest entry that a row of designs with these prior variances can have."""
    return np.asarray(1.0 / np.sqrt(LEAST_NOISE * np.maximum.reduce(variances)))


def _by_kernel(rows: Rows, variances: Array, gradient: EvidenceGradient) -> Array:
    """The evidence's gradient in K, (u, u), entries of rows that are at their largest included."""
    first, second = variances[rows.first], variances[rows.second]
    most = _largest(first, second)
    at_first, at_second = rows.coef_first >= most, rows.coef_second >= most
    if not (at_first.any() or at_second.any()):
        return gradient.by_kernel
    by_most = np.where(at_first, gradient.by_coef_first, 0.0) + np.where(at_second, gradient.by_coef_second, 0.0)
    wider, by_kernel = np.where(first >= second, rows.first, rows.second), gradient.by_kernel.copy()
    np.add.at(by_kernel, (wider, wider), -0.5 * by_most * most / np.maximum(first, second))
    return by_kernel


def _product_where(moves: BoolArray, by_coefficient: Array, by_noise: Array) -> Array:
    """The chain rule through entries of rows that move with the noise; the others may have an infinite slope."""
    return np.where(moves, by_coefficient, 0.0) * np.where(moves, by_noise, 0.0)
