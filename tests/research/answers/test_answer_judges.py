"""Judges of the benchmark answer with the probabilities that they state."""

import numpy as np
import pytest

from anchorpbo.errors import UnknownNameError
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS, SLIPS, make_judge, place_anchors
from anchorpbo.research.answers.problems import get_judged_problem
from anchorpbo.research.answers.study_task import draw_uniform

PROBLEM = get_judged_problem("gp2", 0)
ANCHORS = place_anchors(PROBLEM, "good", 0)


@pytest.mark.parametrize(
    ("name", "share"), [("sure", 0.0), ("slips", 0.0), ("constant-low", 0.05), ("constant-high", 0.15)]
)
def test_the_error_of_a_constant_judge_is_a_share_of_the_range(name, share):
    X = PROBLEM.space.sample(50, np.random.default_rng(4))
    values = PROBLEM.utility(PROBLEM.space.sample(20_000, np.random.default_rng(5)))
    span = PROBLEM.maximum - np.quantile(values, 0.05)
    assert np.allclose(make_judge(name, PROBLEM, ANCHORS).deviation(X), share * span, rtol=0.05)


@pytest.mark.parametrize("name", JUDGES)
def test_the_probability_of_an_answer_is_that_of_a_user_who_perceives_utilities_with_noise(name):
    judge, rng, draws = make_judge(name, PROBLEM, ANCHORS), np.random.default_rng(1), 40_000
    for pair in PROBLEM.space.sample(16, rng).reshape(8, 2, 2):
        perceived = PROBLEM.utility(pair) + judge.deviation(pair) * rng.standard_normal((draws, 2))
        first = (perceived[:, 0] > perceived[:, 1]) != (rng.random(draws) < judge.slips)
        assert abs(first.mean() - judge.prob_first(pair)) < 5 * 0.5 / np.sqrt(draws)


@pytest.mark.parametrize("name", JUDGES)
def test_answers_have_the_stated_frequency_over_uniform_levels(name):
    judge, pair = make_judge(name, PROBLEM, ANCHORS), PROBLEM.space.sample(2, np.random.default_rng(3))
    levels = (np.arange(1000) + 0.5) / 1000
    share = np.mean([judge.prefers_first(pair, level) for level in levels])
    assert abs(share - judge.prob_first(pair)) <= 1e-3
    assert np.isclose(judge.prob_first(pair) + judge.prob_first(pair[::-1]), 1.0)


def test_a_sure_judge_never_errs_and_one_who_slips_errs_one_time_in_ten():
    X = PROBLEM.space.sample(40, np.random.default_rng(0)).reshape(20, 2, 2)
    for pair in X:
        better = float(PROBLEM.utility(pair)[0] > PROBLEM.utility(pair)[1])
        assert make_judge("sure", PROBLEM, ANCHORS).prob_first(pair) == better
        assert np.isclose(make_judge("slips", PROBLEM, ANCHORS).prob_first(pair), abs(better - SLIPS))


@pytest.mark.parametrize("name", JUDGES)
def test_equal_designs_are_a_coin_flip(name):
    x = PROBLEM.space.sample(1, np.random.default_rng(0))[0]
    assert np.isclose(make_judge(name, PROBLEM, ANCHORS).prob_first(np.array([x, x])), 0.5)


@pytest.mark.parametrize("name", ["believed", "linear"])
@pytest.mark.parametrize("problem", ["gp2", "espresso", "catalogue5"])
def test_heteroscedastic_judges_are_surest_at_their_anchors(name, problem):
    problem = get_judged_problem(problem, 0)
    anchors = place_anchors(problem, "random", 0)
    judge = make_judge(name, problem, anchors)
    everywhere = judge.deviation(problem.space.sample(500, np.random.default_rng(0)))
    assert judge.deviation(anchors).max() <= everywhere.min() + 0.1 * everywhere.max()
    assert everywhere.max() <= 0.3 * problem.range + 1e-12


@pytest.mark.parametrize("problem", ["gp2", "espresso", "catalogue5"])
def test_anchors_are_from_the_fifth_that_their_placement_names(problem):
    problem = get_judged_problem(problem, 2)
    shares = {place: problem.share(place_anchors(problem, place, 2)) for place in PLACEMENTS}
    assert shares["good"].shape == (5,)
    assert shares["good"].min() > np.quantile(problem.share(problem.space.sample(2000, np.random.default_rng(0))), 0.7)
    assert shares["misleading"].max() < 0.0
    assert not np.array_equal(place_anchors(problem, "good", 2), place_anchors(problem, "good", 3))


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match="a judge must be one of"):
        make_judge("moody", PROBLEM, ANCHORS)
    with pytest.raises(UnknownNameError, match="a placement must be one of"):
        place_anchors(PROBLEM, "none", 0)


def test_levels_are_uniform_and_depend_on_the_seed_and_the_number_alone():
    levels = np.array([[draw_uniform(seed, number) for number in range(1, 41)] for seed in range(25)])
    assert len(np.unique(levels)) == levels.size
    assert abs(levels.mean() - 0.5) < 4 * np.sqrt(1 / 12 / levels.size)
    assert draw_uniform(3, 7) == levels[3, 6]
