"""Small symmetric linear algebra on LAPACK.

Nothing here adds jitter. The matrices to be factorised have the form I + F S F' with S positive semi-definite, whose
smallest eigenvalue is 1; a covariance to be sampled from goes through its eigenvalues.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from anchorpbo.typing import Array


def cholesky(A: Array) -> Array:
    """Lower L with L L' = A."""
    if not A.size:
        return A.copy()
    L, failed = lapack.dpotrf(A.T, lower=1, clean=1)  # A' = A lies in memory as LAPACK wants it
    if failed:
        raise linalg.LinAlgError(f"the leading minor of order {failed} is not positive definite")
    return np.asarray(L)


def cholesky_of_identity_plus(B: Array, F: Array, S: Array) -> Array:
    """Lower L with L L' = I + B, given B = F S F' and, in case it is needed, F, (r, n) or (n,) if diagonal, and S.

    Where B is beyond 1 / eps its rounding errors outweigh the identity and it may come out indefinite. With S = E E'
    the same matrix is [I, F E] [I, F E]', whose QR factorisation cannot fail.
    """
    A = B.copy()
    A.reshape(-1)[:: len(A) + 1] += 1.0
    try:
        return cholesky(A)
    except linalg.LinAlgError:
        E = square_root(S)
        FE = F[:, None] * E if F.ndim == 1 else F @ E
        R = np.asarray(np.linalg.qr(np.vstack([np.eye(len(B)), FE.T]), mode="r"))
        return np.asarray((R * np.where(np.diagonal(R) < 0, -1.0, 1.0)[:, None]).T)


def solve_lower(L: Array, B: Array) -> Array:
    """L^-1 B."""
    return np.asarray(lapack.dtrtrs(L, B, lower=1)[0]) if L.size else B.copy()


def inverse_lower(L: Array) -> Array:
    """L^-1."""
    return np.asarray(lapack.dtrtri(L, lower=1)[0]) if L.size else L.copy()


def cholesky_solve(L: Array, B: Array) -> Array:
    """(L L')^-1 B."""
    return np.asarray(lapack.dpotrs(L, B, lower=1)[0]) if L.size else B.copy()


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
