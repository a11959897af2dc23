"""Hallucination Believer (appendix "Details of heteroscedastic Hallucination Believer inference").

Given f, a duel is won when z = g + (unit Gaussian noise) exceeds tau and tied when |z| < tau. Before the answers are
known z ~ N(0, C + I). The answers cut it to a box, and a draw z~ from there, the hallucination, is believed as if it
had been observed: sites of target z~ and variance 1 (eq. posterior-hb). One draw is the paper's method. Many of them,
mixed, are the exact skew posterior up to Monte Carlo error.

Gibbs sampling (algorithm trunc-MVN, whose conditional mean lost a term): with Q = (C + I)^-1, coordinate j given the
others is N(z_j - [Q z]_j / Q_jj, 1 / Q_jj), cut. The product Q z is kept up to date as z changes:

    duel space    Q itself, O(m) a coordinate
    point space   Q = I - D S D' with S = (K^-1 + D'D)^-1, through y = S D' z, O(u) a coordinate: the same chain
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import IncompatibleError
from anchorpbo.inference.base import Inference, Inferred, Info, checked_start
from anchorpbo.inference.chain import Schedule
from anchorpbo.likelihoods import Likelihood, Probit
from anchorpbo.numerics.jit import compiled
from anchorpbo.numerics.truncated import draw_above, draw_between
from anchorpbo.posterior import DuelSpace, LatentSpace, Sites
from anchorpbo.typing import Array, BoolArray, IntArray

_WIDEST = 1e6
_MOST_DUELS = 5000


@dataclass(frozen=True)
class Hallucination(Inference):
    """One draw of the latent judgements, or a mixture of many; probit only.

    Keeps `draws` draws, the first after `sweeps` Gibbs sweeps and the others `thin` apart: 1 is the paper's method,
    hundreds are the exact posterior up to Monte Carlo error.
    """

    sweeps: int = 1000
    """Gibbs sweeps before the first draw is kept; the published setting."""
    draws: int = 1
    """Draws to keep; 1 is the paper's method, hundreds give the exact posterior up to Monte Carlo error."""
    thin: int = 5
    """Sweeps from one draw to the next."""

    def __post_init__(self) -> None:
        super().__post_init__()
        Schedule(self.sweeps, self.draws, self.thin)

    def check(self, likelihood: Likelihood) -> None:
        """Only Gaussian noise can be hallucinated."""
        if not isinstance(likelihood, Probit):
            raise IncompatibleError(
                "Hallucination Believer needs the probit likelihood",
                type(likelihood).__name__,
                'use likelihood="probit", or inference="laplace", "ep" or "polya-gamma" with the logistic one',
            )

    def infer(
        self, space: LatentSpace, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> Inferred:
        """Run the chain from `start`, or from the published z = 0, moved into the box."""
        self.check(likelihood)
        space = _with_digits_left(space)
        rows, tau = space.rows, likelihood.tau
        m = len(rows)
        z = np.zeros(m) if start is None else checked_start(space, start)
        z = np.where(rows.tied, np.clip(z, -tau, tau), np.maximum(z, tau))

        unit = space.solve(Sites(np.ones(m), np.zeros(m)))
        schedule = Schedule(self.sweeps, self.draws, self.thin)
        kept = np.empty((self.draws, m))
        watched = schedule.watched(m)
        trace = np.empty((schedule.total, len(watched)))
        plan = (self.sweeps, self.thin, kept, watched, trace)
        if isinstance(space, DuelSpace):
            _run_in_duel_space(rng, z, unit.precision, rows.tied, tau, *plan)
        else:
            a, b = rows.coef_first, rows.coef_second
            _run_in_point_space(rng, z, unit.covariance, a, b, rows.first, rows.second, rows.tied, tau, *plan)
        effective = schedule.effective_samples(trace)
        info = Info("hallucination", schedule.long_enough(effective), schedule.total, 0.0, effective)
        return Inferred(Sites(np.ones(m), kept[0] if self.draws == 1 else kept), info, z)


def _with_digits_left(space: LatentSpace) -> LatentSpace:
    """Duel space where point space's 1 - D S D' would cancel to nothing: margins 1e6 times wider than the noise."""
    if isinstance(space, DuelSpace) or not len(space.rows):
        return space
    widest = float(space.rows.margin_variances(space.kernel_matrix).max())
    if widest <= _WIDEST:
        return space
    if len(space.rows) > _MOST_DUELS:
        raise IncompatibleError(
            f"Hallucination Believer takes at most {_MOST_DUELS} duels where the noise is this small",
            f"{len(space.rows)} duels with margins of variance {widest:.1g}",
            'use inference="ep" or "laplace", or a larger noise',
        )
    return DuelSpace(space.rows, space.kernel_matrix)


@compiled
def _draw(rng: np.random.Generator, mean: float, std: float, tied: bool, tau: float) -> float:
    """A normal cut to the box of its answer; clipped, since mean + std * x may round out of it."""
    if tied:
        z = mean + std * draw_between(rng, (-tau - mean) / std, (tau - mean) / std)
        return min(max(z, -tau), tau)
    return max(mean + std * draw_above(rng, (tau - mean) / std), tau)


@compiled
def _run_in_duel_space(
    rng: np.random.Generator,
    z: Array,
    Q: Array,
    tied: BoolArray,
    tau: float,
    sweeps: int,
    thin: int,
    kept: Array,
    watched: IntArray,
    trace: Array,
) -> None:
    m = len(z)
    for sweep in range(len(trace)):
        Qz = Q @ z  # afresh, so that rounding does not add up over sweeps
        for j in range(m):
            new = _draw(rng, z[j] - Qz[j] / Q[j, j], 1.0 / np.sqrt(Q[j, j]), tied[j], tau)
            step = new - z[j]
            z[j] = new
            for i in range(m):
                Qz[i] += step * Q[j, i]
        for i in range(len(watched)):
            trace[sweep, i] = z[watched[i]]
        after = sweep - (sweeps - 1)
        if after >= 0 and after % thin == 0:
            kept[after // thin] = z


@compiled
def _run_in_point_space(
    rng: np.random.Generator,
    z: Array,
    S: Array,
    a: Array,
    b: Array,
    first: IntArray,
    second: IntArray,
    tied: BoolArray,
    tau: float,
    sweeps: int,
    thin: int,
    kept: Array,
    watched: IntArray,
    trace: Array,
) -> None:
    m, u = len(z), len(S)
    Dz, y = np.empty(u), np.empty(u)
    for sweep in range(len(trace)):
        Dz[:] = 0.0
        for j in range(m):
            Dz[first[j]] += a[j] * z[j]
            Dz[second[j]] -= b[j] * z[j]
        y[:] = S @ Dz
        for j in range(m):
            f, s = first[j], second[j]
            Q_jj = 1.0 - (a[j] * a[j] * S[f, f] + b[j] * b[j] * S[s, s] - 2.0 * a[j] * b[j] * S[f, s])
            Qz_j = z[j] - (a[j] * y[f] - b[j] * y[s])
            new = _draw(rng, z[j] - Qz_j / Q_jj, 1.0 / np.sqrt(Q_jj), tied[j], tau)
            step = new - z[j]
            z[j] = new
            for i in range(u):
                y[i] += step * (a[j] * S[f, i] - b[j] * S[s, i])
        for i in range(len(watched)):
            trace[sweep, i] = z[watched[i]]
        after = sweep - (sweeps - 1)
        if after >= 0 and after % thin == 0:
            kept[after // thin] = z
