"""Expectation propagation (appendix "Details of heteroscedastic expectation propagation inference").

Symbols: (mu, s2) are the moments of a margin under the posterior, (mu_c, s2_c) under the cavity, which is the posterior
without the margin's site (w, b). With Z(mu_c) the expected likelihood under the cavity, slope = dlogZ and
kappa = -d2logZ >= 0, the updates

    s2_c = s2 / (1 - w s2)        mu_c = (mu - b s2) / (1 - w s2)
    w   <- kappa / rest       b <- (slope + kappa mu_c) / rest       rest = 1 - kappa s2_c

match the moments of cavity times likelihood. Starting from Laplace's sites, all sites are updated in parallel; near the
fixed point such a pass acts like a Newton step. A pass updates means with the previous variances and vice versa, so two
passes are needed to get closer; Anderson extrapolation from the last few passes [Anderson1965] saves one pass in four.
With repeated duels and small noise, parallel updates overshoot. If three passes do not reduce the change, sites are
updated sequentially from then on, each update taking the previous ones into account.

With lapses kappa < 0 for a surprising answer, and the matching precision is negative. It is then replaced by a small
positive share of the cavity's precision, and b by the term that matches the mean: the answer moves the mean as it
should, but does not widen the posterior. Negative precisions would be more accurate for a few answers, but the passes
then often oscillate (docs/decisions/0037-lapses.md). Sequential updates with lapses take half the step.

References
----------
[Anderson1965] D. G. Anderson. Iterative procedures for nonlinear integral equations. Journal of the ACM 12, 547-560,
1965.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, InferenceResult, Info
from anchorpbo.inference.laplace import find_mode
from anchorpbo.likelihoods import Likelihood
from anchorpbo.likelihoods.lapse import mix_outcome
from anchorpbo.likelihoods.mixture import ProbitMixture, expected_outcome
from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_integer, as_positive
from anchorpbo.posterior import DuelLatent, ExactLatent, LatentGaussian, PointLatent, Sites, Solution
from anchorpbo.typing import Array, BoolArray, IntArray

# Accuracy of the initial Laplace mode, in standard deviations; the first passes move the sites further than this.
_MODE_DECREMENT = 1e-2
# If this many parallel passes do not reduce the change to this share, sequential updates are used instead.
_TRIAL_PASSES, _CONTRACTION = 3, 0.5
# Number of passes used for extrapolation once the change is below 1; further away the passes are not linear.
_EXTRAPOLATED_PASSES = 4
# A direction whose part orthogonal to the others is below this share of its length is ignored.
_MIN_NEW_DIRECTION = 1e-8
# If sequential updates fail this often to reduce the change, they have reached rounding. This is not checked while the
# change is large: with very small noise, Laplace's sites may be 1e5 standard deviations away.
_STALL_RATIO, _MAX_STALLS = 0.95, 4
# With lapses the change may grow for some passes before it falls, so only a small change can be rounding.
_MAX_STALLED_CHANGE = 1e-3
# If the last pass moves a margin by more standard deviations than this, EP has diverged; Laplace's sites are returned.
_MAX_CHANGE = 1.0
# Duel space is used if a margin's prior variance, in units of the noise, exceeds this and there are at most this many
# duels.
_MAX_MARGIN_VARIANCE, _MAX_DUELS = 1e8, 1000
_EPS = float(np.finfo(float).eps)
# Smallest precision of a site with lapses, as a share of its cavity's precision; step of its sequential updates.
_MIN_PRECISION_SHARE, _DAMPING = 1e-6, 0.5


@dataclass(frozen=True)
class EP(Inference):
    """Expectation propagation: matches the posterior's moments duel by duel; the most accurate Gaussian here."""

    tolerance: float = 1e-7
    """Stop when no margin's moments change by more than this many standard deviations."""
    max_passes: int = 200
    """Maximal number of passes; after that the result is marked as not converged."""

    def __post_init__(self) -> None:
        super().__post_init__()
        as_positive("tolerance", self.tolerance)
        as_integer("max_passes", self.max_passes, 1)

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Return the EP sites, by parallel passes from Laplace's sites while they contract, then sequential ones."""
        latent = _avoid_cancellation(latent)
        mode = find_mode(latent, likelihood, start, _MODE_DECREMENT)
        solution, change, passes = mode.solution, np.inf, 0
        update, stalled, lately = match_all, 0, deque([np.inf] * _TRIAL_PASSES, _TRIAL_PASSES)
        largest = _MAX_STALLED_CHANGE if likelihood.lapse else _MAX_CHANGE
        extrapolation = Extrapolation(mode.solution.margin_variances)
        while change > self.tolerance and passes < self.max_passes and stalled < _MAX_STALLS:
            sites = update(latent, likelihood, solution)
            if update is match_all and change < 1.0:
                sites = extrapolation.beyond(solution.sites, sites)
            before, solution = solution, latent.solve(sites)
            last, change = change, _measure_change(before, solution)
            passes += 1
            lately.append(last)
            if update is match_all and change > max(_CONTRACTION * lately[0], self.tolerance):
                # The parallel passes may have diverged, so restart from Laplace's sites.
                update, solution = match_one_by_one, mode.solution
            else:
                stalled = stalled + 1 if _STALL_RATIO * last < change < largest else 0
        info = Info("ep", change <= self.tolerance, passes, change)
        # If the last pass moved the posterior by more than its width, EP has diverged.
        sites = mode.require_sites() if change > _MAX_CHANGE else solution.sites
        return InferenceResult(sites, info, mode.margins)


