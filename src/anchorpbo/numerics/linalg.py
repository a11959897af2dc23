"""Small symmetric linear algebra on LAPACK.

Nothing here adds jitter. The matrices to be factorised have the form I + F S F' with S positive semi-definite, whose
smallest eigenvalue is 1; a covariance to be sampled from goes through its eigenvalues.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array


def cholesky(A: Array) -> Array:
    """Lower L with L L' = A."""
    return _factorise_in_place(np.array(A, order="C")) if A.size else A.copy()


def cholesky_of_identity_plus(B: Array, F: Array, S: Array) -> Array:
    """Lower L with L L' = I + B, given B = F S F' and, in case it is needed, F, (r, n) or (n,) if diagonal, and S."""
    A = B.copy()
    A.reshape(-1)[:: len(A) + 1] += 1.0
    return cholesky_by_root(A, F, S)


def cholesky_by_root(A: Array, F: Array, S: Array) -> Array:
    """Lower L with L L' = A = I + F S F'; A, of which the upper triangle is enough, is overwritten.

    Where A is beyond 1 / eps its rounding errors outweigh the identity and it may come out indefinite. With S = E E'
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
    """The same from the upper triangle of A, which lies in memory as LAPACK wants its lower one."""
    L, failed = lapack.dpotrf(A.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise linalg.LinAlgError(f"the leading minor of order {failed} is not positive definite")
    return np.asarray(L)


def solve_lower(L: Array, B: Array) -> Array:
    """L^-1 B."""
    return np.asarray(lapack.dtrtrs(L, B, lower=1)[0]) if L.size else B.copy()


def inverse_lower(L: Array) -> Array:
    """L^-1."""
    return np.asarray(lapack.dtrtri(L, lower=1)[0]) if L.size else L.copy()


def cholesky_solve(L: Array, B: Array) -> Array:
    """(L L')^-1 B."""
    return np.asarray(lapack.dpotrs(L, B, lower=1)[0]) if L.size else B.copy()


def inverse_from_cholesky(L: Array) -> Array:
    """(L L')^-1, its lower triangle only."""
    return np.asarray(lapack.dpotri(L, lower=1)[0]) if L.size else L.copy()


def scale_symmetric(lower: Array, scale: Array) -> Array:
    """diag(scale) A diag(scale), (n, n), of a symmetric A of which only the lower triangle is given."""
    A = np.empty(lower.shape)
    _fill_scaled(lower.T, scale, A)
    return A


@jit_tiered
def _fill_scaled(upper: Array, scale: Array, A: Array) -> None:
    for i in range(len(A)):
        for j in range(i, len(A)):
            A[i, j] = A[j, i] = scale[i] * upper[i, j] * scale[j]


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
