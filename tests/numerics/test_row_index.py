"""Equal rows of an array, found by a number of each."""

import numpy as np
import pytest

from anchorpbo.numerics import row_index
from anchorpbo.numerics.row_index import RowIndex, find_distinct_rows


def lists():
    rng = np.random.default_rng(0)
    yield rng.random((40, 3))[rng.integers(0, 40, 300)]
    yield (rng.random((500, 8)) < 0.3).astype(float)
    yield np.zeros((4, 2))
    yield np.empty((0, 3))
    yield rng.random((50, 1)).round(1)


@pytest.mark.parametrize("X", list(lists()), ids=lambda X: str(X.shape))
@pytest.mark.parametrize("collide", [False, True])
def test_rows_are_grouped_in_the_order_of_first_appearance(X, collide, monkeypatch):
    if collide:  # even where all have one number
        monkeypatch.setattr(row_index, "_hash_rows", lambda X: np.zeros(len(X), dtype=np.uint64))
    first, group = find_distinct_rows(X)
    seen = {}
    for row in X:
        seen.setdefault(row.tobytes(), len(seen))
    assert list(group) == [seen[row.tobytes()] for row in X]
    assert list(first) == sorted(first)
    np.testing.assert_array_equal(X[first][group], X)


@pytest.mark.parametrize("collide", [False, True])
def test_a_row_is_found_where_it_first_stands(collide, monkeypatch):
    if collide:
        monkeypatch.setattr(row_index, "_hash_rows", lambda X: np.full(len(X), 7, dtype=np.uint64))
    X = np.random.default_rng(1).integers(0, 3, (60, 3)).astype(float)
    places = RowIndex(X)
    for row in X:
        assert places.find(row) == int(np.argmax((row == X).all(axis=1)))
    assert places.find(np.array([0.0, 1.0, 0.5])) is None


def test_bits_of_fingerprints_do_not_share_a_number():
    X = np.unique((np.random.default_rng(2).random((3000, 64)) < 0.1).astype(float), axis=0)
    assert len(np.unique(row_index._hash_rows(X))) == len(X)


def test_the_largest_number_is_found_too(monkeypatch):
    monkeypatch.setattr(row_index, "_hash_rows", lambda X: np.full(len(X), 2**64 - 1, dtype=np.uint64))
    assert RowIndex(np.eye(3)).find(np.array([0.0, 1.0, 0.0])) == 1
