"""Generative model of the answers: kernel, noise map and likelihood, with all hyper-parameters in one vector.

theta holds the logarithms of the kernel's hyper-parameters, then of those of the noise map, ``noise_scale``,
``noise_strength`` (if the reliability is not constant) and ``noise_factor[j]`` (if the map has a correction), and of
``tie_threshold`` (if there is one).
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
"""Function that returns the evidence's gradient in theta; entries that are not wanted are 0."""

MIN_NOISE_SHARE = 1e-12
"""Smallest noise of a comparison, as a share of the prior variance of the utility; smaller noise is raised to it.

The entries of a row are then at most (1e-12 k(x, x))^-1/2, so margins computed from utilities keep four digits.
"""


@dataclass(frozen=True, eq=False)
class GenerativeModel:
    """Prior of the utility and likelihood of the answers: the parts of a model that have hyper-parameters."""

    kernel: Kernel
    noise: NoiseMap
    likelihood: Likelihood
    """Likelihood with its tie threshold resolved for the duels."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries of theta."""
        return (
            *self.kernel.parameter_names,
            *(f"noise_{name}" for name in self.noise.parameter_names),
            *self._threshold,
        )

    @property
    def theta(self) -> Array:
        """Logarithms of all hyper-parameters."""
        threshold = np.log([self.likelihood.tau] if self._threshold else [])
        return np.concatenate([self.kernel.log_parameters, self.noise.log_parameters, threshold])

    def at(self, theta: Array) -> GenerativeModel:
        """Return the same model at other hyper-parameters."""
        for_kernel, for_noise, for_threshold = self.split(theta)
        likelihood = self.likelihood
        if self._threshold:
            likelihood = likelihood.with_threshold(float(np.exp(for_threshold[0])))
        return GenerativeModel(
            self.kernel.with_log_parameters(for_kernel), self.noise.with_log_parameters(for_noise), likelihood
        )

    def with_kernel(self, log_parameters: Array) -> GenerativeModel:
        """Return the same model with other hyper-parameters of the kernel, (p,)."""
        return GenerativeModel(self.kernel.with_log_parameters(log_parameters), self.noise, self.likelihood)

    def latent(self, duels: Duels, name: str = "auto") -> ExactLatent:
        """Return the latent vector of these duels: their rows and the prior covariance of their designs."""
        return LATENTS[name](self.rows(duels), self.kernel(duels.points, duels.points))

    def inducing_latent(self, duels: Duels, max_designs: int, tolerance: float = 0.0) -> InducingLatent:
        """Return the latent vector of these duels at inducing points; see `choose_inducing_points`."""
        rows = self.rows(duels)
        return InducingLatent(rows, choose_inducing_points(self.kernel, duels.points, rows, max_designs, tolerance))

    def rows(self, duels: Duels) -> Rows:
        """Return the matrix D of these duels."""
        return limit_rows(self.unlimited_rows(duels), self.kernel.diagonal(duels.points))

    def unlimited_rows(self, duels: Duels) -> Rows:
        """Return the matrix D without the noise floor; it does not depend on the kernel."""
        with np.errstate(over="ignore"):
            return self.likelihood.rows(duels, self.noise(duels.points))

    def coefficients(self, X: Array, Y: Array) -> tuple[Array, Array]:
        """Return the two entries of the row of a comparison of each x_i with y_i, (n,) each."""
        with np.errstate(over="ignore"):
            a, b = self.likelihood.coefficients(self.noise(X), self.noise(Y))
        limit = _max_coefficient(self.kernel.diagonal(X), self.kernel.diagonal(Y))
        return np.minimum(a, limit), np.minimum(b, limit)

    def latent_with_pullback(self, duels: Duels, rows: Rows | None = None) -> tuple[ExactLatent, Pullback]:
        """Return the latent vector, and the chain rule from it to the wanted entries of theta.

        `rows` are the `unlimited_rows` of the duels, if already computed.
        """
        K, pull_kernel = self.kernel.value_with_pullback(duels.points)
        rows = limit_rows(self.unlimited_rows(duels) if rows is None else rows, np.diagonal(K))
        latent = LATENTS["auto"](rows, K)

        def pull(gradient: EvidenceGradient, wanted: BoolArray) -> Array:
            parts: tuple[Callable[[], Array], ...] = (
                lambda: pull_kernel(_add_limit_gradient(rows, np.diagonal(K), gradient)),
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
        limit = _max_coefficient(variances[first], variances[second])
        a_moves, b_moves = rows.coef_first < limit, rows.coef_second < limit  # coefficients at the limit are constant
        by_first = _multiply_where(a_moves, gradient.by_coef_first, coefs.first_by_first)
        by_first += _multiply_where(b_moves, gradient.by_coef_second, coefs.second_by_first)
        by_second = _multiply_where(a_moves, gradient.by_coef_first, coefs.first_by_second)
        by_second += _multiply_where(b_moves, gradient.by_coef_second, coefs.second_by_second)
        slopes = self.noise.log_parameter_gradients(duels.points)
        return np.array(
            [by_first @ slopes[name][first] + by_second @ slopes[name][second] for name in self.noise.parameter_names]
        )

    def split(self, theta: Values) -> tuple[Values, Values, Values]:
        """Split a vector like theta into the entries of the kernel, of the noise map and of the threshold."""
        end = len(self.kernel.parameter_names)
        last = end + len(self.noise.parameter_names)
        return theta[:end], theta[end:last], theta[last:]

    @property
    def _threshold(self) -> tuple[str, ...]:
        return ("tie_threshold",) if self.likelihood.tau > 0 else ()


def limit_rows(rows: Rows, variances: Array) -> Rows:
    """Limit the coefficients of rows: their noise is at least `MIN_NOISE_SHARE` of the prior variances, (u,)."""
    largest = max(float(rows.coef_first.max(initial=0.0)), float(rows.coef_second.max(initial=0.0)))
    if largest <= _max_coefficient(variances.max(initial=0.0)):
        return rows
    limit = _max_coefficient(variances[rows.first], variances[rows.second])
    return replace(rows, coef_first=np.minimum(rows.coef_first, limit), coef_second=np.minimum(rows.coef_second, limit))


def _max_coefficient(*variances: Array) -> Array:
    """Return the largest coefficient of a row whose designs have these prior variances."""
    return np.asarray(1.0 / np.sqrt(MIN_NOISE_SHARE * np.maximum.reduce(variances)))


def _add_limit_gradient(rows: Rows, variances: Array, gradient: EvidenceGradient) -> Array:
    """Return the evidence's gradient in K, (u, u), with the contribution of coefficients at their limit."""
    first, second = variances[rows.first], variances[rows.second]
    limit = _max_coefficient(first, second)
    at_first, at_second = rows.coef_first >= limit, rows.coef_second >= limit
    if not (at_first.any() or at_second.any()):
        return gradient.by_kernel
    by_most = np.where(at_first, gradient.by_coef_first, 0.0) + np.where(at_second, gradient.by_coef_second, 0.0)
    wider, by_kernel = np.where(first >= second, rows.first, rows.second), gradient.by_kernel.copy()
    np.add.at(by_kernel, (wider, wider), -0.5 * by_most * limit / np.maximum(first, second))
    return by_kernel


def _multiply_where(moves: BoolArray, by_coefficient: Array, by_noise: Array) -> Array:
    """Apply the chain rule to coefficients that depend on the noise; the slopes of the others may be infinite."""
    return np.where(moves, by_coefficient, 0.0) * np.where(moves, by_noise, 0.0)
