"""Expectation propagation (appendix "Details of heteroscedastic expectation propagation inference").

Symbols: (mu, s2) moments of a margin under the posterior, (mu_c, s2_c) under the cavity, the posterior without its own
site. With Z(mu_c) the expected likelihood under the cavity, slope = dlogZ and kappa = -d2logZ >= 0,

    s2_c = s2 / (1 - w s2)        mu_c = (mu - b s2) / (1 - w s2)
    w   <- kappa / (1 - kappa s2_c)        b <- (slope + kappa mu_c) / (1 - kappa s2_c)

match the moments of cavity times likelihood. All sites are updated at once, from those of Laplace: near the answer a
pass acts like a Newton step. A pass that does not reduce the change is damped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, Inferred, Info
from anchorpbo.inference.laplace import find_mode, mode_sites
from anchorpbo.likelihoods import Likelihood
from anchorpbo.posterior import Sites, Solution, Space
from anchorpbo.typing import Array

_LEAST_STEP = 0.05


@dataclass(frozen=True)
class EP(Inference):
    """Expectation propagation: matches the posterior's moments duel by duel; the most accurate Gaussian here."""

    tolerance: float = 1e-8
    """Largest change of a margin's moments, in units of its standard deviation, at which to stop."""
    most_passes: int = 500
    """Passes after which to give up and say so."""

    def infer(
        self, space: Space, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> Inferred:
        """Damped parallel passes from Laplace's sites."""
        mode = find_mode(space, likelihood, start)
        sites, solution = mode_sites(mode.margins, mode.terms), mode.solution
        step, change, passes = 1.0, np.inf, 0
        while passes < self.most_passes and len(space.rows):
            proposed = match_moments(space, likelihood, solution)
            sites = Sites(
                sites.precision + step * (proposed.precision - sites.precision),
                sites.linear + step * (proposed.linear - sites.linear),
            )
            before, solution = solution, space.solve(sites)
            passes += 1
            last, change = change, _change(before, solution) / step
            if change <= self.tolerance:
                break
            if change > 0.9 * last:
                step = max(0.5 * step, _LEAST_STEP)
        converged = change <= self.tolerance or not len(space.rows)
        return Inferred(sites, Info("ep", bool(converged), passes, float(change) if passes else 0.0), mode.margins)


def match_moments(space: Space, likelihood: Likelihood, solution: Solution) -> Sites:
    """The sites that match, each against its own cavity."""
    mu, s2, sites = solution.margin_means, solution.margin_variances, solution.sites
    # 1 - w s2 is the share of the margin's precision that is not its own; rounding must not take it all.
    share = np.maximum(1.0 - sites.precision * s2, np.finfo(float).eps)
    s2_c, mu_c = s2 / share, (mu - sites.linear * s2) / share
    logZ = likelihood.expected(mu_c, s2_c, space.rows.tied)
    kappa = np.maximum(-logZ.d2, 0.0)
    rest = np.maximum(1.0 - kappa * s2_c, np.finfo(float).eps)
    return Sites(kappa / rest, (logZ.d1 + kappa * mu_c) / rest)


def _change(before: Solution, after: Solution) -> float:
    """Largest change of a margin's mean, in standard deviations, or of the standard deviation's logarithm."""
    std_before, std_after = (np.sqrt(s.margin_variances) for s in (before, after))
    moves = std_after > 0  # a design against itself has no margin to move
    if not moves.any():
        return 0.0
    shift: Array = np.abs(after.margin_means - before.margin_means)[moves] / std_after[moves]
    stretch: Array = np.abs(np.log(std_after[moves] / np.maximum(std_before[moves], np.finfo(float).tiny)))
    return float(max(shift.max(), stretch.max()))
