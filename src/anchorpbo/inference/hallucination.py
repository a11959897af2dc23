"""Hallucination Believer (appendix "Details of heteroscedastic Hallucination Believer inference").

Given f, a duel is won when z = g + (unit Gaussian noise) exceeds tau and tied when |z| < tau. Before the answers are
known z ~ N(0, C + I). The answers truncate this distribution to a box. A draw z~ from it, the hallucination, is treated
as if it had been observed: the sites have target z~ and variance 1 (eq. posterior-hb). One draw is the paper's method.
A mixture over many draws is the exact skew posterior up to Monte Carlo error.

Gibbs sampling (algorithm trunc-MVN, whose printed conditional mean lacks a term): with Q = (C + I)^-1, coordinate j
given the others is a truncated N(z_j - [Q z]_j / Q_jj, 1 / Q_jj). The chain runs in units of these standard
deviations, x = z / s with s_j = Q_jj^-1/2. Coordinate j is then a truncated N(x_j - [R x]_j, 1), with R = s Q s. The
product R x is updated whenever x changes:

    duel space    by R itself, O(m) per coordinate
    point space   Q = I - D S D' with S = (K^-1 + D'D)^-1, by y = S D' z, O(u) per coordinate: the same chain

The overall scale of z mixes slowest. So each sweep ends with a draw of a scale c (`numerics.variates`): the wins'
excess over tau, w, is multiplied by c. This move stays inside the box and preserves the target distribution.

With lapses the answer has the probability (1 - lambda) [z_j in its box] + lambda / n, n the number of possible answers.
Coordinate j given the others is then a mixture: truncated to its box, or, with the probability of a lapse given the
others, not truncated. The scale is drawn for the wins that are inside their boxes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import IncompatibleError
from anchorpbo.inference.base import Inference, InferenceResult, Info, as_start
from anchorpbo.inference.chain import Schedule
from anchorpbo.likelihoods import Likelihood, Probit
from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.variates import draw_above, draw_between, draw_modified_half_normal
from anchorpbo.posterior import DuelLatent, ExactLatent, LatentGaussian, Sites
from anchorpbo.typing import Array, BoolArray, IntArray

_SQRT_HALF = math.sqrt(0.5)
_MAX_MARGIN_VARIANCE = 1e6
_MAX_DUELS = 5000
_REFRESH_SWEEPS = 64
"""Sweeps after which R x is recomputed, so that rounding errors do not accumulate."""


@dataclass(frozen=True)
class Hallucination(Inference):
    """Hallucination Believer: one draw of the latent judgements, or a mixture of many; probit only.

    The first draw is kept when the chain has converged, further draws every `thin` sweeps. One draw is the paper's
    method; hundreds give the exact posterior up to Monte Carlo error. ``Hallucination(sweeps=1000)`` uses the
    published number of sweeps, from the published start z = 0. The default draws from the same distribution after fewer
    sweeps (docs/decisions/0016-shorter-chains.md).
    """

    sweeps: int | None = None
    """Gibbs sweeps before the first draw; ``None`` means 100, doubled until the chain has converged."""
    draws: int = 1
    """Number of draws; 1 is the paper's method, hundreds give the exact posterior up to Monte Carlo error."""
    thin: int = 5
    """Sweeps between draws."""

    def __post_init__(self) -> None:
        super().__post_init__()
        Schedule(self.sweeps, self.draws, self.thin)

    def check(self, likelihood: Likelihood) -> None:
        """Raise `IncompatibleError` unless the likelihood is probit."""
        if not isinstance(likelihood, Probit):
            raise IncompatibleError(
                "Hallucination Believer needs the probit likelihood",
                type(likelihood).__name__,
                "use the probit likelihood, or one of the inferences laplace, ep and polya-gamma",
            )

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Run the chain from `start`, or from the published z = 0, clipped to the box."""
        self.check(likelihood)
        latent = _avoid_cancellation(_require_exact(latent))
        rows, tau = latent.rows, likelihood.tau
        m = len(rows)
        z = np.zeros(m) if start is None else as_start(latent, start)
        # Odds of a lapse with the given answer against an attentive answer.
        odds = likelihood.lapse * likelihood.chance / (1.0 - likelihood.lapse)
        z = _clip_to_box(z, rows.tied, tau) if odds == 0.0 or start is None else z

        s, run, matrices = _conditionals(latent)
        schedule = Schedule(self.sweeps, self.draws, self.thin)
        # A coordinate moves slowly if its conditional variance is small compared with its marginal variance.
        traced = schedule.choose_traced((1.0 + rows.margin_variances(latent.kernel_matrix)) / s**2)
        x, kept = z / s, np.empty((self.draws, m))

        def advance(sweeps: int, kept: Array = kept[:0]) -> Array:
            trace = np.empty((sweeps, len(traced)))
            run(rng, x, *matrices, rows.tied, tau / s, odds, self.thin, kept, traced, trace)
            return trace

        trace, effective = schedule.burn_in(advance)
        kept[0] = x
        if self.draws > 1:
            trace = np.concatenate([trace, advance((self.draws - 1) * self.thin, kept[1:])])
            effective = schedule.effective_samples(trace)
        info = Info("hallucination", schedule.is_converged(effective), len(trace), 0.0, effective)
        z = s * kept
        z = _clip_to_box(z, rows.tied, tau) if odds == 0.0 else z  # undo rounding errors of the scaling
        return InferenceResult(Sites(np.ones(m), z[0] if self.draws == 1 else z), info, z[-1].copy())


def _conditionals(latent: ExactLatent) -> tuple[Array, Callable[..., None], tuple[Array | IntArray, ...]]:
    """Return s, the conditional standard deviations, (m,), the compiled loop, and its matrices in these units."""
    rows = latent.rows
    unit = latent.solve(Sites(np.ones(len(rows)), np.zeros(len(rows))))
    if isinstance(latent, DuelLatent):
        Q = unit.precision
        s = np.diagonal(Q) ** -0.5
        return s, _run_in_duel_space, (np.ascontiguousarray(s[:, None] * Q * s),)
    S = np.ascontiguousarray(unit.covariance)
    s = (1.0 - rows.margin_variances(S)) ** -0.5
    a, b = s * rows.coef_first, s * rows.coef_second
    return s, _run_in_point_space, (S, s * s, a, b, rows.first, rows.second)


def _clip_to_box(z: Array, tied: BoolArray, tau: float) -> Array:
    """Return the nearest z that agrees with the answers, (m,) or (s, m)."""
    return np.where(tied, np.clip(z, -tau, tau), np.maximum(z, tau))


def _require_exact(latent: LatentGaussian) -> ExactLatent:
    if not isinstance(latent, ExactLatent):
        rule, remedy = "Hallucination Believer draws from the exact prior", 'use inference="ep", or inducing=None'
        raise IncompatibleError(rule, type(latent).__name__, remedy)
    return latent


def _avoid_cancellation(latent: ExactLatent) -> ExactLatent:
    """Return duel space if 1 - D S D' in point space would cancel, for margin variances above 1e6 times the noise."""
    if isinstance(latent, DuelLatent):
        return latent
    widest = latent.rows.max_margin_variance(latent.kernel_matrix)
    if widest <= _MAX_MARGIN_VARIANCE:
        return latent
    if len(latent.rows) > _MAX_DUELS:
        raise IncompatibleError(
            f"Hallucination Believer supports at most {_MAX_DUELS} duels when the noise is this small",
            f"{len(latent.rows)} duels with margins of variance {widest:.1g}",
            "use the inference ep or laplace, or a larger noise",
        )
    return DuelLatent(latent.rows, latent.kernel_matrix)


