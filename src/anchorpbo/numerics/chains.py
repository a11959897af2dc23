"""How many independent draws a Markov chain is worth.

    n_eff = n / tau,   tau = 1 + 2 (rho_1 + rho_2 + ...) = -1 + 2 (G_0 + G_1 + ...),   G_k = rho_2k + rho_(2k+1)

where rho_k is the autocorrelation at lag k. For a reversible chain the G_k are positive and fall; estimates of them do
so only until noise takes over. So the sum stops before the first that is not positive, and none may exceed the one
before it: the initial monotone sequence of [Geyer1992]. Antithetic chains are worth more than n draws; tau is kept
above 1 / log10(n), as in [VGSCB2021], since its estimate could otherwise reach 0.

References
----------
[Geyer1992] C. J. Geyer. Practical Markov chain Monte Carlo. Statistical Science 7, 473-483, 1992.
[VGSCB2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Buerkner. Rank-normalization, folding, and
    localization: an improved R-hat. Bayesian Analysis 16, 667-718, 2021.
"""

import numpy as np

from anchorpbo.typing import Array


def effective_sample_size(trace: Array) -> Array:
    """Estimate n_eff of each column of a trace, (n,) or (n, k), as an array of shape () or (k,).

    A constant column and a trace of fewer than four rows are worth n; a column with a NaN or an infinity gives NaN.
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
    """Estimate tau of each column, none of them constant: (n, k) to (k,)."""
    n = trace.shape[0]
    rho = _autocorrelations(trace)
    pairs = rho[0 : n - n % 2 : 2] + rho[1::2]
    positive = np.minimum.accumulate(pairs > 0.0, axis=0)
    tau = -1.0 + 2.0 * np.sum(np.minimum.accumulate(pairs, axis=0) * positive, axis=0)
    bounded: Array = np.maximum(tau, 1.0 / np.log10(n))
    return bounded


def _autocorrelations(trace: Array) -> Array:
    """Estimate rho_0 = 1, rho_1, ..., rho_(n-1) of each column: (n, k) to (n, k)."""
    n = trace.shape[0]
    centred = trace - trace[0]  # first, so that the scale is that of the moves and its squares cannot overflow
    centred /= np.abs(centred).max(axis=0)
    centred -= centred.mean(axis=0)
    length = 1 << (2 * n - 1).bit_length()  # room for zeros, so that the ends do not wrap around
    spectrum = np.abs(np.fft.rfft(centred, length, axis=0)) ** 2
    covariance = np.fft.irfft(spectrum, length, axis=0)[:n]
    rho: Array = covariance / covariance[0]
    return rho
