"""Many climbs in the unit cube at once."""

import numpy as np
import pytest

from anchorpbo.search.projected_bfgs import MERGE_DISTANCE, ProjectedBFGS


def climb(function, starts, tolerance=1e-12, symmetric=False, limit=300):
    """Climb to the end; returns the climbs and how many rows were evaluated each time."""
    ascent, sizes = ProjectedBFGS(np.array(starts, dtype=float), tolerance, symmetric), []
    while len(rows := ascent.active_rows) and len(sizes) < limit:
        values, gradients = zip(*(function(x) for x in ascent.trial[rows]), strict=True)
        ascent.tell(rows, np.array(values), np.array(gradients))
        sizes.append(len(rows))
    return ascent, sizes


def bowl(A, top):
    """-(x - top)' A (x - top) / 2."""
    return lambda x: (-0.5 * (x - top) @ A @ (x - top), -A @ (x - top))


def random_bowl(rng, p):
    M = rng.standard_normal((p, p))
    return M @ M.T + 0.1 * np.eye(p)


@pytest.mark.parametrize("p", [1, 2, 5, 12])
def test_a_bowl_is_climbed_to_its_top(p):
    rng = np.random.default_rng(p)
    top = rng.uniform(0.2, 0.8, size=p)
    ascent, sizes = climb(bowl(random_bowl(rng, p), top), rng.random((1, p)))
    assert ascent.ended.all()
    np.testing.assert_allclose(ascent.x[0], top, atol=1e-5)
    assert len(sizes) <= 6 * p + 10


@pytest.mark.parametrize("seed", range(5))
def test_a_top_outside_leads_to_the_best_place_on_a_face(seed):
    rng = np.random.default_rng(seed)
    A, top = random_bowl(rng, 3), rng.uniform(-0.5, 1.5, size=3)
    function = bowl(A, top)
    ascent, _ = climb(function, rng.random((1, 3)))
    axis = np.linspace(0.0, 1.0, 41)
    grid = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    best = max(function(x)[0] for x in grid)
    assert ascent.ended.all()
    assert ((ascent.x >= 0.0) & (ascent.x <= 1.0)).all()
    assert ascent.values[0] >= best - 1e-9
    assert ascent.values[0] == pytest.approx(function(ascent.x[0])[0], rel=1e-12)


def test_a_narrow_bent_valley_is_followed():
    def function(x):
        a, b = 4.0 * x - 2.0
        gradient = np.array([-400.0 * a * (b - a * a) - 2.0 * (1.0 - a), 200.0 * (b - a * a)])
        return -(100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2), -4.0 * gradient

    ascent, _ = climb(function, [[0.2, 0.75]])
    np.testing.assert_allclose(4.0 * ascent.x[0] - 2.0, 1.0, atol=1e-4)


def test_a_start_where_the_function_curves_upwards_still_climbs():
    def function(x):
        t = x[0] - 0.5
        return np.exp(-50.0 * t * t), np.array([-100.0 * t * np.exp(-50.0 * t * t)])

    ascent, _ = climb(function, [[0.05]])
    assert ascent.x[0, 0] == pytest.approx(0.5, abs=1e-5)


def test_each_climb_goes_its_own_way():
    """Two tops of one height, far apart: none is given up, and each climb is what it would be alone."""

    def function(x):
        a, b = np.exp(-20.0 * ((x - 0.2) ** 2).sum()), np.exp(-20.0 * ((x - 0.8) ** 2).sum())
        return a + b, -40.0 * (a * (x - 0.2) + b * (x - 0.8))

    starts = np.array([[0.1, 0.3], [0.9, 0.7]])
    together, _ = climb(function, starts)
    assert together.ended.all()
    for start, x in zip(starts, together.x, strict=True):
        np.testing.assert_array_equal(climb(function, start[None])[0].x[0], x)


def test_a_climb_on_a_lower_hill_is_given_up():
    steep = np.array([30.0, 2.0])

    def function(x):
        a, b = np.exp(-(steep * (x - 0.2) ** 2).sum()), 0.1 * np.exp(-(steep * (x - 0.8) ** 2).sum())
        return a + b, -2.0 * steep * (a * (x - 0.2) + b * (x - 0.8))

    ascent, sizes = climb(function, [[0.1, 0.3], [0.95, 0.7]])
    assert ascent.ended.tolist() == [True, False]
    assert sizes[0] == 2
    assert sizes[-1] == 1
    assert ascent.values[0] >= function(np.array([0.2, 0.2]))[0]


@pytest.mark.parametrize(("symmetric", "expected"), [(False, 2), (True, 1)])
def test_a_climb_that_comes_near_a_better_one_is_given_up(symmetric, expected):
    """Pairs are near in either order."""
    function = bowl(np.eye(2), np.array([0.5, 0.5]))
    starts = np.array([[0.3, 0.9], [0.9 + 0.3 * MERGE_DISTANCE, 0.3]])
    ascent = ProjectedBFGS(starts, 1e-12, symmetric)
    values, gradients = zip(*(function(x) for x in starts), strict=True)
    ascent.tell(ascent.active_rows, np.array(values), np.array(gradients))
    assert len(ascent.active_rows) == expected


def test_a_flat_function_ends_at_once():
    ascent, sizes = climb(lambda x: (3.0, np.zeros(2)), [[0.3, 0.4], [0.9, 0.1]])
    assert ascent.ended.all()
    assert sizes == [2]
    np.testing.assert_array_equal(ascent.values, 3.0)


def test_a_gradient_that_lies_ends_without_a_better_value():
    ascent, sizes = climb(lambda x: (-abs(x[0] - 0.5), np.array([1.0])), [[0.5]])
    assert not len(ascent.active_rows)
    assert ascent.x[0, 0] == 0.5
    assert len(sizes) < 40
