"""Compiled Newton's method of `anchorpbo.inference.laplace`, for few duels in duel space.

With some dozen duels a step takes a few microseconds, and the overhead of numpy and LAPACK calls would be ten times as
long. The steps are the same as in `laplace`, in the same order; tests compare the two.
"""

from __future__ import annotations

import math

import numpy as np

from anchorpbo.likelihoods.lapse import mix_outcome
from anchorpbo.likelihoods.mixture import log_win
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array

LOGISTIC, PROBIT = 0, 1
"""Codes of the links in compiled code."""
FLAT_DECREMENT = 1e-5
"""Below this decrement psi is too flat to compare steps, so full steps are taken while they reduce the decrement."""
STALL_RATIO, MAX_STALLS = 0.5, 2
"""If the decrement fails to halve this many times, machine precision is reached."""
MAX_HALVINGS = 40
MAX_STEPS = 200


def run_newton(
    C: Array, tau: float, link: int, start: Array | None, tolerance: float, lapse: float = 0.0, chance: float = 0.5
) -> tuple[Array, Array, int] | None:
    """Return the dual vector and margins at the mode of won duels, (m,) each, and the steps; ``None`` if it fails.

    With lapses a negative precision counts as 0, so convergence near the mode may be linear.
    """
    m = len(C)
    vectors, square = np.zeros((9, m)), np.empty((m, m))
    given = np.empty((0, m)) if start is None else start.reshape(1, m)
    steps = _newton(np.ascontiguousarray(C), tau, lapse, chance, link, given, tolerance, vectors, square)
    return None if steps < 0 else (vectors[0], vectors[1], steps)


@jit_tiered
def _newton(  # noqa: PLR0912, PLR0915
    C: Array,
    tau: float,
    lapse: float,
    chance: float,
    link: int,
    start: Array,
    tolerance: float,
    vectors: Array,
    L: Array,
) -> int:
    """Fill the first two vectors with the dual vector and the margins; return the steps, or -1 if it fails.

    This is one long function, because separate functions would double the compilation time.
    """
    m = len(C)
    dual, margins, slopes, weights, new = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    latent, trial, direction, root = vectors[5], vectors[6], vectors[7], vectors[8]
    objective, pulled, residual, step = -math.inf, 0.0, math.inf, 0.0
    steps, halvings, stalls = 0, 0, 0
    # One evaluation per round, at `trial`: first at zero, then at the start, then along each direction.
    for evaluation in range(MAX_STEPS):
        at_start = evaluation == 1 and len(start) > 0
        # -- log p of the duels at `trial`, its slopes and negative curvatures
        there = -0.5 * pulled
        for k in range(m):
            z = trial[k] - tau
            if link == PROBIT:
                value, slope, curvature, _ = log_win(z)
            else:
                t = math.exp(-abs(z))
                larger, smaller = 1.0 / (1.0 + t), t / (1.0 + t)
                value = min(z, 0.0) - math.log1p(t)
                slope, curvature = smaller if z > 0.0 else larger, -(larger * smaller)
            if lapse > 0.0:
                value, slope, curvature, _ = mix_outcome(value, slope, curvature, 1.0, 0.0, lapse, chance)
            there, slopes[k], weights[k] = there + value, slope, max(-curvature, 0.0)
        if not (there > objective or residual < FLAT_DECREMENT or at_start or halvings == MAX_HALVINGS):
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
            # -- the dual vector under these sites: new = W^1/2 (I + W^1/2 C W^1/2)^-1 W^-1/2 b, by Cholesky
            for i in range(m):
                root[i] = math.sqrt(weights[i])
                new[i] = (slopes[i] + weights[i] * trial[i]) / root[i] if root[i] > 0.0 else 0.0
                for j in range(i + 1):
                    entry = root[i] * C[i, j] * root[j] + (1.0 if i == j else 0.0)
                    for k in range(j):
                        entry -= L[i, k] * L[j, k]
                    if i == j and not entry > 0.0:
                        return -1
                    L[i, j] = math.sqrt(entry) if i == j else entry / L[j, j]
                for k in range(i):
                    new[i] -= L[i, k] * new[k]
                new[i] /= L[i, i]
            for i in range(m - 1, -1, -1):
                new[i] /= L[i, i]
                for k in range(i):
                    new[k] -= L[i, k] * new[i]
            # -- the direction in the dual vector and in the margins, and the Newton decrement
            for k in range(m):
                direction[k] = new[k] * root[k] - dual[k]
                latent[k] = 0.0
            for i in range(m):
                for k in range(m):
                    latent[k] += C[i, k] * direction[i]
            decrement = 0.0
            for k in range(m):
                decrement += (direction[k] + weights[k] * latent[k]) * latent[k]
            if not at_start:
                last, residual = residual, math.sqrt(max(decrement, 0.0))
                stalls += 1 if residual < FLAT_DECREMENT and residual > STALL_RATIO * last else 0
                if residual <= tolerance or stalls == MAX_STALLS:
                    return steps
            step, halvings, steps = 1.0, 0, steps + 1
        pulled = 0.0
        for k in range(m):
            trial[k] = margins[k] + step * latent[k]
            pulled += (dual[k] + step * direction[k]) * trial[k]
    return -1
