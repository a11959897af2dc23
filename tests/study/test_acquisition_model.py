"""The model behind `ask`."""

import numpy as np
import pytest
from studies import play, small

from anchorpbo import Duels, Optimizer, Real, Space
from anchorpbo.errors import NotFittedError
from anchorpbo.inference import EP, Hallucination, Laplace


@pytest.mark.parametrize(("strategy", "inference"), [("rahbo", Hallucination), ("raeubo", Laplace)])
def test_it_infers_as_the_plan_says_and_not_as_recommendations_do(strategy, inference):
    opt = Optimizer(Space(x=Real(0, 1)), [{"x": 0.3}], strategy, "paper", 1)
    play(opt, 9)
    assert isinstance(opt.acquisition_model.inference, inference)
    assert isinstance(opt.model.inference, EP)
    points = np.linspace(0.0, 1.0, 7)[:, None]
    assert not np.array_equal(opt.acquisition_model.posterior.mean(points), opt.model.posterior.mean(points))


def test_it_is_the_model_that_chose_the_duel():
    opt = small("ucb", preset="paper")
    play(opt, 10)
    acquisition_model, duel = opt.acquisition_model, opt.ask()
    again = small("ucb", preset="paper")
    play(again, 10)
    assert again.ask() == duel, "looking changes nothing"
    points = acquisition_model.posterior.points
    assert np.array_equal(again.acquisition_model.posterior.mean(points), acquisition_model.posterior.mean(points))


def test_what_is_done_to_it_does_not_reach_the_study():
    opt = small()
    play(opt, 8)
    before = opt.acquisition_model.posterior.means
    opt.acquisition_model.condition(Duels([[0.1], [0.9]], [0], [1]))
    assert np.array_equal(opt.acquisition_model.posterior.means, before)


def test_before_an_answer_there_is_none():
    with pytest.raises(NotFittedError, match="ask a duel"):
        _ = small().acquisition_model
