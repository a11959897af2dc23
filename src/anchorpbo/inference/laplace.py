"""Laplace's approximation: a Gaussian at the mode (appendix "Details of heteroscedastic Laplace inference").

Symbols are those of `anchorpbo.posterior.latent`: x = S a, margins g = H S a. The mode maximises the log-concave
function (eq. simple-MAP with opposite sign)

    psi(a) = sum_k log p(g_k) - a' S a / 2            with gradient  S (H' dlogp - a)

Newton's method works on the dual vector a: the solution under the sites w = -d2logp, b = dlogp + w g at the current
margins is the full step, and a backtracking line search ensures convergence from any start. The result is the sites at
the mode.

With lapses psi is not concave. Where d2logp > 0 the sites have w = 0 instead of a negative precision, so the step is an
ascent direction; near the mode the step with the signed w, the solution of (I + H'WH S) a = H'b, converges faster. The
mode found from zero is the one that most answers support. The Gaussian there ignores the negative curvatures, and the
evidence is an approximation for this reason, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, InferenceResult, Info, as_start
from anchorpbo.inference.newton import (
    FLAT_DECREMENT,
    LOGISTIC,
    MAX_HALVINGS,
    MAX_STALLS,
    MAX_STEPS,
    PROBIT,
    STALL_RATIO,
    run_newton,
)
from anchorpbo.likelihoods import Likelihood, Logistic, Probit, Terms
from anchorpbo.posterior import DuelLatent, LatentGaussian, Sites, Solution
from anchorpbo.typing import Array

CONVERGED_DECREMENT = 1e-8
"""Newton decrement below which the mode counts as found: the length of the step in posterior standard deviations. It is
computed as a sum of squares, p' S p + sum_k w_k (H S p)_k^2 for the step p, so that rounding cannot make it vanish."""

ROUNDING_DECREMENT = 1e-12
"""Default tolerance, for exact evidence gradients; it costs a step or two, as Newton converges quadratically."""

MAX_DECREMENT = 1.0
"""Newton decrement above which the mode counts as not found, since too many digits were lost to rounding."""

MAX_COMPILED_DUELS = 60
"""Maximal number of duels for the compiled Newton's method."""
_LINKS: dict[type[Likelihood], int] = {Logistic: LOGISTIC, Probit: PROBIT}


@dataclass(frozen=True, eq=False)
class Mode:
    """The mode, and the Gaussian approximation there."""

    margins: Array
    """Margins g at the mode, (m,)."""
    terms: Terms
    """log p and its derivatives at the mode."""
    dual: Array
    """Dual vector a, (n,)."""
    objective: float
    """Objective psi at the mode."""
    solution: Solution
    """The posterior under the sites at the mode."""
    steps: int
    residual: float
    """Final Newton decrement."""

    def require_sites(self) -> Sites:
        """Return the sites at the mode; raise `FloatingPointError` if Newton's method ended far from it."""
        if not self.residual <= MAX_DECREMENT:
            raise FloatingPointError(f"Newton's method ended {self.residual:.2g} standard deviations from the mode")
        return mode_sites(self.margins, self.terms)


def mode_sites(margins: Array, terms: Terms) -> Sites:
    """Return the sites of the second-order expansion of log p at these margins."""
    precision = np.maximum(-terms.d2, 0.0)
    return Sites(precision, terms.d1 + precision * margins)


def find_mode(
    latent: LatentGaussian, likelihood: Likelihood, start: Array | None = None, tolerance: float = ROUNDING_DECREMENT
) -> Mode:
    """Find the mode by Newton's method, from margins `start`, (m,), or from zero if that has a larger objective.

    It stops at a Newton decrement below `tolerance`.
    """
    quickly = _find_mode_compiled(latent, likelihood, start, tolerance)
    if quickly is not None and (quickly.residual <= tolerance or not likelihood.lapse):
        return quickly
    zero = np.zeros(len(latent.prior))
    current = _Iterate.at(latent, likelihood, zero, zero)
    if quickly is not None:
        current = _Iterate.at(latent, likelihood, quickly.dual, quickly.margins)
    elif start is not None:
        # There may be no utility with these margins, so start from the solution under the sites there.
        start = as_start(latent, start)
        dual = latent.solve(mode_sites(start, _terms(latent, likelihood, start))).dual
        candidate = _Iterate.at(latent, likelihood, dual, latent.prior @ dual)
        current = candidate if candidate.objective > current.objective else current
    residual, steps, stalls = np.inf, 0, 0
    while True:
        solution = latent.solve(mode_sites(current.margins, current.terms))
        direction = solution.dual - current.dual
        last = residual
        residual, x_direction = _compute_decrement(latent, solution, direction)
        if likelihood.lapse and (current.terms.d2 > 0.0).any():
            signed = _find_signed_step(latent, current)
            direction, residual, x_direction = (direction, residual, x_direction) if signed is None else signed
        stalls += residual < FLAT_DECREMENT and residual > STALL_RATIO * last
        if residual <= tolerance or stalls == MAX_STALLS or steps == MAX_STEPS:
            break
        for halving in range(MAX_HALVINGS):
            step = 0.5**halving
            candidate = _Iterate.at(latent, likelihood, current.dual + step * direction, current.x + step * x_direction)
            if candidate.objective > current.objective or residual < FLAT_DECREMENT:
                break
        else:
            break  # even the shortest step does not improve the objective: rounding
        current, steps = candidate, steps + 1
    return Mode(current.margins, current.terms, current.dual, current.objective, solution, steps, residual)


