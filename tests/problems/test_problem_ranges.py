"""Maxima and minima of the problems, found again by searches that know nothing of them."""

import pickle

import numpy as np
import pytest
from scipy.optimize import differential_evolution, minimize

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.problems import PROBLEMS, Problem, ackley

SEARCHED = {**PROBLEMS, "ackley1": ackley(1), "ackley2": ackley(2)}


def by_coordinates(f, x, rounds=3):
    """Move one coordinate at a time to the best of a grid: out of the wells that hold the other searches."""
    grid = np.linspace(0.0, 1.0, 2001)
    for c in np.tile(np.arange(len(x)), rounds):
        line = np.repeat(x[None], len(grid), axis=0)
        line[:, c] = grid
        x = line[f(line).argmin()]
    return x


def lowest(f, dimension):
    """The least of f, (n, d) to (n,), on the unit cube: by evolution, and from the best of random points."""
    box = [(0.0, 1.0)] * dimension
    X = np.random.default_rng(0).random((20_000, dimension))
    best = X[np.argsort(f(X))[:6]]
    starts = [*best, by_coordinates(f, best[0])]
    local = [minimize(lambda x: f(x[None])[0], x, method="L-BFGS-B", bounds=box).fun for x in starts]
    evolved = differential_evolution(
        lambda columns: f(columns.T), box, seed=0, tol=1e-8, vectorized=True, updating="deferred"
    )
    return min(*local, evolved.fun)


@pytest.mark.parametrize("problem", SEARCHED.values(), ids=SEARCHED)
def test_a_search_finds_the_maximum_and_the_minimum_and_no_more(problem):
    width = problem.maximum - problem.minimum
    assert -lowest(lambda X: -problem(X), problem.dimension) == pytest.approx(problem.maximum, abs=1e-7 * width)
    assert lowest(problem, problem.dimension) == pytest.approx(problem.minimum, abs=1e-7 * width)


@pytest.mark.parametrize("problem", SEARCHED.values(), ids=SEARCHED)
def test_the_optimum_reaches_the_maximum(problem):
    assert problem([problem.optimum])[0] == pytest.approx(problem.maximum, rel=1e-8, abs=1e-12)
    assert problem.share([problem.optimum])[0] == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_known_by_its_name_and_travels_to_other_processes(name):
    problem = PROBLEMS[name]
    assert problem.name == name == name.lower()
    X = np.random.default_rng(0).random((5, problem.dimension))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(problem))(X), problem(X))


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_share_is_a_fraction_of_the_range(name):
    problem = PROBLEMS[name]
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * problem.dimension)).reshape(problem.dimension, -1).T
    X = np.vstack([corners, np.random.default_rng(1).random((1000, problem.dimension))])
    share = problem.share(X)
    assert share.min() >= -1e-12
    assert share.max() <= 1.0 + 1e-12
    np.testing.assert_allclose(problem.minimum + share * (problem.maximum - problem.minimum), problem(X), atol=1e-9)


def test_a_problem_checks_what_it_is_told():
    def flat(X):
        return np.zeros(len(X))

    with pytest.raises(InputError, match=r"minimum must be below maximum; received \(1\.0, 0\.0\)"):
        Problem("flat", 2, flat, np.zeros(2), 0.0, 1.0)
    with pytest.raises(ShapeError, match=r"optimum must have shape \(2,\); received \(3,\)"):
        Problem("flat", 2, flat, np.zeros(3), 1.0, 0.0)
    with pytest.raises(InputError, match="dimension must be a whole number of at least 1; received 0"):
        ackley(0)
