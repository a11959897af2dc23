from itertools import pairwise

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import ShapeError
from anchorpbo.problems import HARTMANN3, ExactJudge, SimulatedJudge, simulate


def test_hartmann3_has_its_maximum_where_it_should():
    assert HARTMANN3([HARTMANN3.optimum])[0] == pytest.approx(3.86278, abs=1e-5)
    X = np.random.default_rng(0).random((20_000, 3))
    assert HARTMANN3(X).max() < HARTMANN3.maximum + 1e-5
    with pytest.raises(ShapeError, match=r"X must have shape \(n, 3\)"):
        HARTMANN3([[0.5, 0.5]])


@pytest.mark.parametrize(
    "likelihood", [ap.Probit(0.4), ap.Logistic(0.4), ap.Probit()], ids=["probit", "logistic", "no ties"]
)
def test_a_judge_answers_with_the_probabilities_of_the_likelihood(likelihood):
    noise = ap.NoiseMap.bounded([[0.1, 0.5, 0.8]], scale=2.0)
    judge = SimulatedJudge(HARTMANN3, likelihood, noise)
    pair = np.array([[0.2, 0.5, 0.7], [0.3, 0.3, 0.3]])
    expected = np.array(judge.probabilities(*pair))
    assert expected.sum() == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    answers = [judge.answer(*pair, rng) for _ in range(4000)]
    seen = np.array([answers.count(outcome) for outcome in ("first", "second", "tie")]) / 4000
    np.testing.assert_allclose(seen, expected, atol=4 * 0.5 / np.sqrt(4000))


def test_a_judge_is_surer_near_the_anchors():
    noise = ap.NoiseMap.bounded([[0.1, 0.5, 0.8]], bandwidth=0.2, scale=2.0, strength=4.0)
    near, far = (SimulatedJudge(HARTMANN3, ap.Probit(), n) for n in (noise, ap.NoiseMap.constant(2.0)))
    pair = np.array([[0.1, 0.5, 0.8], [0.1, 0.4, 0.7]])
    assert near.probabilities(*pair)[0] > far.probabilities(*pair)[0] + 0.02


@pytest.mark.parametrize("strategy", ["rahbo", "raeubo"])
def test_a_study_finds_better_designs_than_its_first_duels_and_replays(strategy):
    noise = ap.NoiseMap.bounded([[0.2, 0.5, 0.7]], scale=0.02)
    judge = SimulatedJudge(HARTMANN3, ap.Probit(), noise)

    def study():
        optimizer = ap.Optimizer(HARTMANN3.space, [{"x1": 0.2, "x2": 0.5, "x3": 0.7}], strategy, seed=4)
        return list(simulate(optimizer, judge, rounds=28, seed=4))

    rounds, again = study(), study()
    assert [each.number for each in rounds] == list(range(1, 29))
    assert rounds[-1].best_utility > rounds[4].best_utility
    assert rounds[-1].best_utility > 3.0
    assert [r.pair.tobytes() for r in rounds] == [r.pair.tobytes() for r in again]
    assert all(each.best_utility == HARTMANN3(each.best[None])[0] for each in rounds)
    if strategy == "rahbo":  # the winner of a duel defends its place in the next
        for last, now in pairwise(rounds[5:]):
            winner = last.pair[0 if last.outcome == "first" else 1]
            assert any((design == winner).all() for design in now.pair)


def test_an_exact_judge_always_prefers_the_larger_utility_whatever_the_noise():
    judge = ExactJudge(HARTMANN3, ap.Probit(), ap.NoiseMap.constant(100.0))
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = rng.random((2, 3))
        better = "first" if HARTMANN3([first])[0] > HARTMANN3([second])[0] else "second"
        assert {judge.answer(first, second, rng) for _ in range(5)} == {better}
        assert judge.probabilities(first, second) == ((1.0, 0.0, 0.0) if better == "first" else (0.0, 1.0, 0.0))
    assert judge.probabilities(first, first) == (0.5, 0.5, 0.0)
