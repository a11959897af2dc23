"""A triangular root of many duels on few designs, without a subtraction that could lose digits.

Symbols: W_ij >= 0 is the precision of all sites between designs i and j together, B_ij = W_ij t_ij their linear term,
and the margin between them is h_i - h_j, h = c f. The utilities see the sites through the Laplacian of a graph,

    sum_ij W_ij (h_i - h_j - t_ij)^2 = |F h - y|^2 + constant

Eliminating a design k from a graph replaces its edges by edges between its neighbours (a star by a mesh):

    D_k = sum_j W_kj        F_k = sqrt(D_k) (e_k - sum_j W_kj / D_k e_j)        y_k = sum_j B_kj / sqrt(D_k)
    W_ij += W_ki W_kj / D_k          t_ij of the new edge = t_kj - t_ki

All weights are sums of positive numbers, so every entry of F is right to a few units in its last place, however much
the precisions differ [Alfa2002]; a Cholesky factorisation of the Laplacian would lose those of the small ones.

References
----------
[Alfa2002] A. S. Alfa, J. Xue and Q. Ye. Accurate computation of the smallest eigenvalue of a diagonally dominant
    M-matrix. Mathematics of Computation 71, 217-236, 2002.
"""

import numpy as np

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array


def eliminated(W: Array, B: Array) -> tuple[Array, Array]:
    """F, (u, u) upper triangular, and y, (u,), of the upper triangles of W and B, which are overwritten."""
    F, y = np.zeros_like(W), np.zeros(len(W))
    _eliminate(W, B, F, y)
    return F, y


@jit_tiered
def _eliminate(W: Array, B: Array, F: Array, y: Array) -> None:
    u = len(W)
    share = np.empty(u)
    for k in range(u):
        D = 0.0
        for j in range(k + 1, u):
            D += W[k, j]
        if D == 0.0:  # the last of those that were compared with one another
            continue
        root, linear = np.sqrt(D), 0.0
        F[k, k] = root
        for j in range(k + 1, u):
            linear += B[k, j]
            share[j] = W[k, j] / D
            F[k, j] = -root * share[j]
        y[k] = linear / root
        for i in range(k + 1, u):
            if share[i] > 0.0:
                weight, flow = W[k, i], B[k, i]
                for j in range(i + 1, u):
                    W[i, j] += weight * share[j]
                    B[i, j] += share[i] * B[k, j] - flow * share[j]
