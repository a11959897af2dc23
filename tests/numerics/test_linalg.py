"""Factorisations against the matrices they factorise."""

import numpy as np
import pytest

from anchorpbo.numerics.linalg import (
    cholesky,
    cholesky_of_identity_plus,
    cholesky_solve,
    inverse_lower,
    log_determinant,
    solve_lower,
    square_root,
)
from anchorpbo.typing import Array


@pytest.fixture
def A() -> Array:
    F = np.random.default_rng(0).standard_normal((5, 7))
    return np.eye(5) + F @ F.T


def test_cholesky_is_lower_and_gives_the_matrix_back(A: Array) -> None:
    L = cholesky(A)
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_allclose(L @ L.T, A, rtol=1e-13)


def test_argument_is_left_alone(A: Array) -> None:
    before = A.copy()
    L = cholesky(A)
    kept = L.copy()
    b = np.ones(5)
    solve_lower(L, b)
    inverse_lower(L)
    cholesky_solve(L, b)
    cholesky_of_identity_plus(A, b, A)
    square_root(A)
    np.testing.assert_array_equal(A, before)
    np.testing.assert_array_equal(L, kept)
    np.testing.assert_array_equal(b, np.ones(5))


@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 0)])
def test_solutions_solve(A: Array, shape: tuple[int, ...]) -> None:
    L, B = cholesky(A), np.random.default_rng(1).standard_normal(shape)
    np.testing.assert_allclose(L @ solve_lower(L, B), B, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(A @ cholesky_solve(L, B), B, rtol=1e-11, atol=1e-12)


def test_inverse_of_a_triangle(A: Array) -> None:
    L = cholesky(A)
    np.testing.assert_allclose(inverse_lower(L) @ L, np.eye(5), atol=1e-13)


def test_log_determinant(A: Array) -> None:
    assert log_determinant(cholesky(A)) == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-13)


def test_empty_matrices() -> None:
    empty = np.empty((0, 0))
    assert cholesky(empty).shape == (0, 0)
    assert solve_lower(empty, np.empty((0, 3))).shape == (0, 3)
    assert inverse_lower(empty).shape == (0, 0)
    assert cholesky_solve(empty, np.empty(0)).shape == (0,)
    assert log_determinant(empty) == 0.0
    assert square_root(empty).shape == (0, 0)


def test_indefinite_matrices_are_refused() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        cholesky(np.diag([1.0, -1.0]))


@pytest.mark.parametrize("rank", [0, 1, 3, 6])
def test_square_root_of_a_singular_matrix(rank: int) -> None:
    F = np.random.default_rng(2).standard_normal((6, rank))
    E = square_root(F @ F.T)
    assert E.shape == (6, rank)
    np.testing.assert_allclose(E @ E.T, F @ F.T, atol=1e-13)


def test_square_root_of_repeated_designs_has_their_rank() -> None:
    K = np.ones((4, 4))
    K[3, :3] = K[:3, 3] = 0.5
    E = square_root(K)
    assert E.shape == (4, 2)
    np.testing.assert_allclose(E @ E.T, K, atol=1e-14)


def test_square_root_ignores_eigenvalues_below_zero_by_rounding() -> None:
    K = np.ones((3, 3)) - 1e-17 * np.eye(3)
    K[0, 1] = K[1, 0] = np.nextafter(1.0, 2.0)
    E = square_root(K)
    assert np.isfinite(E).all()
    np.testing.assert_allclose(E @ E.T, K, atol=1e-14)


class TestIdentityPlus:
    @pytest.mark.parametrize("scale", [1.0, 1e6, 1e20, 1e40])
    @pytest.mark.parametrize("diagonal", [False, True])
    def test_factor_exists_at_any_scale(self, scale: float, diagonal: bool) -> None:
        """S is singular, so that rounding makes I + F S F' indefinite once it is beyond 1 / eps."""
        rng = np.random.default_rng(3)
        E = rng.standard_normal((6, 2))
        S = E @ E.T
        F = np.sqrt(scale) * (rng.uniform(0.5, 1.0, 6) if diagonal else rng.standard_normal((4, 6)))
        B = F[:, None] * S * F if diagonal else F @ S @ F.T
        L = cholesky_of_identity_plus(B, F, S)
        np.testing.assert_array_equal(L, np.tril(L))
        assert (np.diagonal(L) > 0).all()
        np.testing.assert_allclose(L @ L.T, B + np.eye(len(B)), atol=1e-10 * scale, rtol=1e-9)

    def test_eigenvalues_stay_at_least_one(self) -> None:
        E = np.array([[1.0], [1.0]])
        F = np.full(2, 1e12)
        L = cholesky_of_identity_plus(F[:, None] * (E @ E.T) * F, F, E @ E.T)
        smallest = np.linalg.svd(L, compute_uv=False)[-1] ** 2
        assert smallest >= 0.5
