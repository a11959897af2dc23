"""A stationary kernel between two lists of designs, or of designs side by side, and its chain rule, compiled.

Symbols: x_i a row of X (n, d), y_j a row of Y (p, d), l_c the length-scales, s the output scale, A weights (n, p):

    r_ij^2 = sum_c ((x_ic - y_jc) / l_c)^2, where a categorical coordinate counts 1 / l_c^2 if the two differ
    K_ij = s shape(r_ij^2)                     gradient_ic = sum_j A_ij 2 s shape'(r_ij^2) (x_ic - y_jc) / l_c^2

Differences come first: expanding a square would lose designs 1e-9 apart.
"""

import numpy as np

from anchorpbo.kernels.shapes import shapes_in_place
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.typing import Array, BoolArray

_TILE = 512
"""Columns worked on at a time, so that a row of them stays at hand."""


def cross_matrix(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float, slopes: bool
) -> tuple[Array, Array]:
    """K, (n, p), and s shape', (n, p), or of no rows where no slopes are asked for."""
    K, slope = np.empty((len(X), len(Y))), np.empty((len(X) if slopes else 0, len(Y)))
    weights, differ = _weights(X, lengths, categorical)
    scratch = np.empty((X.shape[1] + 2, min(_TILE, len(Y))))
    _fill(as_read_only(X), as_read_only(Y), weights, differ, family, outputscale, K, slope, scratch)
    return K, slope


def cross_gradient(A: Array, slope: Array, X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...]) -> Array:
    """The gradient, (n, d), for weights A, (n, p), and the slope that `cross_matrix` gave."""
    gradient = np.empty(X.shape)
    weights, differ = _weights(X, lengths, categorical)
    _pull(as_read_only(A), slope, as_read_only(X), Y.T.copy(), weights, differ, gradient, np.empty(len(Y)))
    return gradient


def paired_values(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float
) -> tuple[Array, Array]:
    """k(x_i, y_i), (n,), and its gradient in x_i, (n, d)."""
    values, gradient = np.empty(len(X)), np.empty(X.shape)
    weights, differ = _weights(X, lengths, categorical)
    _pair(
        as_read_only(X), as_read_only(Y), weights, differ, family, outputscale, values, gradient, np.empty((2, len(X)))
    )
    return values, gradient


def _weights(X: Array, lengths: Array, categorical: tuple[int, ...]) -> tuple[Array, BoolArray]:
    """1 / l_c for each coordinate, and which of them are categorical."""
    weights, differ = np.empty(X.shape[1]), np.zeros(X.shape[1], dtype=np.bool_)
    weights[:] = 1.0 / lengths
    for c in categorical:
        differ[c] = True
    return weights, differ


@jit_tiered
def _fill(  # noqa: PLR0912
    X: Array, Y: Array, weights: Array, differ: BoolArray, family: int, outputscale: float, K: Array, slope: Array,
    columns: Array,
) -> None:  # fmt: skip
    """Work in `columns`, (d + 2, tile): a tile of Y, its slopes, and room for the exponentials."""
    n, d = X.shape
    for start in range(0, len(Y), _TILE):
        width = min(_TILE, len(Y) - start)
        for j in range(width):
            for c in range(d):
                columns[c, j] = Y[start + j, c]
        for i in range(n):
            row, row_slopes = K[i, start : start + width], columns[d, :width]
            for j in range(width):
                row[j] = 0.0
            for c in range(d):
                here, others, weight = X[i, c], columns[c], weights[c]
                if differ[c]:
                    for j in range(width):
                        row[j] += weight * weight if others[j] != here else 0.0
                else:
                    for j in range(width):
                        row[j] += ((here - others[j]) * weight) * ((here - others[j]) * weight)
            shapes_in_place(row, row_slopes, columns[d + 1, :width], family)
            for j in range(width):
                row[j] *= outputscale
            if len(slope):
                kept = slope[i, start : start + width]
                for j in range(width):
                    kept[j] = outputscale * row_slopes[j]


@jit_tiered
def _pull(
    A: Array, slope: Array, X: Array, columns: Array, weights: Array, differ: BoolArray, gradient: Array, B: Array
) -> None:
    n, d = X.shape
    p = len(B)
    whole = p - p % 4
    for i in range(n):
        for j in range(p):
            B[j] = A[i, j] * slope[i, j]
        for c in range(d):
            here, others = X[i, c], columns[c]
            # Four sums that do not wait for each other.
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for j in range(0, whole, 4):
                s0 += B[j] * (here - others[j])
                s1 += B[j + 1] * (here - others[j + 1])
                s2 += B[j + 2] * (here - others[j + 2])
                s3 += B[j + 3] * (here - others[j + 3])
            for j in range(whole, p):
                s0 += B[j] * (here - others[j])
            gradient[i, c] = 0.0 if differ[c] else 2.0 * weights[c] * weights[c] * ((s0 + s1) + (s2 + s3))


@jit_tiered
def _pair(
    X: Array, Y: Array, weights: Array, differ: BoolArray, family: int, outputscale: float, values: Array,
    gradient: Array, scratch: Array,
) -> None:  # fmt: skip
    n, d = X.shape
    slopes = scratch[0]
    for i in range(n):
        values[i] = 0.0
        for c in range(d):
            difference = (X[i, c] - Y[i, c]) * weights[c]
            if differ[c]:
                values[i] += weights[c] * weights[c] if difference != 0.0 else 0.0
            else:
                values[i] += difference * difference
    shapes_in_place(values, slopes, scratch[1], family)
    for i in range(n):
        values[i] *= outputscale
        for c in range(d):
            slope = 2.0 * outputscale * slopes[i] * weights[c] * weights[c] * (X[i, c] - Y[i, c])
            gradient[i, c] = 0.0 if differ[c] else slope