@jit
def _is_win(x: float, tied: bool, edge: float, odds: float) -> bool:
    """Return whether the scaling move applies to a coordinate: a win, inside its box."""
    return not tied and (odds == 0.0 or x >= edge)


@jit
def _draw(rng: np.random.Generator, mean: float, tied: bool, edge: float, odds: float) -> float:
    """Draw a normal of unit variance truncated to the box of its answer; clipped, since the sum may round out of it.

    With lapses it is not truncated with probability odds / (odds + probability of the box).
    """
    if odds > 0.0:
        inside = 0.5 * math.erfc((edge - mean) * _SQRT_HALF)
        if tied:
            inside = 0.5 * math.erfc((-edge - mean) * _SQRT_HALF) - inside
        if rng.random() * (odds + inside) < odds:
            return mean + rng.standard_normal()
    if tied:
        return min(max(mean + draw_between(rng, -edge - mean, edge - mean), -edge), edge)
    return max(mean + draw_above(rng, edge - mean), edge)


@jit
def _draw_growth(rng: np.random.Generator, wins: int, wRw: float, wRx: float) -> float:
    """Draw c - 1 for the scaling move x = t + c w of all wins, given w'Rw and w'Rx = w'Rw + w'Rt."""
    return draw_modified_half_normal(rng, wins, wRw, wRx - wRw) - 1.0 if wins > 0 and wRw > 0.0 else 0.0


