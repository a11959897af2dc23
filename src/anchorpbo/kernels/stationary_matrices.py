"""Compiled matrices of the stationary kernels, and their gradients.

::

    RBF         exp(-r^2 / 2)                                  -1/2 exp(-r^2 / 2)
    MATERN_32   (1 + a) exp(-a),             a = sqrt(3) r     -3/2 exp(-a)
    MATERN_52   (1 + a + a^2 / 3) exp(-a),   a = sqrt(5) r     -5/6 (1 + a) exp(-a)

are the shapes and their derivatives in r^2, see `anchorpbo.kernels.stationary`.

Between two lists of designs: x_i is a row of X (n, d), y_j a row of Y (p, d), l_c the length-scales, s the output scale
and A weights (n, p):

    r_ij^2 = sum_c ((x_ic - y_jc) / l_c)^2; a categorical coordinate contributes 1 / l_c^2 if the two values differ
    K_ij = s shape(r_ij^2)                     gradient_ic = sum_j A_ij 2 s shape'(r_ij^2) (x_ic - y_jc) / l_c^2

On one list, with z = x / lengthscale and symmetric weights A, each pair of designs is visited once:

    K_ij = s shape(r^2)                                         d r^2 / d log lengthscale_c = -2 (z_ic - z_jc)^2
    sum_ij A_ij dK_ij / d log lengthscale_c = -4 s sum_i<j A_ij shape'(r^2) (z_ic - z_jc)^2

Differences are taken before squaring: expanding the square would lose the difference of designs 1e-9 apart.
"""

import numpy as np

from anchorpbo.numerics.exponential import exp_below_zero
from anchorpbo.numerics.jit import elements, jit
from anchorpbo.numerics.tiering import jit_tiered, jit_tiered_with
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.typing import Array, BoolArray

RBF, MATERN_32, MATERN_52 = 0, 1, 2
"""Codes of the shapes in compiled code."""
_TILE_COLUMNS = 512
"""Columns of a row that are processed together, so that they stay in the CPU cache."""
_TILE_SIZE = 32
"""Rows and columns of the tiles of a transposition."""


@jit
def shapes_in_place(r2: Array, slopes: Array, scratch: Array, family: int) -> None:
    """Replace squared distances, (n,), by their shape, and fill `slopes` with its derivative."""
    rate = 3.0 if family == MATERN_32 else 5.0
    for j in elements(len(r2)):
        slopes[j] = 0.0 if family == RBF else np.sqrt(rate * r2[j])
        r2[j] = -0.5 * r2[j] if family == RBF else -slopes[j]
    exp_below_zero(r2, scratch)
    for j in elements(len(r2)):
        a, e = slopes[j], r2[j]
        if family == RBF:
            slopes[j] = -0.5 * e
        elif family == MATERN_32:
            r2[j], slopes[j] = (1.0 + a) * e, -1.5 * e
        else:
            r2[j], slopes[j] = (1.0 + a + a * a / 3.0) * e, -5.0 / 6.0 * (1.0 + a) * e


def cross_matrix(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float, slopes: bool
) -> tuple[Array, Array]:
    """Return K, (n, p), and s shape', (n, p), which has no rows if `slopes` is false."""
    K, slope = np.empty((len(X), len(Y))), np.empty((len(X) if slopes else 0, len(Y)))
    weights, differ = _weights(X, lengths, categorical)
    scratch = np.empty((X.shape[1] + 2, min(_TILE_COLUMNS, len(Y))))
    _fill(as_read_only(X), as_read_only(Y), weights, differ, family, outputscale, K, slope, scratch)
    return K, slope


def cross_gradient(A: Array, slope: Array, X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...]) -> Array:
    """Return the gradient, (n, d), for weights A, (n, p), and the slope returned by `cross_matrix`."""
    gradient = np.empty(X.shape)
    weights, differ = _weights(X, lengths, categorical)
    _pull(as_read_only(A), slope, as_read_only(X), Y.T.copy(), weights, differ, gradient, np.empty(len(Y)))
    return gradient


def paired_values(
    X: Array, Y: Array, lengths: Array, categorical: tuple[int, ...], family: int, outputscale: float
) -> tuple[Array, Array]:
    """Return k(x_i, y_i), (n,), and its gradient in x_i, (n, d)."""
    values, gradient = np.empty(len(X)), np.empty(X.shape)
    weights, differ = _weights(X, lengths, categorical)
    _pair(
        as_read_only(X), as_read_only(Y), weights, differ, family, outputscale, values, gradient, np.empty((2, len(X)))
    )
    return values, gradient


def _weights(X: Array, lengths: Array, categorical: tuple[int, ...]) -> tuple[Array, BoolArray]:
    """Return 1 / l_c for each coordinate, and which coordinates are categorical."""
    weights, differ = np.empty(X.shape[1]), np.zeros(X.shape[1], dtype=np.bool_)
    weights[:] = 1.0 / lengths
    for c in categorical:
        differ[c] = True
    return weights, differ


def _fill_with_numpy(
    X: Array, Y: Array, weights: Array, differ: BoolArray, family: int, outputscale: float, K: Array, slope: Array,
    columns: Array,
) -> None:  # fmt: skip
    """Fill K and slope by operations on whole matrices, in the same order as `_fill` for each element."""
    K[...] = 0.0
    for c in range(X.shape[1]):
        here, others, weight = X[:, c, None], Y[:, c], weights[c]
        if differ[c]:
            K += np.where(others != here, weight * weight, 0.0)
        else:
            scaled = (here - others) * weight
            K += scaled * scaled
    slopes, scratch = np.empty((2, K.size))
    shapes_in_place(K.reshape(-1), slopes, scratch, family)
    K *= outputscale
    if len(slope):
        slope[...] = outputscale * slopes.reshape(K.shape)