def _find_mode_compiled(
    latent: LatentGaussian, likelihood: Likelihood, start: Array | None, tolerance: float
) -> Mode | None:
    """Find the mode by `anchorpbo.inference.newton`; return ``None`` if that is not applicable or fails."""
    rows, link = latent.rows, _LINKS.get(type(likelihood))
    if link is None or len(rows) > MAX_COMPILED_DUELS or not isinstance(latent, DuelLatent) or rows.counts is not None:
        return None
    if not len(rows) or rows.tied.any():
        return None
    start = None if start is None else as_start(latent, start)
    result = run_newton(latent.prior, likelihood.tau, link, start, tolerance, likelihood.lapse, likelihood.chance)
    if result is None:
        return None
    dual, margins, steps = result
    current = _Iterate.at(latent, likelihood, dual, margins)
    solution = latent.solve(mode_sites(current.margins, current.terms))
    residual = _compute_decrement(latent, solution, solution.dual - current.dual)[0]
    return Mode(current.margins, current.terms, current.dual, current.objective, solution, steps, residual)


def _compute_decrement(latent: LatentGaussian, solution: Solution, direction: Array) -> tuple[float, Array]:
    """Return the Newton decrement of a step in the dual vector, and the step of the latent vector."""
    x = latent.prior @ direction
    of_prior = max(float(direction @ x), 0.0)
    of_sites = float(solution.sites.precision @ latent.margins(x) ** 2)
    return math.sqrt(of_prior + of_sites), x


def solve_signed(latent: LatentGaussian, weights: Array, linear: Array) -> Array:
    """Return a with (I + H'WH S) a = `linear`, (n,), for precisions W of either sign, (m,)."""
    H = latent.dense_rows
    return np.asarray(np.linalg.solve(np.eye(len(linear)) + H.T @ (weights[:, None] * (H @ latent.prior)), linear))


def _find_signed_step(latent: LatentGaussian, current: _Iterate) -> tuple[Array, float, Array] | None:
    """Return Newton's step with signed precisions, its decrement and the step of the latent vector.

    ``None`` if the step is not an ascent direction, that is, if the objective is not concave along it.
    """
    weights = -current.terms.d2
    try:
        dual = solve_signed(latent, weights, latent.apply_transpose(current.terms.d1 + weights * current.margins))
    except np.linalg.LinAlgError:
        return None
    direction = dual - current.dual
    x = latent.prior @ direction
    squared = float(direction @ x + weights @ latent.margins(x) ** 2)
    return (direction, math.sqrt(squared), x) if squared > 0.0 else None


@dataclass(frozen=True, eq=False)
class _Iterate:
    dual: Array
    x: Array
    margins: Array
    terms: Terms
    objective: float

    @classmethod
    def at(cls, latent: LatentGaussian, likelihood: Likelihood, dual: Array, x: Array) -> _Iterate:
        margins = latent.margins(x)
        terms = _terms(latent, likelihood, margins)
        return cls(dual, x, margins, terms, float(terms.value.sum() - 0.5 * dual @ x))


def _terms(latent: LatentGaussian, likelihood: Likelihood, margins: Array) -> Terms:
    """Return log p of the answers and its derivatives at these margins, multiplied by the counts of the rows."""
    return Terms(*latent.rows.weight_by_counts(likelihood.log_prob(margins, latent.rows.tied)))


@dataclass(frozen=True)
class Laplace(Inference):
    """Laplace's approximation. Fast, and the basis of the evidence; with lapses it clips negative curvatures."""

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Return the sites at the mode."""
        mode = find_mode(latent, likelihood, start)
        info = Info("laplace", mode.residual <= CONVERGED_DECREMENT, mode.steps, mode.residual)
        return InferenceResult(mode.require_sites(), info, mode.margins)
