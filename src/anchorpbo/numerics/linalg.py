"""Small symmetric linear algebra on LAPACK.

Nothing here adds jitter. The matrices to be factorised have the form I + F S F' with S positive semi-definite, whose
smallest eigenvalue is 1; a covariance to be sampled from goes through its eigenvalues.
"""

import numpy as np
from scipy import linalg

from anchorpbo.typing import Array


def cholesky(A: Array) -> Array:
    """Lower L with L L' = A."""
    return np.asarray(linalg.cholesky(A, lower=True, check_finite=False)) if A.size else A.copy()


def cholesky_of_identity_plus(B: Array, F: Array, S: Array) -> Array:
    """Lower L with L L' = I + B, given B = F S F' and, in case it is needed, F, (r, n) or (n,) if diagonal, and S.

    Where B is beyond 1 / eps its rounding errors outweigh the identity and it may come out indefinite. With S = E E'
    the same matrix is [I, F E] [I, F E]', whose QR factorisation cannot fail.
    """
    try:
        return cholesky(B + np.eye(len(B)))
    except linalg.LinAlgError:
        E = square_root(S)
        FE = F[:, None] * E if F.ndim == 1 else F @ E
        R = np.asarray(np.linalg.qr(np.vstack([np.eye(len(B)), FE.T]), mode="r"))
        return np.asarray((R * np.where(np.diagonal(R) < 0, -1.0, 1.0)[:, None]).T)


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
