"""Laplace's approximation: a Gaussian at the mode (appendix "Details of heteroscedastic Laplace inference").

Symbols as in `anchorpbo.posterior.spaces`: latent = S a, margins g = H S a. The mode maximises the log-concave

    psi(a) = sum_k log p(g_k) - a' S a / 2            with gradient  S (H' dlogp - a)

By Newton's method on the dual vector a: the sites w = -d2logp, b = dlogp + w g at the current margins, solved, are the
full step, and a backtracking line search makes it converge from anywhere. At the mode the sites are the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, Inferred, Info
from anchorpbo.likelihoods import Likelihood, Terms
from anchorpbo.posterior import Sites, Solution, Space
from anchorpbo.typing import Array

CONVERGED = 1e-8
"""Scaled gradient norm sqrt(r'Sr) / (1 + sqrt(a'Sa)), r = H' dlogp - a, below which the mode is found."""

# Newton converges quadratically, so going on to rounding costs a step or two and makes evidence gradients exact.
_AIM = 1e-12
_FLAT = 1e-12
_MOST_STEPS = 200
_MOST_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Mode:
    """The mode, and the Gaussian there."""

    margins: Array
    """g at the mode, (m,)."""
    terms: Terms
    """log p and its derivatives there."""
    dual: Array
    """a, (n,)."""
    objective: float
    """psi at the mode."""
    solution: Solution
    """The posterior under the sites at the mode."""
    steps: int
    residual: float


def mode_sites(margins: Array, terms: Terms) -> Sites:
    """The second-order expansion of log p at these margins."""
    precision = np.maximum(-terms.d2, 0.0)
    return Sites(precision, terms.d1 + precision * margins)


def find_mode(space: Space, likelihood: Likelihood, start: Array | None = None) -> Mode:
    """Newton's method, from margins `start`, (m,), or from zero."""
    tied = space.rows.tied
    if start is None:
        dual = np.zeros(len(space.prior))
    else:
        # Margins need not be reachable by any utility; the sites there always are.
        dual = space.solve(mode_sites(start, likelihood.log_prob(start, tied))).dual
    latent = space.prior @ dual
    margins = space.margins(latent)
    terms = likelihood.log_prob(margins, tied)
    objective = _objective(terms, dual, latent)

    steps, residual = 0, _residual(space, terms, dual, latent)
    solution = space.solve(mode_sites(margins, terms))
    while residual > _AIM and steps < _MOST_STEPS:
        direction = solution.dual - dual
        latent_direction = space.prior @ direction
        for halving in range(_MOST_HALVINGS):
            step = 0.5**halving
            new_dual, new_latent = dual + step * direction, latent + step * latent_direction
            new_margins = space.margins(new_latent)
            new_terms = likelihood.log_prob(new_margins, tied)
            new_objective = _objective(new_terms, new_dual, new_latent)
            new_residual = _residual(space, new_terms, new_dual, new_latent)
            # Near the mode psi is flat to rounding and cannot tell steps apart; the gradient still can.
            flat = new_objective > objective - _FLAT * (1.0 + abs(objective))
            if new_objective > objective or (flat and new_residual < residual):
                break
        else:
            break
        dual, latent, margins, terms = new_dual, new_latent, new_margins, new_terms
        objective, residual, steps = new_objective, new_residual, steps + 1
        solution = space.solve(mode_sites(margins, terms))
    return Mode(margins, terms, dual, objective, solution, steps, residual)


def _objective(terms: Terms, dual: Array, latent: Array) -> float:
    return float(terms.value.sum() - 0.5 * dual @ latent)


def _residual(space: Space, terms: Terms, dual: Array, latent: Array) -> float:
    r = space.pull(terms.d1) - dual
    # Rounding can leave the quadratic forms of a singular S a little below zero.
    left, size = max(float(r @ space.prior @ r), 0.0), max(float(dual @ latent), 0.0)
    return float(np.sqrt(left) / (1.0 + np.sqrt(size)))


@dataclass(frozen=True)
class Laplace(Inference):
    """Gaussian at the mode; any log-concave link. Fast, and the basis of the evidence."""

    def infer(
        self, space: Space, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> Inferred:
        """The sites at the mode."""
        mode = find_mode(space, likelihood, start)
        info = Info("laplace", mode.residual <= CONVERGED, mode.steps, mode.residual)
        return Inferred(mode_sites(mode.margins, mode.terms), info, mode.margins)
