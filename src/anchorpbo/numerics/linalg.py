"""Small symmetric linear algebra on LAPACK.

No jitter is added. The matrices to be factorised have the form I + F S F' with S positive semi-definite, so their
smallest eigenvalue is at least 1. A covariance to be sampled from is factorised by its eigenvalues.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array


def cholesky(A: Array) -> Array:
    """Return the lower triangular L with L L' = A."""
    return _factorise_in_place(np.array(A, order="C")) if A.size else A.copy()


def cholesky_of_identity_plus(B: Array, F: Array, S: Array) -> Array:
    """Return the lower triangular L with L L' = I + B, B = F S F'; F is (r, n), or (n,) if diagonal.

    F and S are used only if the factorisation of I + B fails.
    """
    A = B.copy()
    A.reshape(-1)[:: len(A) + 1] += 1.0
    return cholesky_by_root(A, F, S)


def cholesky_by_root(A: Array, F: Array, S: Array) -> Array:
    """Return the lower triangular L with L L' = A = I + F S F'; only A's upper triangle is read, and A is overwritten.

    If A exceeds 1 / eps, its rounding errors outweigh the identity and it may be numerically indefinite. With S = E E'
    the same matrix is [I, F E] [I, F E]', whose QR factorisation cannot fail.
    """
    try:
        return _factorise_in_place(A)
    except linalg.LinAlgError:
        E = square_root(S)
        FE = F[:, None] * E if F.ndim == 1 else F @ E
        R = np.asarray(np.linalg.qr(np.vstack([np.eye(len(A)), FE.T]), mode="r"))
        return np.asarray((R * np.where(np.diagonal(R) < 0, -1.0, 1.0)[:, None]).T)


def _factorise_in_place(A: Array) -> Array:
    """Return L from the upper triangle of A, which has the memory layout of the lower one in LAPACK."""
    L, failed = lapack.dpotrf(A.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise linalg.LinAlgError(f"the leading minor of order {failed} is not positive definite")
    return np.asarray(L)


def solve_lower(L: Array, B: Array) -> Array:
    """Return L^-1 B."""
    return np.asarray(lapack.dtrtrs(L, B, lower=1)[0]) if L.size else B.copy()


def inverse_lower(L: Array) -> Array:
    """Return L^-1."""
    return np.asarray(lapack.dtrtri(L, lower=1)[0]) if L.size else L.copy()


def cholesky_solve(L: Array, B: Array) -> Array:
    """Return (L L')^-1 B."""
    return np.asarray(lapack.dpotrs(L, B, lower=1)[0]) if L.size else B.copy()


def inverse_from_cholesky(L: Array) -> Array:
    """Return the lower triangle of (L L')^-1."""
    return np.asarray(lapack.dpotri(L, lower=1)[0]) if L.size else L.copy()


def scale_symmetric(lower: Array, scale: Array) -> Array:
    """Return diag(scale) A diag(scale), (n, n), for a symmetric A given by its lower triangle."""
    A = np.empty(lower.shape)
    _fill_scaled(lower.T, scale, A)
    return A


@jit_tiered
def _fill_scaled(upper: Array, scale: Array, A: Array) -> None:
    for i in range(len(A)):
        for j in range(i, len(A)):
            A[i, j] = A[j, i] = scale[i] * upper[i, j] * scale[j]


def log_determinant(L: Array) -> float:
    """Return log |L L'|."""
    return 2.0 * float(np.log(np.diagonal(L)).sum())


def square_root(A: Array) -> Array:
    """Return E, (n, r), with E E' = A for a positive semi-definite A, which may be singular.

    Eigenvalues below rounding, n eps times the largest, carry no information and are dropped.
    """
    if not A.size:
        return A.copy()
    values, vectors = linalg.eigh(A, check_finite=False)
    keep = values > len(A) * np.finfo(float).eps * max(values[-1], 0.0)
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]))