def _avoid_cancellation(latent: LatentGaussian) -> LatentGaussian:
    """Return duel space if margins computed as differences of utilities would lose too many digits."""
    if not isinstance(latent, PointLatent) or len(latent.rows) > _MAX_DUELS:
        return latent
    is_wide = latent.rows.max_margin_variance(latent.kernel_matrix) > _MAX_MARGIN_VARIANCE
    return DuelLatent(latent.rows, latent.kernel_matrix) if is_wide else latent


def match_all(latent: LatentGaussian, likelihood: Likelihood, solution: Solution) -> Sites:
    """Return the matching sites, all computed in parallel from the cavities of one posterior."""
    mu_c, s2_c = latent.cavities(solution)
    logZ = likelihood.log_marginal(mu_c, s2_c, latent.rows.tied)
    precision, linear = -logZ.d2 / logZ.variance_ratio, (logZ.d1 - logZ.d2 * mu_c) / logZ.variance_ratio
    if likelihood.lapse > 0.0:
        least = np.divide(_MIN_PRECISION_SHARE, s2_c, out=np.zeros_like(s2_c), where=s2_c > 0.0)
        linear = np.where(precision < least, logZ.d1 * (1.0 + least * s2_c) + least * mu_c, linear)
        precision = np.maximum(precision, least)
    return Sites(precision, linear)


class Extrapolation:
    """Anderson extrapolation: the linear combination of the last passes with the smallest predicted change."""

    def __init__(self, variances: Array) -> None:
        # Scales of the precisions and linear terms, from the variances of the margins.
        self._weights = np.concatenate([variances, np.sqrt(variances)])
        self._passes = np.empty((0, 2, len(self._weights)))

    def beyond(self, before: Sites, after: Sites) -> Sites:
        """Return extrapolated sites, given a pass from `before` to `after`."""
        end = np.concatenate([after.precision, after.linear])
        change = self._weights * (end - np.concatenate([before.precision, before.linear]))
        self._passes = np.concatenate([[[change, end]], self._passes[: _EXTRAPOLATED_PASSES - 1]])
        # Where the extrapolated precision is not positive, keep the result of the pass.
        further, reached = _extrapolate(self._passes).reshape(2, -1), end.reshape(2, -1)
        return Sites(*np.where(further[0] > 0.0, further, reached))


