"""Simulated experts: the noise by naive formulas, and the anchors told to a study."""

import math

import numpy as np
import pytest

from anchorpbo.errors import UnknownNameError
from anchorpbo.research.anchors.anchored_experts import (
    DISTANCE_DESIGNS,
    PADDED,
    TOLD,
    AnchoredExpert,
    find_relevant,
    get_anchored_problem,
    make_deviation,
)
from anchorpbo.research.answers.judges import place_anchors

LOW, HIGH = 0.05, 0.5


def measure_naively(x, places, categorical, relevant):
    gaps = []
    for place in places:
        total = 0.0
        for c in range(len(x)):
            if relevant[c]:
                total += float(x[c] != place[c]) if categorical[c] else float(x[c] - place[c]) ** 2
        gaps.append(math.sqrt(total))
    return min(gaps)


@pytest.fixture(scope="module", params=["gp3", "coffee", "branin2in6"])
def problem(request):
    return get_anchored_problem(request.param, 3)


def test_the_noise_rises_linearly_with_the_distance_to_the_nearest_place(problem):
    d = problem.space.dimension
    places = place_anchors(problem, "random", 3)
    categorical, relevant = np.isin(np.arange(d), problem.space.columns.categorical), find_relevant(problem.name, d)
    designs = problem.space.sample(DISTANCE_DESIGNS, np.random.default_rng(0))
    distances = np.array([measure_naively(x, places, categorical, relevant) for x in designs])
    found = make_deviation(problem, places, LOW, HIGH)(designs)
    expected = problem.range * (LOW + (HIGH - LOW) * distances / distances.max())
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.max() == pytest.approx(HIGH * problem.range)
    np.testing.assert_allclose(make_deviation(problem, places, LOW, HIGH)(places), LOW * problem.range, rtol=1e-12)


def test_designs_farther_than_all_random_ones_have_the_largest_noise():
    problem = get_anchored_problem("gp3", 0)
    places = np.full((1, 3), 0.5)
    assert make_deviation(problem, places, LOW, HIGH)(np.zeros((1, 3)))[0] == pytest.approx(HIGH * problem.range)


def test_equal_levels_give_constant_noise(problem):
    expert = AnchoredExpert.draw(problem, "random", "true", 3, 0.15, 0.15)
    designs = problem.space.sample(50, np.random.default_rng(1))
    np.testing.assert_allclose(expert.judge.deviation(designs), 0.15 * problem.range, rtol=1e-12)


def test_irrelevant_coordinates_change_neither_utility_nor_noise():
    problem = get_anchored_problem("hartmann3in10", 0)
    expert = AnchoredExpert.draw(problem, "good", "true", 0, LOW, HIGH)
    designs = problem.space.sample(40, np.random.default_rng(2))
    moved = designs.copy()
    moved[:, 3:] = 1.0 - moved[:, 3:]
    np.testing.assert_array_equal(problem.utility(moved), problem.utility(designs))
    np.testing.assert_array_equal(expert.judge.deviation(moved), expert.judge.deviation(designs))
    moved[:, 0] = 1.0 - moved[:, 0]
    assert not np.allclose(expert.judge.deviation(moved), expert.judge.deviation(designs))


@pytest.mark.parametrize("name", PADDED)
def test_the_name_of_a_padded_problem_has_its_dimensions(name):
    relevant, _, dimension = name.lstrip("abcdefghijklmnopqrstuvwxyz").partition("in")
    assert find_relevant(name, int(dimension)).sum() == int(relevant)
    assert get_anchored_problem(name, 0).space.dimension == int(dimension)


def test_what_is_told_does_not_change_the_expert(problem):
    experts = {told: AnchoredExpert.draw(problem, "good", told, 5, LOW, HIGH) for told in TOLD}
    designs = problem.space.sample(30, np.random.default_rng(3))
    deviations = [expert.judge.deviation(designs) for expert in experts.values()]
    np.testing.assert_array_equal(deviations[1], deviations[0])
    np.testing.assert_array_equal(deviations[2], deviations[0])
    assert [len(experts[told].anchors) for told in ("true", "false", "none")] == [5, 5, 0]
    np.testing.assert_array_equal(experts["true"].anchors, place_anchors(problem, "good", 5))


def test_false_anchors_are_among_the_noisiest_fifth(problem):
    expert = AnchoredExpert.draw(problem, "good", "false", 5, LOW, HIGH)
    designs = problem.space.sample(2000, np.random.default_rng(4))
    all_noise = expert.judge.deviation(designs)
    for noise in expert.judge.deviation(expert.anchors):
        assert (all_noise < noise).mean() > 0.7
    true = AnchoredExpert.draw(problem, "good", "true", 5, LOW, HIGH)
    np.testing.assert_allclose(expert.judge.deviation(true.anchors), LOW * problem.range, rtol=1e-12)


def test_unknown_anchors_are_rejected():
    with pytest.raises(UnknownNameError, match="anchors told must be one of"):
        AnchoredExpert.draw(get_anchored_problem("gp3", 0), "good", "half", 0, LOW, HIGH)
