"""Gibbs chains: their schedule, and the effective sample size, by which convergence is judged.

    n_eff = n / tau,   tau = 1 + 2 (rho_1 + rho_2 + ...) = -1 + 2 (G_0 + G_1 + ...),   G_k = rho_2k + rho_(2k+1)

where rho_k is the autocorrelation at lag k. For a reversible chain the G_k are positive and decreasing; their estimates
are so only up to some lag, beyond which noise dominates. So the sum stops before the first G_k that is not positive,
and each G_k is capped by the one before: the initial monotone sequence of [Geyer1992]. An antithetic chain has
n_eff > n; tau is bounded below by 1 / log10(n), as in [VGSCB2021], since its estimate could otherwise reach 0.

References
----------
[Geyer1992] C. J. Geyer. Practical Markov chain Monte Carlo. Statistical Science 7, 473-483, 1992.
[VGSCB2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Buerkner. Rank-normalization, folding, and
    localization: an improved R-hat. Bayesian Analysis 16, 667-718, 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anchorpbo.numerics.validation import as_integer
from anchorpbo.typing import Array, IntArray

MIN_EFFECTIVE_SAMPLES = 20.0
"""Effective sample size above which a chain counts as converged, that is, independent of its start. Shorter traces
cannot distinguish a slow chain from a fast one."""

MIN_SWEEPS, MAX_SWEEPS = 100, 1600
"""Initial and maximal number of sweeps of a chain that stops when it has converged."""

_MAX_TRACED = 16


@dataclass(frozen=True)
class Schedule:
    """Sampling schedule: a first draw after `sweeps` sweeps (``None``: at convergence), then every `thin` sweeps.

    There are `draws` draws in total.
    """

    sweeps: int | None
    draws: int
    thin: int

    def __post_init__(self) -> None:
        for name in ("sweeps", "draws", "thin"):
            if getattr(self, name) is not None or name != "sweeps":
                as_integer(name, getattr(self, name), 1)

    def choose_traced(self, slowness: Array) -> IntArray:
        """Return the indices of the coordinates to trace: the largest entries of `slowness`, (m,)."""
        return np.argsort(-slowness, kind="stable")[:_MAX_TRACED]

    def burn_in(self, advance: Callable[[int], Array]) -> tuple[Array, float]:
        """Run the chain up to its first draw; return its trace and effective sample size.

        If `sweeps` is ``None``, the length is doubled until the chain has converged. The stopping rule depends on the
        past of the chain, but over many autocorrelation times, so its effect on the draw is negligible.
        """
        trace = advance(MIN_SWEEPS if self.sweeps is None else self.sweeps)
        effective = _smallest_ess(trace)
        while self.sweeps is None and effective < MIN_EFFECTIVE_SAMPLES and len(trace) < MAX_SWEEPS:
            trace = np.concatenate([trace, advance(len(trace))])
            effective = _smallest_ess(trace)
        return trace, effective

    def effective_samples(self, trace: Array) -> float:
        """Return the effective sample size of the draws (of the chain, for a single draw)."""
        # Several draws have at most `draws` effective samples; a single draw is judged by its chain.
        return min(_smallest_ess(trace), float(self.draws)) if self.draws > 1 else _smallest_ess(trace)

    def is_converged(self, effective: float) -> bool:
        """Return whether the chain counts as converged."""
        return effective >= (min(MIN_EFFECTIVE_SAMPLES, 0.5 * self.draws) if self.draws > 1 else MIN_EFFECTIVE_SAMPLES)


def _smallest_ess(trace: Array) -> float:
    """Return the smallest effective sample size of the traced coordinates, without the first tenth of the trace."""
    settled = trace[len(trace) // 10 :]
    return float(np.min(effective_sample_size(settled))) if settled.shape[1] else float(len(settled))


def effective_sample_size(trace: Array) -> Array:
    """Estimate n_eff of each column of a trace, (n,) or (n, k), as an array of shape () or (k,).

    It is n for a constant column and for fewer than four rows, and NaN for a column with a NaN or an infinity.
    """
    trace = np.asarray(trace, dtype=np.float64)
    n = trace.shape[0]
    sizes = np.full(trace.shape[1:], float(n))
    sizes[~np.isfinite(trace).all(axis=0)] = np.nan
    varies = np.isfinite(sizes) & (trace != trace[:1]).any(axis=0)
    if n >= 4 and varies.any():
        sizes[varies] = n / _autocorrelation_time(trace[:, varies] if trace.ndim > 1 else trace[:, None])
    return sizes


def _autocorrelation_time(trace: Array) -> Array:
    """Estimate tau of each column of a trace, (n, k), as (k,); no column may be constant."""
    n = trace.shape[0]
    rho = _autocorrelations(trace)
    pairs = rho[0 : n - n % 2 : 2] + rho[1::2]
    positive = np.minimum.accumulate(pairs > 0.0, axis=0)
    tau = -1.0 + 2.0 * np.sum(np.minimum.accumulate(pairs, axis=0) * positive, axis=0)
    bounded: Array = np.maximum(tau, 1.0 / np.log10(n))
    return bounded


def _autocorrelations(trace: Array) -> Array:
    """Estimate rho_0 = 1, rho_1, ..., rho_(n-1) of each column of a trace, (n, k), as (n, k)."""
    n = trace.shape[0]
    centred = trace - trace[0]  # before scaling, so that squares cannot overflow
    centred /= np.abs(centred).max(axis=0)
    centred -= centred.mean(axis=0)
    length = 1 << (2 * n - 1).bit_length()  # zero padding against circular wrap-around
    spectrum = np.abs(np.fft.rfft(centred, length, axis=0)) ** 2
    covariance = np.fft.irfft(spectrum, length, axis=0)[:n]
    rho: Array = covariance / covariance[0]
    return rho