@jit_tiered_with(_fill_with_numpy)
def _fill(  # noqa: PLR0912
    X: Array, Y: Array, weights: Array, differ: BoolArray, family: int, outputscale: float, K: Array, slope: Array,
    columns: Array,
) -> None:  # fmt: skip
    """Fill K and slope; `columns`, (d + 2, tile), holds a tile of Y, its slopes and scratch memory for exp."""
    n, d = X.shape
    for start in range(0, len(Y), _TILE_COLUMNS):
        width = min(_TILE_COLUMNS, len(Y) - start)
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


def _pull_with_numpy(
    A: Array, slope: Array, X: Array, columns: Array, weights: Array, differ: BoolArray, gradient: Array, B: Array
) -> None:
    """Fill the gradient by the same four sums as `_pull`, for all rows and coordinates at once."""
    p = len(B)
    whole = p - p % 4
    terms = (A * slope)[:, None] * (X[:, :, None] - columns)
    sums = np.zeros((*X.shape, 4))
    for j in range(0, whole, 4):
        sums += terms[:, :, j : j + 4]
    for j in range(whole, p):
        sums[:, :, 0] += terms[:, :, j]
    total = (sums[:, :, 0] + sums[:, :, 1]) + (sums[:, :, 2] + sums[:, :, 3])
    gradient[...] = np.where(differ, 0.0, 2.0 * weights * weights * total)


@jit_tiered_with(_pull_with_numpy)
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
            # Four independent sums, which the processor adds in parallel.
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
    for i in elements(n):
        values[i] = 0.0
        for c in range(d):
            difference = (X[i, c] - Y[i, c]) * weights[c]
            if differ[c]:
                values[i] += weights[c] * (difference != 0.0) * weights[c]  # no branch, see `elements`
            else:
                values[i] += difference * difference
    shapes_in_place(values, slopes, scratch[1], family)
    for i in elements(n):
        values[i] *= outputscale
        for c in range(d):
            slope = 2.0 * outputscale * slopes[i] * weights[c] * weights[c] * (X[i, c] - Y[i, c])
            gradient[i, c] = 0.0 if differ[c] else slope


@jit_tiered
def symmetric_matrix(
    Z: Array, codes: Array, weights: Array, family: int, outputscale: float, K: Array, slope: Array, scratch: Array
) -> None:
    """Fill K, (n, n), and s shape', (n, n), above its diagonal, for columns Z, (d, n), and categories, (q, n).

    `scratch` is working memory of shape (3, n).
    """
    n = Z.shape[1]
    for i in range(n):
        rest = n - i - 1
        row, row_slopes = scratch[0, :rest], scratch[1, :rest]
        for j in elements(rest):
            row[j] = 0.0
        for c in range(Z.shape[0]):
            here, others = Z[c, i], Z[c, i + 1 :]
            for j in elements(rest):
                row[j] += (others[j] - here) * (others[j] - here)
        for c in range(codes.shape[0]):
            for j in range(rest):
                row[j] += weights[c] if codes[c, i + 1 + j] != codes[c, i] else 0.0
        shapes_in_place(row, row_slopes, scratch[2, :rest], family)
        K[i, i] = outputscale
        K_i, slope_i = K[i, i + 1 :], slope[i, i + 1 :]
        for j in elements(rest):
            K_i[j] = outputscale * row[j]
            slope_i[j] = outputscale * row_slopes[j]
    # Copy the upper half to the lower one in tiles small enough for the rows and columns of both to stay in the cache.
    for top in range(0, n, _TILE_SIZE):
        for left in range(0, top + 1, _TILE_SIZE):
            for i in range(top, min(top + _TILE_SIZE, n)):
                right = min(left + _TILE_SIZE, i)
                below, above = K[i, left:right], K[left:right, i]
                for j in elements(len(below)):
                    below[j] = above[j]


@jit_tiered
def length_gradient(
    Z: Array, codes: Array, weights: Array, K: Array, slope: Array, A: Array, scratch: Array, out: Array
) -> None:
    """Fill `out`: derivatives in the log length-scales of columns and categories, (d + q,), then sum_ij A_ij K_ij.

    `scratch` is working memory of shape (d + q + 2, n), initially zero.
    """
    d, n = Z.shape
    q = codes.shape[0]
    # One sum per j until the end: independent sums can be vectorised.
    B, sums = scratch[0], scratch[1:]
    for i in range(n):
        rest = n - i - 1
        sums[d + q, i] += 0.5 * A[i, i] * K[i, i]
        A_i, K_i, slope_i, sums_K = A[i, i + 1 :], K[i, i + 1 :], slope[i, i + 1 :], sums[d + q, i + 1 :]
        for j in elements(rest):
            B[j] = A_i[j] * slope_i[j]
            sums_K[j] += A_i[j] * K_i[j]
        for c in range(d):
            here, others, sums_c = Z[c, i], Z[c, i + 1 :], sums[c, i + 1 :]
            for j in elements(rest):
                sums_c[j] += B[j] * (others[j] - here) * (others[j] - here)
        for c in range(q):
            for j in range(rest):
                sums[d + c, i + 1 + j] += B[j] if codes[c, i + 1 + j] != codes[c, i] else 0.0
    for c in range(d + q + 1):
        out[c] = 0.0
        for j in range(n):
            out[c] += sums[c, j]
        out[c] *= 2.0 if c == d + q else -4.0 * (1.0 if c < d else weights[c - d])