def _extrapolate(passes: Array) -> Array:
    """Return the end of the newest pass minus the least-squares prediction of its change, (n,).

    `passes`, (k, 2, n), holds the change and the end of each pass, newest first. The differences of changes are
    orthogonalised by Gram-Schmidt; the same operations are applied to the differences of ends.
    """
    newest, differences = passes[0].copy(), np.diff(passes, axis=0)
    for i in range(len(differences)):
        change = differences[i, 0]
        length = math.sqrt(change @ change)
        for j in range(i):
            differences[i] -= (differences[j, 0] @ change) * differences[j]
        norm = math.sqrt(change @ change)
        differences[i] *= 1.0 / norm if norm > _MIN_NEW_DIRECTION * length else 0.0
        newest -= (change @ newest[0]) * differences[i]
    return np.asarray(newest[1])


def match_one_by_one(latent: LatentGaussian, likelihood: Likelihood, solution: Solution) -> Sites:
    """Return the matching sites, updated sequentially, with a rank-one update of the posterior after each."""
    precision, linear = solution.sites.precision.copy(), solution.sites.linear.copy()
    mean, covariance = latent.prior @ solution.dual, solution.covariance.copy()
    tied, outcomes = latent.rows.tied, likelihood.outcomes
    tau, lapse, chance = likelihood.tau, likelihood.lapse, likelihood.chance
    if not isinstance(outcomes, ProbitMixture):
        _sweep_any_link(precision, linear, mean, covariance, latent, likelihood)
    elif isinstance(latent, ExactLatent):
        a, b, first, second = latent.sparse_rows
        _sweep(precision, linear, mean, covariance, a, b, first, second, tied, tau, lapse, chance, *outcomes.parts)
    else:
        _sweep_dense(precision, linear, mean, covariance, latent.dense_rows, tied, tau, lapse, chance, *outcomes.parts)
    return Sites(precision, linear)


def _sweep_any_link(
    precision: Array, linear: Array, mean: Array, covariance: Array, latent: LatentGaussian, likelihood: Likelihood
) -> None:
    """Update all sites sequentially, like `_sweep`, for any link; not compiled."""
    for k, tied in enumerate(latent.rows.tied):
        if isinstance(latent, ExactLatent):
            a, b, first, second = latent.sparse_rows
            effect = a[k] * covariance[first[k]] - b[k] * covariance[second[k]]  # Cov(latent, g_k)
            mu, s2 = (a[k] * vector[first[k]] - b[k] * vector[second[k]] for vector in (mean, effect))
        else:
            effect = covariance @ latent.dense_rows[k]
            mu, s2 = latent.dense_rows[k] @ mean, latent.dense_rows[k] @ effect
        share = 1.0 - precision[k] * s2
        if not (s2 > 0.0 and share > _EPS):
            continue
        mu_c = (mu - linear[k] * s2) / share
        logZ = likelihood.log_marginal(np.array([mu_c]), np.array([s2 / share]), np.array([tied]))
        moments = mu_c, s2 / share, logZ.d1[0], logZ.d2[0], logZ.variance_ratio[0]
        new_precision, new_linear = _match_moments(*moments, precision[k], linear[k], likelihood.lapse)
        more, shift = new_precision - precision[k], new_linear - linear[k]
        grown = 1.0 + more * s2
        if not grown > _EPS:
            continue
        mean += effect * ((shift - more * mu) / grown)
        covariance -= np.outer(effect, effect) * (more / grown)
        precision[k], linear[k] = new_precision, new_linear


@jit
def _match_moments(
    mu_c: float,
    s2_c: float,
    slope: float,
    curvature: float,
    ratio: float,
    precision: float,
    linear: float,
    lapse: float,
) -> tuple[float, float]:
    """Return the site that matches the moments; with lapses, the site on the way to it from the present one."""
    new_precision, new_linear = -curvature / ratio, (slope - curvature * mu_c) / ratio
    if lapse > 0.0:
        least = _MIN_PRECISION_SHARE / s2_c
        if new_precision < least:
            new_precision, new_linear = least, slope * (1.0 + least * s2_c) + least * mu_c
        new_precision = precision + _DAMPING * (new_precision - precision)
        new_linear = linear + _DAMPING * (new_linear - linear)
    return new_precision, new_linear


