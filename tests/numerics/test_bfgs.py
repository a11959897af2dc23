"""Descents in a box against scipy's L-BFGS-B and against known answers."""

import numpy as np
import pytest
from scipy import optimize

from anchorpbo.numerics.bfgs import minimize


def quadratic(A, centre):
    return lambda x: (float(0.5 * (x - centre) @ A @ (x - centre)), A @ (x - centre))


def rosenbrock(x):
    return float(optimize.rosen(x)), optimize.rosen_der(x)


BOX = np.array([[-2.0, -2.0], [2.0, 2.0]])


def test_a_right_guess_of_the_curvature_takes_one_step():
    points = []

    def function(x):
        points.append(x)
        return quadratic(np.diag([1.0, 9.0]), np.array([0.5, -0.5]))(x)

    lowest = minimize(function, np.zeros(2), BOX, np.array([1.0, 9.0]), 1e-10)
    assert lowest.converged
    np.testing.assert_allclose(lowest.x, [0.5, -0.5])
    assert len(points) == 2


@pytest.mark.parametrize("guess", [1e-3, 1.0, 1e3])
def test_a_wrong_guess_ends_at_the_same_place(guess):
    lowest = minimize(rosenbrock, np.array([-1.2, 1.0]), BOX, np.full(2, guess), 1e-10)
    assert lowest.converged
    np.testing.assert_allclose(lowest.x, [1.0, 1.0], atol=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_hold_and_the_end_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(4, 4))
    function = quadratic(E @ E.T + 0.1 * np.eye(4), 2.0 * rng.normal(size=4))
    bounds = np.array([np.full(4, -1.0), np.full(4, 1.0)])
    inside = []

    def watched(x):
        inside.append(((x >= bounds[0]) & (x <= bounds[1])).all())
        return function(x)

    lowest = minimize(watched, rng.uniform(-1, 1, 4), bounds, np.full(4, 2.0), 1e-12)
    best = optimize.minimize(function, np.zeros(4), jac=True, method="L-BFGS-B", bounds=bounds.T, tol=1e-14)
    assert lowest.converged
    assert all(inside)
    assert lowest.value == pytest.approx(best.fun, abs=1e-8)


def test_a_start_outside_is_moved_to_the_box():
    lowest = minimize(quadratic(np.eye(2), np.array([5.0, 0.0])), np.array([9.0, 9.0]), BOX, np.ones(2), 1e-12)
    np.testing.assert_allclose(lowest.x, [2.0, 0.0], atol=1e-9)


def test_a_wrong_gradient_ends_without_claiming_success():
    lowest = minimize(lambda x: (float(x @ x), -2.0 * x), np.array([1.0, 1.0]), BOX, np.ones(2), 1e-10)
    assert not lowest.converged
    assert lowest.value == 2.0


def test_it_stops_when_told_to():
    stops = iter([False, True])
    lowest = minimize(rosenbrock, np.array([-1.2, 1.0]), BOX, np.ones(2), 1e-10, lambda x, value: next(stops))
    assert not lowest.converged


def test_where_there_is_no_number_it_comes_nearer_or_gives_up():
    def walled(x):
        return (float("nan") if x[0] > 0.5 else float((x[0] - 1.0) ** 2)), 2.0 * (x - 1.0)

    lowest = minimize(walled, np.zeros(1), np.array([[-2.0], [2.0]]), np.ones(1), 1e-8)
    assert not lowest.converged
    assert 0.4 < lowest.x[0] <= 0.5
    nowhere = minimize(lambda x: (float("nan"), x * np.nan), np.zeros(1), np.array([[-2.0], [2.0]]), np.ones(1), 1e-8)
    assert not nowhere.converged
