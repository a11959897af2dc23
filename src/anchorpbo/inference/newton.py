"""Newton's method of `anchorpbo.inference.laplace` for few duels in duel space, compiled as a whole.

With some dozen duels a step is a few microseconds of arithmetic, and calling numpy and LAPACK for each would take ten
times as long. The steps are the same, in the same order; tests compare the two.
"""

from __future__ import annotations

import math

import numpy as np

from anchorpbo.likelihoods.expected import log_win
from anchorpbo.numerics.jit import compiled, inlined
from anchorpbo.typing import Array

LOGISTIC, PROBIT = 0, 1
"""Names of the links in compiled code."""
CLOSE = 1e-5
"""Below this decrement psi is too flat to tell steps apart: full steps are taken while they still shrink it."""
STALLED, MOST_STALLS = 0.5, 2
"""Newton squares a small decrement; one that it does not even halve, so often, is rounding."""
MOST_HALVINGS = 40
MOST_STEPS = 200


def newton(C: Array, tau: float, link: int, start: Array | None, aim: float) -> tuple[Array, Array, int] | None:
    """Dual vector and margins at the mode of won duels, (m,) each, and steps; ``None`` where rounding is in the way."""
    m = len(C)
    vectors, square = np.zeros((9, m)), np.empty((m, m))
    given = np.empty((0, m)) if start is None else start.reshape(1, m)
    steps = _newton(np.ascontiguousarray(C), tau, link, given, aim, vectors, square)
    return None if steps < 0 else (vectors[0], vectors[1], steps)


@compiled
def _newton(  # noqa: PLR0912
    C: Array, tau: float, link: int, start: Array, aim: float, vectors: Array, L: Array
) -> int:
    """Leave the dual vector and the margins in the first two vectors; -1 where no factorisation was found."""
    m = len(C)
    dual, margins, slopes, weights, new = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    latent, trial, direction, scratch = vectors[5], vectors[6], vectors[7], vectors[8]
    objective, pulled, residual, step = -math.inf, 0.0, math.inf, 0.0
    steps, halvings, stalls = 0, 0, 0
    # One evaluation a round, at `trial`: at zero first, then at the start, then along each direction.
    for evaluation in range(MOST_STEPS):
        at_start = evaluation == 1 and len(start) > 0
        there = _at(trial, tau, link, slopes, weights) - 0.5 * pulled
        if not (there > objective or residual < CLOSE or at_start or halvings == MOST_HALVINGS):
            step *= 0.5
            halvings += 1
        else:
            if not at_start:
                objective = there
                for k in range(m):
                    dual[k] += step * direction[k]
                    margins[k] = trial[k]
            if evaluation == 0 and len(start) > 0:
                for k in range(m):
                    trial[k] = start[0, k]
                continue
            if not _solve(C, trial, slopes, weights, scratch, new, L):
                return -1
            for k in range(m):
                direction[k] = new[k] - dual[k]
            _times(C, direction, latent)
            decrement = 0.0
            for k in range(m):
                decrement += (direction[k] + weights[k] * latent[k]) * latent[k]
            if not at_start:
                last, residual = residual, math.sqrt(max(decrement, 0.0))
                stalls += 1 if residual < CLOSE and residual > STALLED * last else 0
                if residual <= aim or stalls == MOST_STALLS:
                    return steps
            step, halvings, steps = 1.0, 0, steps + 1
        pulled = 0.0
        for k in range(m):
            trial[k] = margins[k] + step * latent[k]
            pulled += (dual[k] + step * direction[k]) * trial[k]
    return -1


@inlined
def _at(margins: Array, tau: float, link: int, slopes: Array, weights: Array) -> float:
    """The sum of log p; fills its first derivative and minus its second."""
    total = 0.0
    for k in range(len(margins)):
        z = margins[k] - tau
        if link == PROBIT:
            value, slope, curvature, _ = log_win(z)
            total, slopes[k], weights[k] = total + value, slope, max(-curvature, 0.0)
        else:
            t = math.exp(-abs(z))
            larger, smaller = 1.0 / (1.0 + t), t / (1.0 + t)
            total += min(z, 0.0) - math.log1p(t)
            slopes[k], weights[k] = smaller if z > 0.0 else larger, larger * smaller
    return total


@inlined
def _solve(C: Array, margins: Array, slopes: Array, weights: Array, root: Array, dual: Array, L: Array) -> bool:
    """The dual vector under the sites at these margins: W^1/2 (I + W^1/2 C W^1/2)^-1 W^-1/2 b."""
    m = len(C)
    for i in range(m):
        root[i] = math.sqrt(weights[i])
        dual[i] = (slopes[i] + weights[i] * margins[i]) / root[i] if root[i] > 0.0 else 0.0
    for i in range(m):
        for j in range(i + 1):
            entry = root[i] * C[i, j] * root[j] + (1.0 if i == j else 0.0)
            for k in range(j):
                entry -= L[i, k] * L[j, k]
            if i > j:
                L[i, j] = entry / L[j, j]
            elif entry > 0.0:
                L[i, i] = math.sqrt(entry)
            else:
                return False
        for k in range(i):
            dual[i] -= L[i, k] * dual[k]
        dual[i] /= L[i, i]
    for i in range(m - 1, -1, -1):
        dual[i] /= L[i, i]
        for k in range(i):
            dual[k] -= L[i, k] * dual[i]
    for i in range(m):
        dual[i] *= root[i]
    return True


@inlined
def _times(C: Array, x: Array, out: Array) -> None:
    """C x of a symmetric C."""
    for i in range(len(x)):
        out[i] = 0.0
    for k in range(len(x)):
        for i in range(len(x)):
            out[i] += C[k, i] * x[k]
