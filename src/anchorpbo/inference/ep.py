"""Expectation propagation (appendix "Details of heteroscedastic expectation propagation inference").

Symbols: (mu, s2) moments of a margin under the posterior, (mu_c, s2_c) under the cavity, the posterior without its own
site (w, b). With Z(mu_c) the expected likelihood under the cavity, slope = dlogZ and kappa = -d2logZ >= 0,

    s2_c = s2 / (1 - w s2)        mu_c = (mu - b s2) / (1 - w s2)
    w   <- kappa / rest       b <- (slope + kappa mu_c) / rest       rest = 1 - kappa s2_c

match the moments of cavity times likelihood. Starting from Laplace's sites, all are updated at once: near the answer
such a pass acts like a Newton step. It moves the means by the last one's variances and the other way round, so it
takes two to bring the sites closer; extrapolating from the last few [Anderson1965] saves one in four. Where duels
repeat each other and the noise is small the passes overshoot together: if three do not help, sites are from then on
updated one by one, each seeing the last one's effect.

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
from anchorpbo.likelihoods.mixture import ProbitMixture, expected_outcome
from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_integer, as_positive
from anchorpbo.posterior import DuelLatent, ExactLatent, LatentGaussian, PointLatent, Sites, Solution
from anchorpbo.typing import Array, BoolArray, IntArray

# Passes start at Laplace's sites, give or take so many standard deviations: their first moves are larger than that.
_MODE_DECREMENT = 1e-2
# So many passes must bring the change down to this share of what it was, or they are given up for single updates.
_TRIAL_PASSES, _CONTRACTION = 3, 0.5
# Passes that are extrapolated from, once the change is below 1: further away they are no straight line.
_EXTRAPOLATED_PASSES = 4
# A pass that changes the sites in the same direction as others, but for this share, tells nothing new.
_MIN_NEW_DIRECTION = 1e-8
# Single updates that no longer bring the change down have come to rounding; not so while it is large, for Laplace's
# sites may be 1e5 standard deviations from here where there is hardly any noise.
_STALL_RATIO, _MAX_STALLS = 0.95, 4
# A last pass that moves a margin by more than this many standard deviations has diverged: Laplace's sites are returned.
_MAX_CHANGE = 1.0
# Margins whose prior is wider than this, in units of the noise, are told from one another in duel space, while duels
# are this many at most.
_MAX_MARGIN_VARIANCE, _MAX_DUELS = 1e8, 1000
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class EP(Inference):
    """Expectation propagation: matches the posterior's moments duel by duel; the most accurate Gaussian here."""

    tolerance: float = 1e-7
    """Largest change of a margin's moments, in units of its standard deviation, at which to stop."""
    max_passes: int = 200
    """Passes after which to give up and say so."""

    def __post_init__(self) -> None:
        super().__post_init__()
        as_positive("tolerance", self.tolerance)
        as_integer("max_passes", self.max_passes, 1)

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Passes from Laplace's sites, in parallel while that contracts, else one by one."""
        latent = _avoid_cancellation(latent)
        mode = find_mode(latent, likelihood, start, _MODE_DECREMENT)
        solution, change, passes = mode.solution, np.inf, 0
        update, stalled, lately = match_all, 0, deque([np.inf] * _TRIAL_PASSES, _TRIAL_PASSES)
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
                # Whatever the passes did to the sites, Laplace's are the safer place to start from.
                update, solution = match_one_by_one, mode.solution
            else:
                stalled = stalled + 1 if _STALL_RATIO * last < change < _MAX_CHANGE else 0
        info = Info("ep", change <= self.tolerance, passes, change)
        # Passes that still move the posterior by more than its own width have led nowhere.
        sites = mode.require_sites() if change > _MAX_CHANGE else solution.sites
        return InferenceResult(sites, info, mode.margins)


def _avoid_cancellation(latent: LatentGaussian) -> LatentGaussian:
    """Choose duel space where margins, as differences of utilities, would lose more digits than passes can bear."""
    if not isinstance(latent, PointLatent) or len(latent.rows) > _MAX_DUELS:
        return latent
    is_wide = latent.rows.max_margin_variance(latent.kernel_matrix) > _MAX_MARGIN_VARIANCE
    return DuelLatent(latent.rows, latent.kernel_matrix) if is_wide else latent


def match_all(latent: LatentGaussian, likelihood: Likelihood, solution: Solution) -> Sites:
    """The sites that match, each against its own cavity, all from the same posterior."""
    mu_c, s2_c = latent.cavities(solution)
    logZ = likelihood.log_marginal(mu_c, s2_c, latent.rows.tied)
    return Sites(-logZ.d2 / logZ.variance_ratio, (logZ.d1 - logZ.d2 * mu_c) / logZ.variance_ratio)