@jit
def _match_site(
    mu: float, s2: float, precision: float, linear: float, tied: bool, tau: float, lapse: float, chance: float,
    tail_rate: float, scales: Array, log_weights: Array,
) -> tuple[float, float]:  # fmt: skip
    """Return the site that matches the moments given its cavity; NaN if the site is uninformative.

    That is the case for a design against itself, and if the cavity is lost to rounding.
    """
    share = 1.0 - precision * s2
    if not (s2 > 0.0 and share > _EPS):
        return math.nan, math.nan
    s2_c, mu_c = s2 / share, (mu - linear * s2) / share
    value, slope, curvature, ratio = expected_outcome(mu_c, s2_c, tied, tau, tail_rate, scales, log_weights)
    if lapse > 0.0:
        value, slope, curvature, ratio = mix_outcome(value, slope, curvature, ratio, s2_c, lapse, chance)
    return _match_moments(mu_c, s2_c, slope, curvature, ratio, precision, linear, lapse)


@jit_tiered
def _sweep(
    precision: Array,
    linear: Array,
    mean: Array,
    covariance: Array,
    a: Array,
    b: Array,
    first: IntArray,
    second: IntArray,
    tied: BoolArray,
    tau: float,
    lapse: float,
    chance: float,
    tail_rate: float,
    scales: Array,
    log_weights: Array,
) -> None:
    n = len(mean)
    effect = np.empty(n)
    for k in range(len(a)):
        i, j = first[k], second[k]
        for c in range(n):
            effect[c] = a[k] * covariance[i, c] - b[k] * covariance[j, c]  # Cov(x, g_k)
        mu, s2 = a[k] * mean[i] - b[k] * mean[j], a[k] * effect[i] - b[k] * effect[j]
        new_precision, new_linear = _match_site(
            mu, s2, precision[k], linear[k], tied[k], tau, lapse, chance, tail_rate, scales, log_weights
        )
        more, shift = new_precision - precision[k], new_linear - linear[k]
        grown = 1.0 + more * s2
        if not grown > _EPS:
            continue
        for c in range(n):
            mean[c] += effect[c] * (shift - more * mu) / grown
            for e in range(n):
                covariance[c, e] -= effect[c] * effect[e] * more / grown
        precision[k], linear[k] = new_precision, new_linear


@jit
def _sweep_dense(
    precision: Array,
    linear: Array,
    mean: Array,
    covariance: Array,
    H: Array,
    tied: BoolArray,
    tau: float,
    lapse: float,
    chance: float,
    tail_rate: float,
    scales: Array,
    log_weights: Array,
) -> None:
    for k in range(len(H)):
        effect = covariance @ H[k]  # Cov(x, g_k)
        mu, s2 = H[k] @ mean, H[k] @ effect
        new_precision, new_linear = _match_site(
            mu, s2, precision[k], linear[k], tied[k], tau, lapse, chance, tail_rate, scales, log_weights
        )
        more, shift = new_precision - precision[k], new_linear - linear[k]
        grown = 1.0 + more * s2
        if not grown > _EPS:
            continue
        mean += effect * ((shift - more * mu) / grown)
        for c in range(len(mean)):
            weight = effect[c] * more / grown
            for e in range(len(mean)):
                covariance[c, e] -= weight * effect[e]
        precision[k], linear[k] = new_precision, new_linear


def _measure_change(before: Solution, after: Solution) -> float:
    """Return the largest change of a margin's mean, in standard deviations, or of the log standard deviation."""
    variances, earlier = after.margin_variances, before.margin_variances
    if np.isnan(after.margin_means).any() or np.isnan(variances).any():
        return math.inf
    varies = (earlier > 0.0) & (variances > 0.0)  # the margin of a design against itself is always 0
    shifts = np.abs(after.margin_means - before.margin_means)[varies] / np.sqrt(variances[varies])
    stretches = 0.5 * np.abs(np.log(variances[varies] / earlier[varies]))
    return float(max(shifts.max(initial=0.0), stretches.max(initial=0.0)))
