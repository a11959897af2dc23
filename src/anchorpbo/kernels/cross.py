"""A stationary kernel between two lists of designs, or of designs side by side, and its chain rule, compiled.

Symbols: x_i a row of X (n, d), y_j a row of Y (p, d), l_c the length-scales, s the output scale, A weights (n, p):

    r_ij^2 = sum_c ((x_ic - y_jc) / l_c)^2, where a categorical coordinate counts 1 / l_c^2 if the two differ
    K_ij = s shape(r_ij^2)                     gradient_ic = sum_j A_ij 2 s shape'(r_ij^2) (x_ic - y_jc) / l_c^2

Differences come first: expanding a square would lose designs 1e-9 apart.
"""

import numpy as np

from anchorpbo.kernels.shapes import shapes_in_place
from anchorpbo.numerics.checks import read_only
from anchorpbo.numerics.jit import compiled
from anchorpbo.typing import Array, BoolArray, IntArray

_TILE = 512
"""Columns worked on at a time, so that a row of them stays at hand."""


def cross_matrix(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float, slopes: bool
) -> tuple[Array, Array]:
    """K, (n, p), and s shape', (n, p), or of no rows where no slopes are asked for."""
    K, slope = np.empty((len(X), len(Y))), np.empty((len(X) if slopes else 0, len(Y)))
    columns = np.array(categorical, dtype=np.intp)
    _fill(read_only(X), read_only(Y), read_only(lengths), columns, family, outputscale, K, slope)
    return K, slope


def cross_gradient(A: Array, slope: Array, X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...]) -> Array:
    """The gradient, (n, d), for weights A, (n, p), and the slope that `cross_matrix` gave."""
    gradient = np.empty(X.shape)
    columns = np.array(categorical, dtype=np.intp)
    _pull(read_only(A), slope, read_only(X), read_only(Y), read_only(lengths), columns, gradient)
    return gradient


def paired_values(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float
) -> tuple[Array, Array]:
    """k(x_i, y_i), (n,), and its gradient in x_i, (n, d)."""
    values, gradient = np.empty(len(X)), np.empty(X.shape)
    columns = np.array(categorical, dtype=np.intp)
    _pair(read_only(X), read_only(Y), read_only(lengths), columns, family, outputscale, values, gradient)
    return values, gradient


@compiled
def _fill(  # noqa: PLR0912
    X: Array, Y: Array, lengths: Array, categorical: IntArray, family: int, outputscale: float, K: Array, slope: Array
) -> None:
    n, d = X.shape
    weights, differ = _weights(lengths, categorical, d)
    columns, slopes, scratch = np.empty((d, _TILE)), np.empty(_TILE), np.empty(_TILE)
    for start in range(0, len(Y), _TILE):
        width = min(_TILE, len(Y) - start)
        for j in range(width):
            for c in range(d):
                columns[c, j] = Y[start + j, c]
        for i in range(n):
            row, row_slopes = K[i, start : start + width], slopes[:width]
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
            shapes_in_place(row, row_slopes, scratch[:width], family)
            for j in range(width):
                row[j] *= outputscale
            if len(slope):
                kept = slope[i, start : start + width]
                for j in range(width):
                    kept[j] = outputscale * row_slopes[j]


@compiled
def _pull(A: Array, slope: Array, X: Array, Y: Array, lengths: Array, categorical: IntArray, gradient: Array) -> None:
    n, d = X.shape
    p = len(Y)
    weights, differ = _weights(lengths, categorical, d)
    columns, B = np.empty((d, p)), np.empty(p)
    for j in range(p):
        for c in range(d):
            columns[c, j] = Y[j, c]
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


@compiled
def _pair(
    X: Array, Y: Array, lengths: Array, categorical: IntArray, family: int, outputscale: float, values: Array,
    gradient: Array,
) -> None:  # fmt: skip
    n, d = X.shape
    weights, differ = _weights(lengths, categorical, d)
    slopes, scratch = np.empty(n), np.empty(n)
    for i in range(n):
        values[i] = 0.0
        for c in range(d):
            difference = (X[i, c] - Y[i, c]) * weights[c]
            if differ[c]:
                values[i] += weights[c] * weights[c] if difference != 0.0 else 0.0
            else:
                values[i] += difference * difference
    shapes_in_place(values, slopes, scratch, family)
    for i in range(n):
        values[i] *= outputscale
        for c in range(d):
            slope = 2.0 * outputscale * slopes[i] * weights[c] * weights[c] * (X[i, c] - Y[i, c])
            gradient[i, c] = 0.0 if differ[c] else slope


@compiled
def _weights(lengths: Array, categorical: IntArray, d: int) -> tuple[Array, BoolArray]:
    """1 / l_c for each coordinate, and which of them are categorical."""
    weights, differ = np.empty(d), np.zeros(d, dtype=np.bool_)
    for c in range(d):
        weights[c] = 1.0 / lengths[c if len(lengths) > 1 else 0]
    for c in categorical:
        differ[c] = True
    return weights, differ
