"""Rows against the dense matrix they stand for."""

import numpy as np
import pytest

from anchorpbo.duels import Rows
from anchorpbo.typing import Array

U, M = 5, 9


@pytest.fixture
def rows() -> Rows:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, U, size=(2, M))
    second[4] = first[4]  # a design against itself
    first[7], second[7] = first[2], second[2]  # a repeated duel
    return Rows(first, second, *rng.uniform(0.2, 3.0, size=(2, M)), np.arange(M) > 6, U)


@pytest.fixture
def dense(rows: Rows) -> Array:
    D = np.zeros((M, U))
    for k in range(M):
        D[k, rows.first[k]] += rows.coef_first[k]
        D[k, rows.second[k]] -= rows.coef_second[k]
    return D


def covariance(n: int) -> Array:
    A = np.random.default_rng(1).standard_normal((n, n + 2))
    return A @ A.T


def test_matrix_has_two_entries_a_row(rows: Rows, dense: Array) -> None:
    np.testing.assert_allclose(rows.D.toarray(), dense, rtol=1e-15)
    assert len(rows) == M


def test_design_against_itself_has_the_difference_of_its_coefficients(rows: Rows) -> None:
    row = rows.D.toarray()[4]
    assert np.count_nonzero(row) == 1
    assert row[rows.first[4]] == pytest.approx(rows.coef_first[4] - rows.coef_second[4], rel=1e-15)


def test_scaled_is_a_diagonal_times_the_matrix(rows: Rows, dense: Array) -> None:
    scale = np.random.default_rng(2).uniform(size=M)
    np.testing.assert_allclose(rows.to_dense(scale), np.diag(scale) @ dense, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("shape", [(U,), (U, 3), (U, 0)])
def test_margins(rows: Rows, dense: Array, shape: tuple[int, ...]) -> None:
    f = np.random.default_rng(3).standard_normal(shape)
    np.testing.assert_allclose(rows.margins(f), dense @ f, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("shape", [(M,), (M, 3), (M, 0)])
def test_transposed(rows: Rows, dense: Array, shape: tuple[int, ...]) -> None:
    t = np.random.default_rng(4).standard_normal(shape)
    np.testing.assert_allclose(rows.apply_transpose(t), dense.T @ t, rtol=1e-13, atol=1e-15)


def test_arguments_may_be_laid_out_column_by_column(rows: Rows, dense: Array) -> None:
    rng = np.random.default_rng(5)
    f, t = rng.standard_normal((3, U)).T, rng.standard_normal((3, M)).T
    np.testing.assert_allclose(rows.margins(f), dense @ f, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(rows.apply_transpose(t), dense.T @ t, rtol=1e-13, atol=1e-15)


def test_margin_covariance(rows: Rows, dense: Array) -> None:
    K = covariance(U)
    C = rows.margin_covariance(K)
    np.testing.assert_allclose(C, dense @ K @ dense.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(C, C.T)


def test_margin_variances(rows: Rows, dense: Array) -> None:
    S = covariance(U)
    np.testing.assert_allclose(rows.margin_variances(S), np.diagonal(dense @ S @ dense.T), rtol=1e-12, atol=1e-13)


def test_equal_coefficients_make_a_design_against_itself_a_margin_of_zero() -> None:
    rows = Rows(np.array([1]), np.array([1]), np.array([0.7]), np.array([0.7]), np.array([False]), 3)
    K = covariance(3)
    assert rows.margins(np.array([1.0, 2.0, 3.0])).tolist() == [0.0]
    assert rows.margin_covariance(K).tolist() == [[0.0]]
    assert rows.margin_variances(K)[0] == pytest.approx(0.0, abs=1e-15)
    assert rows.apply_transpose(np.array([1e9])).tolist() == [0.0, 0.0, 0.0]
    assert not rows.D.toarray().any()
    assert not rows.to_dense(np.ones(1)).any()


def test_no_duels() -> None:
    empty = np.empty(0)
    rows = Rows(empty.astype(np.intp), empty.astype(np.intp), empty, empty, empty.astype(np.bool_), 2)
    assert rows.margins(np.ones(2)).shape == (0,)
    assert rows.apply_transpose(empty).tolist() == [0.0, 0.0]
    assert rows.margin_covariance(np.eye(2)).shape == (0, 0)
    assert rows.margin_variances(np.eye(2)).shape == (0,)
    assert rows.to_dense(empty).shape == (0, 2)
