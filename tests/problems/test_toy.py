import pickle
from math import exp

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import PROBLEMS, TOY, TOY_ANCHORS, get_problem

GRID = np.linspace(0.0, 1.0, 100_001)[:, None]
QUIET, LOUD = 0.25, 0.78


def hills(x):
    return sum(a * exp(-0.5 * ((x - c) / w) ** 2) for a, c, w in [(2.8, 0.25, 0.1), (1.2, 0.52, 0.06), (3, 0.78, 0.08)])


def test_the_toy_is_its_formula():
    np.testing.assert_allclose(TOY(GRID[::1000]), [hills(x) for x in GRID[::1000, 0].tolist()], rtol=1e-13)


def test_the_toy_has_its_maximum_and_minimum_where_it_should():
    values = TOY(GRID)
    # BLAS may add three numbers in another order.
    assert TOY([TOY.optimum])[0] == pytest.approx(TOY.maximum, rel=1e-14)
    assert TOY.maximum * (1.0 + 1e-14) >= values.max() == pytest.approx(TOY.maximum, abs=1e-6)
    assert values.min() == values[-1] == pytest.approx(TOY.minimum, rel=1e-14)
    assert GRID[values.argmax(), 0] == pytest.approx(LOUD, abs=1e-3)


def test_the_quiet_hill_is_a_little_lower():
    left = GRID[:, 0] < 0.5
    values = TOY(GRID)
    assert GRID[values[left].argmax(), 0] == pytest.approx(QUIET, abs=1e-3)
    assert 0.9 < values[left].max() / TOY.maximum < 0.95


# The paper's map, with the paper's weight of noise, and the bounded one that differs more between near and far.
@pytest.mark.parametrize(
    ("noise", "weight"),
    [(ap.NoiseMap.from_anchors(TOY_ANCHORS), 10.0), (ap.NoiseMap.bounded(TOY_ANCHORS), 1.0)],
    ids=["paper", "bounded"],
)
def test_a_penalty_on_noise_moves_the_best_design_to_the_quiet_hill(noise, weight):
    quiet, loud = noise(np.array([[QUIET], [LOUD]]))
    assert quiet < loud
    adjusted = TOY(GRID) - weight * noise(GRID)
    assert GRID[adjusted.argmax(), 0] == pytest.approx(QUIET, abs=0.01)


def test_the_toy_is_found_by_name_as_the_others_are_and_travels_to_other_processes():
    assert get_problem("toy") is TOY
    assert TOY.name == "toy"
    assert all(get_problem(name) is problem for name, problem in PROBLEMS.items())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(TOY))(GRID[::100]), TOY(GRID[::100]))
    assert TOY_ANCHORS.shape == (4, 1)
    with pytest.raises(UnknownNameError, match=r"a problem must be one of ackley6, branin, candy, .*sushi, toy; "):
        get_problem("t0y")