@jit
def _run_in_duel_space(
    rng: np.random.Generator,
    x: Array,
    R: Array,
    tied: BoolArray,
    edge: Array,
    odds: float,
    thin: int,
    kept: Array,
    traced: IntArray,
    trace: Array,
) -> None:
    m = len(x)
    wins = m - int(np.sum(tied))
    from_zero = wins == m and odds == 0.0 and not np.any(edge > 0.0)
    Rx, w, Rw = np.empty(m), np.empty(m), np.empty(m)
    for sweep in range(len(trace)):
        if sweep % _REFRESH_SWEEPS == 0:
            Rx[:] = R @ x
        for j in range(m):
            new = _draw(rng, x[j] - Rx[j], tied[j], edge[j], odds)
            step = new - x[j]
            x[j] = new
            for i in range(m):
                Rx[i] += step * R[j, i]
        if from_zero:
            w[:], Rw[:] = x, Rx
        else:
            wins = 0
            for j in range(m):
                moves = _is_win(x[j], tied[j], edge[j], odds)
                w[j] = x[j] - edge[j] if moves else 0.0
                wins += 1 if moves else 0
            Rw[:] = R @ w
        wRw, wRx = 0.0, 0.0
        for j in range(m):
            wRw += w[j] * Rw[j]
            wRx += w[j] * Rx[j]
        more = _draw_growth(rng, wins, wRw, wRx)
        for j in range(m):
            x[j] += more * w[j]
            Rx[j] += more * Rw[j]
        for i in range(len(traced)):
            trace[sweep, i] = x[traced[i]]
        if (sweep + 1) % thin == 0 and sweep // thin < len(kept):
            kept[sweep // thin] = x


@jit
def _pull(a: Array, b: Array, first: IntArray, second: IntArray, x: Array, out: Array) -> None:
    out[:] = 0.0
    for j in range(len(x)):
        out[first[j]] += a[j] * x[j]
        out[second[j]] -= b[j] * x[j]


@jit
def _run_in_point_space(
    rng: np.random.Generator,
    x: Array,
    S: Array,
    s2: Array,
    a: Array,
    b: Array,
    first: IntArray,
    second: IntArray,
    tied: BoolArray,
    edge: Array,
    odds: float,
    thin: int,
    kept: Array,
    traced: IntArray,
    trace: Array,
) -> None:
    """Run the chain in point space; a and b are the rows multiplied by s.

    With E = s D, R = s^2 - E S E' and y = S E' x.
    """
    m, u = len(x), len(S)
    w, pulled, y, Sw = np.empty(m), np.empty(u), np.empty(u), np.empty(u)
    for sweep in range(len(trace)):
        if sweep % _REFRESH_SWEEPS == 0:
            _pull(a, b, first, second, x, pulled)
            y[:] = S @ pulled
        for j in range(m):
            f, s = first[j], second[j]
            Rx_j = s2[j] * x[j] - (a[j] * y[f] - b[j] * y[s])
            new = _draw(rng, x[j] - Rx_j, tied[j], edge[j], odds)
            step = new - x[j]
            x[j] = new
            for i in range(u):
                y[i] += step * (a[j] * S[f, i] - b[j] * S[s, i])
        wins = 0
        for j in range(m):
            moves = _is_win(x[j], tied[j], edge[j], odds)
            w[j] = x[j] - edge[j] if moves else 0.0
            wins += 1 if moves else 0
        _pull(a, b, first, second, w, pulled)
        Sw[:] = S @ pulled
        wRw, wRx = 0.0, 0.0
        for j in range(m):
            wRw += s2[j] * w[j] * w[j]
            wRx += s2[j] * w[j] * x[j]
        for i in range(u):
            wRw -= pulled[i] * Sw[i]
            wRx -= pulled[i] * y[i]
        more = _draw_growth(rng, wins, wRw, wRx)
        for j in range(m):
            x[j] += more * w[j]
        for i in range(u):
            y[i] += more * Sw[i]
        for i in range(len(traced)):
            trace[sweep, i] = x[traced[i]]
        if (sweep + 1) % thin == 0 and sweep // thin < len(kept):
            kept[sweep // thin] = x
