"""Laplace's approximation: a Gaussian at the mode (appendix "Details of heteroscedastic Laplace inference").

Symbols as in `anchorpbo.posterior.latent`: latent = S a, margins g = H S a. The mode maximises the log-concave
(eq. simple-MAP, its sign turned)

    psi(a) = sum_k log p(g_k) - a' S a / 2            with gradient  S (H' dlogp - a)

By Newton's method on the dual vector a: the sites w = -d2logp, b = dlogp + w g at the current margins, solved, are the
full step, and a backtracking line search makes it converge from anywhere. At the mode the sites are the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anchorpbo.inference.base import Inference, Inferred, Info, checked_start
from anchorpbo.inference.newton import (
    CLOSE,
    LOGISTIC,
    MOST_HALVINGS,
    MOST_STALLS,
    MOST_STEPS,
    PROBIT,
    STALLED,
    newton,
)
from anchorpbo.likelihoods import Likelihood, Logistic, Probit, Terms
from anchorpbo.posterior import DuelSpace, LatentSpace, Sites, Solution
from anchorpbo.typing import Array

CONVERGED = 1e-8
"""Newton decrement below which the mode is found: the step's length in posterior standard deviations. It is taken as a
sum of squares, p' S p + sum_k w_k (H S p)_k^2 for the step p, so that rounding cannot make it vanish."""

ROUNDING = 1e-12
"""Newton converges quadratically, so going on to rounding costs a step or two and makes evidence gradients exact."""

LOST = 1.0
"""Newton decrement above which the mode was not found: answers and scales leave no digits to find it with."""

FEW = 60
"""Up to this many duels Newton's method is compiled as a whole."""
_LINKS: dict[type[Likelihood], int] = {Logistic: LOGISTIC, Probit: PROBIT}


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
    """Newton decrement at the end."""

    def checked_sites(self) -> Sites:
        """The sites at the mode; a `FloatingPointError` where Newton's method ended far from it."""
        if not self.residual <= LOST:
            raise FloatingPointError(f"Newton's method ended {self.residual:.2g} standard deviations from the mode")
        return mode_sites(self.margins, self.terms)


def mode_sites(margins: Array, terms: Terms) -> Sites:
    """The second-order expansion of log p at these margins."""
    precision = np.maximum(-terms.d2, 0.0)
    return Sites(precision, terms.d1 + precision * margins)


def find_mode(space: LatentSpace, likelihood: Likelihood, start: Array | None = None, aim: float = ROUNDING) -> Mode:
    """Newton's method, from margins `start`, (m,), or from zero, whichever is better, to a decrement below `aim`."""
    quickly = _of_few(space, likelihood, start, aim)
    if quickly is not None:
        return quickly
    zero = np.zeros(len(space.prior))
    here = _State.at(space, likelihood, zero, zero)
    if start is not None:
        # Margins need not be reachable by any utility; the sites there always are.
        start = checked_start(space, start)
        dual = space.solve(mode_sites(start, _terms(space, likelihood, start))).dual
        there = _State.at(space, likelihood, dual, space.prior @ dual)
        here = there if there.objective > here.objective else here
    residual, steps, stalls = np.inf, 0, 0
    while True:
        solution = space.solve(mode_sites(here.margins, here.terms))
        direction = solution.dual - here.dual
        last = residual
        residual, latent_direction = _decrement(space, solution, direction)
        stalls += residual < CLOSE and residual > STALLED * last
        if residual <= aim or stalls == MOST_STALLS or steps == MOST_STEPS:
            break
        for halving in range(MOST_HALVINGS):
            step = 0.5**halving
            there = _State.at(space, likelihood, here.dual + step * direction, here.latent + step * latent_direction)
            if there.objective > here.objective or residual < CLOSE:
                break
        else:
            break  # no step is better, however short: rounding is in the way
        here, steps = there, steps + 1
    return Mode(here.margins, here.terms, here.dual, here.objective, solution, steps, residual)


def _of_few(space: LatentSpace, likelihood: Likelihood, start: Array | None, aim: float) -> Mode | None:
    """The mode by `anchorpbo.inference.newton`, where it applies and succeeds."""
    rows, link = space.rows, _LINKS.get(type(likelihood))
    if link is None or len(rows) > FEW or not isinstance(space, DuelSpace) or rows.counts is not None:
        return None
    if not len(rows) or rows.tied.any():
        return None
    start = None if start is None else checked_start(space, start)
    found = newton(space.prior, likelihood.tau, link, start, aim)
    if found is None:
        return None
    dual, margins, steps = found
    here = _State.at(space, likelihood, dual, margins)
    solution = space.solve(mode_sites(here.margins, here.terms))
    residual = _decrement(space, solution, solution.dual - here.dual)[0]
    return Mode(here.margins, here.terms, here.dual, here.objective, solution, steps, residual)


def _decrement(space: LatentSpace, solution: Solution, direction: Array) -> tuple[float, Array]:
    """The Newton decrement of a step in the dual vector, and the step of the latent one."""
    latent = space.prior @ direction
    of_prior = max(float(direction @ latent), 0.0)
    of_sites = float(solution.sites.precision @ space.margins(latent) ** 2)
    return math.sqrt(of_prior + of_sites), latent


@dataclass(frozen=True, eq=False)
class _State:
    dual: Array
    latent: Array
    margins: Array
    terms: Terms
    objective: float

    @classmethod
    def at(cls, space: LatentSpace, likelihood: Likelihood, dual: Array, latent: Array) -> _State:
        margins = space.margins(latent)
        terms = _terms(space, likelihood, margins)
        return cls(dual, latent, margins, terms, float(terms.value.sum() - 0.5 * dual @ latent))


def _terms(space: LatentSpace, likelihood: Likelihood, margins: Array) -> Terms:
    """What the answers say of these margins; a row that stands for several counts so often."""
    return Terms(*space.rows.counted(likelihood.log_prob(margins, space.rows.tied)))


@dataclass(frozen=True)
class Laplace(Inference):
    """Gaussian at the mode; any log-concave link. Fast, and the basis of the evidence."""

    def infer(
        self, space: LatentSpace, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> Inferred:
        """The sites at the mode."""
        mode = find_mode(space, likelihood, start)
        info = Info("laplace", mode.residual <= CONVERGED, mode.steps, mode.residual)
        return Inferred(mode.checked_sites(), info, mode.margins)