class Extrapolation:
    """Anderson's: go where the last passes' changes, if they were linear in the sites, would cancel best."""

    def __init__(self, variances: Array) -> None:
        # Changes of precision and linear term weigh as they do for a margin of this variance.
        self._weights = np.concatenate([variances, np.sqrt(variances)])
        self._passes = np.empty((0, 2, len(self._weights)))

    def beyond(self, before: Sites, after: Sites) -> Sites:
        """Sites further on than a pass from `before` to `after`."""
        end = np.concatenate([after.precision, after.linear])
        change = self._weights * (end - np.concatenate([before.precision, before.linear]))
        self._passes = np.concatenate([[[change, end]], self._passes[: _EXTRAPOLATED_PASSES - 1]])
        # A site without precision says nothing: there the pass itself is kept.
        further, reached = _extrapolate(self._passes).reshape(2, -1), end.reshape(2, -1)
        return Sites(*np.where(further[0] > 0.0, further, reached))


def _extrapolate(passes: Array) -> Array:
    """The end of the newest pass less what least squares, over differences of passes, makes of its change.

    Passes come newest first, (k, 2, n), each its change and its end. The differences of changes are made orthogonal by
    Gram and Schmidt; whatever is done to them is done to those of the ends.
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
    """The same, each site seeing the effect of those before it by a rank-one update of the posterior."""
    precision, linear = solution.sites.precision.copy(), solution.sites.linear.copy()
    mean, covariance = latent.prior @ solution.dual, solution.covariance.copy()
    tied, tau, outcomes = latent.rows.tied, likelihood.tau, likelihood.outcomes
    if not isinstance(outcomes, ProbitMixture):
        _sweep_any_link(precision, linear, mean, covariance, latent, likelihood)
    elif isinstance(latent, ExactLatent):
        a, b, first, second = latent.sparse_rows
        _sweep(precision, linear, mean, covariance, a, b, first, second, tied, tau, *outcomes.parts)
    else:
        _sweep_dense(precision, linear, mean, covariance, latent.dense_rows, tied, tau, *outcomes.parts)
    return Sites(precision, linear)


def _sweep_any_link(
    precision: Array, linear: Array, mean: Array, covariance: Array, latent: LatentGaussian, likelihood: Likelihood
) -> None:
    """Do what `_sweep` does, for a link of any kind, interpreted."""
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
        curvature, ratio = logZ.d2[0], logZ.variance_ratio[0]
        new_precision, new_linear = -curvature / ratio, (logZ.d1[0] - curvature * mu_c) / ratio
        more, shift = new_precision - precision[k], new_linear - linear[k]
        grown = 1.0 + more * s2
        if not grown > _EPS:
            continue
        mean += effect * ((shift - more * mu) / grown)
        covariance -= np.outer(effect, effect) * (more / grown)
        precision[k], linear[k] = new_precision, new_linear


@jit
def _match_site(
    mu: float, s2: float, precision: float, linear: float, tied: bool, tau: float, tail_rate: float, scales: Array,
    log_weights: Array,
) -> tuple[float, float]:  # fmt: skip
    """The site that matches against its cavity; NaN where there is nothing to learn.

    That is from a design against itself, and from a site that rounding hides.
    """
    share = 1.0 - precision * s2
    if not (s2 > 0.0 and share > _EPS):
        return math.nan, math.nan
    s2_c, mu_c = s2 / share, (mu - linear * s2) / share
    _, slope, curvature, rest = expected_outcome(mu_c, s2_c, tied, tau, tail_rate, scales, log_weights)
    return -curvature / rest, (slope - curvature * mu_c) / rest


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
            mu, s2, precision[k], linear[k], tied[k], tau, tail_rate, scales, log_weights
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
    tail_rate: float,
    scales: Array,
    log_weights: Array,
) -> None:
    for k in range(len(H)):
        effect = covariance @ H[k]  # Cov(x, g_k)
        mu, s2 = H[k] @ mean, H[k] @ effect
        new_precision, new_linear = _match_site(
            mu, s2, precision[k], linear[k], tied[k], tau, tail_rate, scales, log_weights
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
    """Largest change of a margin's mean, in standard deviations, or of the standard deviation's logarithm."""
    variances, earlier = after.margin_variances, before.margin_variances
    if np.isnan(after.margin_means).any() or np.isnan(variances).any():
        return math.inf
    varies = (earlier > 0.0) & (variances > 0.0)  # a design against itself has no margin to move
    shifts = np.abs(after.margin_means - before.margin_means)[varies] / np.sqrt(variances[varies])
    stretches = 0.5 * np.abs(np.log(variances[varies] / earlier[varies]))
    return float(max(shifts.max(initial=0.0), stretches.max(initial=0.0)))
