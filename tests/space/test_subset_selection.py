"""Choosing a few rows that stand for a list."""

from itertools import combinations

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.space import Columns, farthest_points, medoids
from anchorpbo.space.subset_selection import MAX_SUBSET_ROWS, distances

MIXED = Columns(numeric=(0, 1), categorical=(2,), fingerprint=(3, 4, 5))


def naive(x, y):
    """The formula at the head of the module, term by term."""
    common = sum(a * b for a, b in zip(x[3:], y[3:], strict=True))
    either = sum(a * a for a in x[3:]) + sum(b * b for b in y[3:]) - common
    similar = common / either if either else 1.0
    return ((x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2 + (x[2] != y[2]) + (1 - similar) ** 2) ** 0.5


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.random((n, 2)), rng.integers(0, 3, n) / 2, rng.integers(0, 3, (n, 3))])


def test_distances_follow_the_formula():
    X, Y = mixed(12), mixed(9, seed=1)
    X[0, 3:] = Y[0, 3:] = 0.0
    expected = [[naive(x, y) for y in Y] for x in X]
    assert distances(X, Y, MIXED) == pytest.approx(np.array(expected), abs=1e-7)
    assert np.diag(distances(X, X, MIXED)).tolist() == [0.0] * 12


def test_each_point_is_the_farthest_from_those_before():
    X = mixed(60)
    found = farthest_points(X, 10, MIXED, chosen=[5, 7])
    before = [5, 7]
    for row in found:
        gaps = [min(naive(x, X[other]) for other in before) for x in X]
        assert gaps[row] == pytest.approx(max(gaps), abs=1e-7)
        before.append(int(row))
    assert len(set(before)) == 12


def test_equal_rows_are_one():
    X = np.repeat(np.eye(3), 4, axis=0)
    found = farthest_points(X, 10, Columns(numeric=(0, 1, 2)), chosen=[0])
    assert sorted(row // 4 for row in found) == [1, 2]
    assert len(farthest_points(X, 0, Columns(numeric=(0, 1, 2)), chosen=[0])) == 0


def test_bad_choices_are_refused():
    columns = Columns(numeric=(0,))
    with pytest.raises(InputError, match=r"chosen must have at least one row; received none; choose one to start from"):
        farthest_points(np.zeros((3, 1)), 1, columns, chosen=[])
    with pytest.raises(InputError, match=r"chosen must be row numbers of points, 0 to 2; received 3"):
        farthest_points(np.zeros((3, 1)), 1, columns, chosen=[3])
    with pytest.raises(ShapeError, match=r"X must have shape \(n, d\)"):
        medoids(np.zeros(3), 1, columns, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"n must be a whole number of at least 0; received -1"):
        medoids(np.zeros((3, 1)), -1, columns, np.random.default_rng(0))


def test_medoids_are_near_to_the_best_there_are():
    X = mixed(18, seed=3)
    D = np.array([[naive(x, y) for y in X] for x in X])
    best = min(D[:, list(rows)].min(axis=1).sum() for rows in combinations(range(18), 3))
    found = medoids(X, 3, MIXED, np.random.default_rng(0))
    assert len(set(found.tolist())) == 3
    assert D[:, found].min(axis=1).sum() <= 1.15 * best


@pytest.mark.parametrize("size", [100, 2 * MAX_SUBSET_ROWS])
def test_medoids_find_the_middle_of_each_cluster(size):
    rng = np.random.default_rng(0)
    centres = np.array([[0.1, 0.1], [0.9, 0.1], [0.5, 0.9]])
    X = centres[np.arange(size) % 3] + 0.02 * rng.standard_normal((size, 2))
    rows = medoids(X, 3, Columns(numeric=(0, 1)), rng)
    assert sorted(row % 3 for row in rows) == [0, 1, 2]
    for row in rows:
        assert np.abs(X[row] - centres[row % 3]).max() < 0.01


def test_medoids_of_little_are_what_there_is():
    columns, rng = Columns(numeric=(0,)), np.random.default_rng(0)
    assert medoids(np.empty((0, 1)), 3, columns, rng).tolist() == []
    assert medoids(np.zeros((4, 1)), 3, columns, rng).shape == (1,)
    assert medoids(np.array([[0.0], [1.0]]), 0, columns, rng).tolist() == []
    assert sorted(medoids(np.array([[0.0], [1.0]]), 5, columns, rng).tolist()) == [0, 1]
