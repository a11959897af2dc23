"""Polya-Gamma Gibbs sampling, for the logistic link [Polson2013].

Given omega ~ PG(1, psi), a logistic factor s(psi) becomes Gaussian: exp(psi / 2 - omega psi^2 / 2). So with

    win    psi = g - tau                        w = omega                 b = 1/2 + omega tau
    tie    psi_1 = tau + g, psi_2 = tau - g     w = omega_1 + omega_2     b = tau (omega_2 - omega_1)

the margins given omega are Gaussian and omega given the margins is Polya-Gamma; Gibbs sampling alternates between the
two. One draw of omega gives one set of sites; a mixture over many draws is the exact skew posterior up to Monte Carlo
error.

With lapses each sweep first draws which answers were lapses, given the margins: with the probability
lambda / (n p'), n the number of possible answers. A lapse has the site w = b = 0, which says nothing about its margin.

Margins are drawn as g = H e with e ~ N(0, I) a priori and H H' = C. Then e | omega has precision I + H' W H, which is
never singular, even for equal designs.

References
----------
[Polson2013] N. G. Polson, J. G. Scott, J. Windle. Bayesian inference for logistic models using Polya-Gamma latent
variables. Journal of the American Statistical Association 108, 1339-1349, 2013.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import IncompatibleError
from anchorpbo.inference.base import Inference, InferenceResult, Info, as_start
from anchorpbo.inference.chain import Schedule
from anchorpbo.inference.laplace import find_mode
from anchorpbo.likelihoods import Likelihood, Logistic
from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.linalg import square_root
from anchorpbo.numerics.variates import draw_polya_gamma
from anchorpbo.posterior import LatentGaussian, Sites
from anchorpbo.typing import Array, BoolArray, IntArray

_MAX_PRECISION = 1e8


@dataclass(frozen=True)
class PolyaGamma(Inference):
    """Polya-Gamma sampling, exact for the logistic link: a mixture over draws.

    The first draw is kept after `sweeps` Gibbs sweeps, further draws every `thin` sweeps. The cost is cubic in
    the number of duels; prefer EP for hundreds of duels.
    """

    sweeps: int = 200
    """Gibbs sweeps from Laplace's mode before the first draw."""
    draws: int = 200
    """Number of draws in the mixture; 1 gives a single set of sites, as in Hallucination Believer."""
    thin: int = 2
    """Sweeps between draws."""

    def __post_init__(self) -> None:
        super().__post_init__()
        Schedule(self.sweeps, self.draws, self.thin)

    def check(self, likelihood: Likelihood) -> None:
        """Raise `IncompatibleError` unless the likelihood is logistic."""
        if not isinstance(likelihood, Logistic):
            raise IncompatibleError(
                "Polya-Gamma sampling needs the logistic likelihood",
                type(likelihood).__name__,
                "use the logistic likelihood, or one of the inferences hallucination, laplace and ep",
            )

    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Run the chain from margins `start`, or from Laplace's mode."""
        self.check(likelihood)
        margins = find_mode(latent, likelihood).margins.copy() if start is None else as_start(latent, start)
        H = np.ascontiguousarray(latent.margins(square_root(latent.prior)))
        if not H.shape[1]:  # no duels, or only duels of a design against itself
            H = np.zeros((len(margins), 1))
        schedule = Schedule(self.sweeps, self.draws, self.thin)
        precision, linear = np.empty((2, self.draws, len(margins)))
        traced = schedule.choose_traced((H**2).sum(axis=1))
        trace = np.empty((self.sweeps + (self.draws - 1) * self.thin, len(traced)))
        # Odds of a lapse with the given answer against an attentive answer.
        odds = likelihood.lapse * likelihood.chance / (1.0 - likelihood.lapse)
        _run(
            rng,
            margins,
            H,
            latent.rows.tied,
            likelihood.tau,
            odds,
            self.sweeps,
            self.thin,
            precision,
            linear,
            traced,
            trace,
        )
        effective = schedule.effective_samples(trace)
        info = Info("polya-gamma", schedule.is_converged(effective), len(trace), 0.0, effective)
        sites = Sites(precision, linear)
        return InferenceResult(sites.draw(0) if self.draws == 1 else sites, info, margins)


@jit
def _cholesky(F: Array, L: Array) -> None:
    """Fill L with the lower triangular factor of I + F'F, (r, r)."""
    r = F.shape[1]
    A = F.T @ F
    for i in range(r):
        A[i, i] += 1.0
    if np.max(np.diag(A)) < _MAX_PRECISION:
        L[:] = np.linalg.cholesky(A)
        return
    # The rounding error of F'F is not small beside the identity; a QR factorisation does not form F'F.
    R = np.linalg.qr(np.vstack((np.eye(r), F)))[1]
    for i in range(r):
        L[:, i] = R[i] if R[i, i] > 0.0 else -R[i]


@jit
def _probability(g: float, tied: bool, tau: float) -> float:
    """Return the probability of an attentive answer."""
    if tied:
        return (1.0 - math.exp(-2.0 * tau)) / ((1.0 + math.exp(-tau - g)) * (1.0 + math.exp(g - tau)))
    return 1.0 / (1.0 + math.exp(tau - g))


@jit
def _run(
    rng: np.random.Generator,
    g: Array,
    H: Array,
    tied: BoolArray,
    tau: float,
    odds: float,
    sweeps: int,
    thin: int,
    precision: Array,
    linear: Array,
    traced: IntArray,
    trace: Array,
) -> None:
    m, r = H.shape
    w, b, e, L = np.empty(m), np.empty(m), np.empty(r), np.empty((r, r))
    for sweep in range(len(trace)):
        for k in range(m):
            if odds > 0.0 and rng.random() * (odds + _probability(g[k], tied[k], tau)) < odds:
                w[k], b[k] = 0.0, 0.0
            elif tied[k]:
                up, down = draw_polya_gamma(rng, tau + g[k]), draw_polya_gamma(rng, tau - g[k])
                w[k], b[k] = up + down, tau * (down - up)
            else:
                w[k] = draw_polya_gamma(rng, g[k] - tau)
                b[k] = 0.5 + tau * w[k]
        after = sweep - (sweeps - 1)
        if after >= 0 and after % thin == 0:
            precision[after // thin], linear[after // thin] = w, b
        # e ~ N(A^-1 H'b, A^-1) with A = I + H'WH = L L': e = L^-T (L^-1 H'b + standard normals).
        _cholesky(np.sqrt(w).reshape(m, 1) * H, L)
        e[:] = b @ H
        for i in range(r):
            e[i] = (e[i] - L[i, :i] @ e[:i]) / L[i, i]
        for i in range(r):
            e[i] += rng.standard_normal()
        for i in range(r - 1, -1, -1):
            e[i] /= L[i, i]
            for j in range(i):
                e[j] -= L[i, j] * e[i]
        g[:] = H @ e
        for i in range(len(traced)):
            trace[sweep, i] = g[traced[i]]
