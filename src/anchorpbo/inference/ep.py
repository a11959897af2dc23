"""Expectation propagation (appendix "Details of heteroscedastic expectation propagation inference").

Symbols: (mu, s2) moments of a margin under the posterior, (mu_c, s2_c) under the cavity, the posterior without its own
site (w, b). With Z(mu_c) the expected likelihood under the cavity, slope = dlogZ and kappa = -d2logZ >= 0,

    s2_c = s2 / (1 - w s2)        mu_c = (mu - b s2) / (1 - w s2)
    w   <- kappa / rest       b <- (slope + kappa mu_c) / rest       rest = 1 - kappa s2_c

match the moments of cavity times likelihood. Starting from Laplace's sites, all are updated at once: near the answer
such a pass acts like a Newton step. It moves the means by the last one's variances and the other way round, so it
takes two to bring the sites closer; extrapolating from the last few [Anderson1965] saves one in four. Where duels
repeat each other and the noise is small the passes overshoot together: if two do not help, sites are from then on
updated one by one, each seeing the last one's effect.

References
----------
[Anderson1965] D. G. Anderson. Iterative procedures for nonlinear integral equations. Journal of the ACM 12, 547-560,
1965.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, Inferred, Info
from anchorpbo.inference.laplace import find_mode
from anchorpbo.likelihoods import Likelihood
from anchorpbo.likelihoods.expected import expected_outcome
from anchorpbo.numerics.checks import positive, whole
from anchorpbo.numerics.jit import compiled
from anchorpbo.posterior import LatentSpace, Sites, Solution
from anchorpbo.typing import Array, BoolArray, IntArray

# Two passes must bring the change down to this share of what it was, or passes are given up for single updates.
_CONTRACTS = 0.5
# Passes that are extrapolated from, once the change is below 1: further away they are no straight line.
_REMEMBERED = 4
# Single updates that no longer bring the change down have come to rounding.
_STALLS, _MOST_STALLS = 0.95, 4
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class EP(Inference):
    """Expectation propagation: matches the posterior's moments duel by duel; the most accurate Gaussian here."""

    tolerance: float = 1e-7
    """Largest change of a margin's moments, in units of its standard deviation, at which to stop."""
    most_passes: int = 200
    """Passes after which to give up and say so."""

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("tolerance", self.tolerance)
        whole("most_passes", self.most_passes, 1)

    def infer(
        self, space: LatentSpace, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> Inferred:
        """Passes from Laplace's sites, in parallel while that contracts, else one by one."""
        mode = find_mode(space, likelihood, start)
        solution, last, change, passes = mode.solution, np.inf, np.inf, 0
        update, stalled = match_all, 0
        extrapolation = Extrapolation(mode.solution.margin_variances)
        while change > self.tolerance and passes < self.most_passes and stalled < _MOST_STALLS:
            sites = update(space, likelihood, solution)
            if update is match_all and change < 1.0:
                sites = extrapolation.beyond(solution.sites, sites)
            before, solution = solution, space.solve(sites)
            last_but_one, last, change = last, change, _change(before, solution)
            passes += 1
            if update is match_all and change > max(_CONTRACTS * last_but_one, self.tolerance):
                # Whatever the passes did to the sites, Laplace's are the safer place to start from.
                update, solution = match_one_by_one, mode.solution
            else:
                stalled = stalled + 1 if change > _STALLS * last else 0
        info = Info("ep", change <= self.tolerance, passes, change)
        return Inferred(solution.sites, info, mode.margins)


def match_all(space: LatentSpace, likelihood: Likelihood, solution: Solution) -> Sites:
    """The sites that match, each against its own cavity, all from the same posterior."""
    mu_c, s2_c = space.cavities(solution)
    logZ = likelihood.expected(mu_c, s2_c, space.rows.tied)
    return Sites(-logZ.d2 / logZ.rest, (logZ.d1 - logZ.d2 * mu_c) / logZ.rest)


class Extrapolation:
    """Anderson's: go where the last passes' changes, if they were linear in the sites, would cancel best."""

    def __init__(self, variances: Array) -> None:
        # Changes of precision and linear term weigh as they do for a margin of this variance.
        self._weights = np.array([variances, np.sqrt(variances)])
        self._passes: deque[tuple[Array, Array]] = deque(maxlen=_REMEMBERED)

    def beyond(self, before: Sites, after: Sites) -> Sites:
        """Sites further on than a pass from `before` to `after`."""
        reached = np.array([after.precision, after.linear])
        self._passes.append((reached, self._weights * (reached - [before.precision, before.linear])))
        ends, changes = (np.array(part) for part in zip(*self._passes, strict=True))
        slopes = np.diff(changes, axis=0).reshape(len(changes) - 1, reached.size).T
        back = np.linalg.lstsq(slopes, changes[-1].ravel(), rcond=None)[0]
        further = reached - np.tensordot(back, np.diff(ends, axis=0), 1)
        # A site without precision says nothing: there the pass itself is kept.
        return Sites(*np.where(further[0] > 0.0, further, reached))


def match_one_by_one(space: LatentSpace, likelihood: Likelihood, solution: Solution) -> Sites:
    """The same, each site seeing the effect of those before it by a rank-one update of the posterior."""
    precision, linear = solution.sites.precision.copy(), solution.sites.linear.copy()
    mean, covariance = space.prior @ solution.dual, solution.covariance.copy()
    a, b, first, second = space.latent_rows
    tied, tau = space.rows.tied, likelihood.tau
    _sweep(precision, linear, mean, covariance, a, b, first, second, tied, tau, *likelihood.tilting)
    return Sites(precision, linear)


@compiled
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
            effect[c] = a[k] * covariance[i, c] - b[k] * covariance[j, c]  # Cov(latent, g_k)
        mu, s2 = a[k] * mean[i] - b[k] * mean[j], a[k] * effect[i] - b[k] * effect[j]
        share = 1.0 - precision[k] * s2
        if not (s2 > 0.0 and share > _EPS):
            continue  # nothing to learn from a design against itself, nor from a site that rounding hides
        s2_c, mu_c = s2 / share, (mu - linear[k] * s2) / share
        _, slope, curvature, rest = expected_outcome(mu_c, s2_c, tied[k], tau, tail_rate, scales, log_weights)
        new_precision, new_linear = -curvature / rest, (slope - curvature * mu_c) / rest
        more, shift = new_precision - precision[k], new_linear - linear[k]
        grown = 1.0 + more * s2
        if not grown > _EPS:
            continue
        for c in range(n):
            mean[c] += effect[c] * (shift - more * mu) / grown
            for e in range(n):
                covariance[c, e] -= effect[c] * effect[e] * more / grown
        precision[k], linear[k] = new_precision, new_linear


def _change(before: Solution, after: Solution) -> float:
    """Largest change of a margin's mean, in standard deviations, or of the standard deviation's logarithm."""
    std_before, std_after = (np.sqrt(s.margin_variances) for s in (before, after))
    moves = (std_after > 0) & (std_before > 0)  # a design against itself has no margin to move
    if not moves.any():
        return 0.0
    shift: Array = np.abs(after.margin_means - before.margin_means)[moves] / std_after[moves]
    stretch: Array = np.abs(np.log(std_after[moves] / std_before[moves]))
    return float(max(shift.max(), stretch.max()))
