"""The matrix of a stationary kernel on one list of designs, and its chain rule to the length-scales, compiled.

Symbols: z = x / lengthscale, r^2 = sum_c (z_ic - z_jc)^2 + sum of the weights of the categories that differ, s the
output scale, A symmetric weights. Each pair of designs is looked at once:

    K_ij = s shape(r^2)                                         d r^2 / d log lengthscale_c = -2 (z_ic - z_jc)^2
    sum_ij A_ij dK_ij / d log lengthscale_c = -4 s sum_i<j A_ij shape'(r^2) (z_ic - z_jc)^2
"""

from anchorpbo.kernels.shapes import shapes_in_place
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array

_TILE = 32


@jit_tiered
def symmetric_matrix(
    Z: Array, codes: Array, weights: Array, family: int, outputscale: float, K: Array, slope: Array, scratch: Array
) -> None:
    """Fill K, (n, n), and s shape', (n, n), above its diagonal, for columns Z, (d, n), and categories, (q, n).

    `scratch` is room for (3, n) numbers.
    """
    n = Z.shape[1]
    for i in range(n):
        rest = n - i - 1
        row, row_slopes = scratch[0, :rest], scratch[1, :rest]
        for j in range(rest):
            row[j] = 0.0
        for c in range(Z.shape[0]):
            here, others = Z[c, i], Z[c, i + 1 :]
            for j in range(rest):
                row[j] += (others[j] - here) * (others[j] - here)
        for c in range(codes.shape[0]):
            for j in range(rest):
                row[j] += weights[c] if codes[c, i + 1 + j] != codes[c, i] else 0.0
        shapes_in_place(row, row_slopes, scratch[2, :rest], family)
        K[i, i] = outputscale
        K_i, slope_i = K[i, i + 1 :], slope[i, i + 1 :]
        for j in range(rest):
            K_i[j] = outputscale * row[j]
            slope_i[j] = outputscale * row_slopes[j]
    # The other half, a tile at a time: rows of one half are columns of the other, which only small tiles keep at hand.
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            for i in range(top, min(top + _TILE, n)):
                for j in range(left, min(left + _TILE, i)):
                    K[i, j] = K[j, i]


@jit_tiered
def length_gradient(
    Z: Array, codes: Array, weights: Array, K: Array, slope: Array, A: Array, scratch: Array, out: Array
) -> None:
    """Fill the derivatives in the log length-scales of columns and categories, (d + q,), and sum_ij A_ij K_ij, last.

    `scratch` is room for (d + q + 2, n) numbers, zero at first.
    """
    d, n = Z.shape
    q = codes.shape[0]
    # Sums are kept for each j until the end: numbers that do not wait for each other are added several at a time.
    B, sums = scratch[0], scratch[1:]
    for i in range(n):
        rest = n - i - 1
        sums[d + q, i] += 0.5 * A[i, i] * K[i, i]
        A_i, K_i, slope_i, sums_K = A[i, i + 1 :], K[i, i + 1 :], slope[i, i + 1 :], sums[d + q, i + 1 :]
        for j in range(rest):
            B[j] = A_i[j] * slope_i[j]
            sums_K[j] += A_i[j] * K_i[j]
        for c in range(d):
            here, others, sums_c = Z[c, i], Z[c, i + 1 :], sums[c, i + 1 :]
            for j in range(rest):
                sums_c[j] += B[j] * (others[j] - here) * (others[j] - here)
        for c in range(q):
            for j in range(rest):
                sums[d + c, i + 1 + j] += B[j] if codes[c, i + 1 + j] != codes[c, i] else 0.0
    for c in range(d + q + 1):
        out[c] = 0.0
        for j in range(n):
            out[c] += sums[c, j]
        out[c] *= 2.0 if c == d + q else -4.0 * (1.0 if c < d else weights[c - d])
