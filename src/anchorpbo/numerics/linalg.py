"""Small symmetric linear algebra, straight on LAPACK.

Nothing here adds jitter: every matrix that is factorised has the form I + (positive semi-definite), whose smallest
eigenvalue is 1, and a covariance to be sampled from goes through its eigenvalues instead.
"""

import numpy as np
from scipy import linalg

from anchorpbo.typing import Array


def cholesky(A: Array) -> Array:
    """Lower L with L L' = A."""
    return np.asarray(linalg.cholesky(A, lower=True, check_finite=False)) if A.size else A.copy()


def solve_lower(L: Array, B: Array) -> Array:
    """L^-1 B."""
    return np.asarray(linalg.solve_triangular(L, B, lower=True, check_finite=False)) if L.size else B.copy()


def cholesky_solve(L: Array, B: Array) -> Array:
    """(L L')^-1 B."""
    return np.asarray(linalg.cho_solve((L, True), B, check_finite=False)) if L.size else B.copy()


def log_determinant(L: Array) -> float:
    """Log |L L'|."""
    return 2.0 * float(np.log(np.diagonal(L)).sum())


def square_root(A: Array) -> Array:
    """E (n, r) with E E' = A for a positive semi-definite A, however singular.

    Eigenvalues below rounding, n eps times the largest, carry no information and are left out.
    """
    if not A.size:
        return A.copy()
    values, vectors = linalg.eigh(A, check_finite=False)
    keep = values > len(A) * np.finfo(float).eps * max(values[-1], 0.0)
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]))
