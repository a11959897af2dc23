"""Averages of an acquisition function over the components of a posterior.

With a_s the values for component s, of weight w_s, the average is the expected value over the hyper-parameters
[Snoek2012]; for EUBO it is E max(f(x1), f(x2)) under the mixture.

    a = sum_s w_s a_s        log a = log sum_s w_s exp(log a_s)    for acquisition functions on a logarithmic scale

References
----------
[Snoek2012] J. Snoek, H. Larochelle and R. P. Adams. Practical Bayesian optimization of machine learning algorithms.
    NeurIPS 2012.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from anchorpbo.typing import Array


def average_values(parts: Sequence[tuple[float, Array]], *, log: bool = False) -> Array:
    """Return the average of weighted values, all of the same shape; `log` if they are logarithms."""
    weights, values = zip(*parts, strict=True)
    if len(values) == 1:
        return np.asarray(values[0])
    if log:
        return np.asarray(special.logsumexp(np.stack(values), axis=0, b=_as_column(weights, values[0])))
    return _sum_weighted(weights, values)


def average_slopes(parts: Sequence[tuple[float, Array, Array]], *, log: bool = False) -> tuple[Array, Array]:
    """Return the average of weighted values, (n,), and its gradient, (n, ...), from those of the components."""
    weights, values, gradients = zip(*parts, strict=True)
    if len(values) == 1:
        return values[0], gradients[0]
    value = average_values(list(zip(weights, values, strict=True)), log=log)
    if not log:
        return value, _sum_weighted(weights, gradients)
    # Each gradient is weighted by its component's share of the average.
    shares = _as_column(weights, value) * np.exp(np.stack(values) - value)
    return value, np.einsum("sn,sn...->n...", shares, np.stack(gradients))


def _sum_weighted(weights: Sequence[float], arrays: Sequence[Array]) -> Array:
    total = weights[0] * arrays[0]
    for weight, array in zip(weights[1:], arrays[1:], strict=True):
        total += weight * array
    return total


def _as_column(weights: Sequence[float], values: Array) -> Array:
    return np.array(weights).reshape(-1, *[1] * values.ndim)
