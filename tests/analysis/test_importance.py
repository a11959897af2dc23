"""Importance of parameters: against indices that are known, and against a naive double loop."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.analysis import ModelView, compute_importance
from anchorpbo.analysis.importance import compute_total_effects
from anchorpbo.errors import InputError, NotFittedError
from support.drawn_studies import played, shelved


def evaluate(function, n=20_000, d=3):
    rng = np.random.default_rng(0)
    x, other = rng.random((2, n, d))
    changed = [np.where(np.arange(d) == i, other, x) for i in range(d)]
    return np.array([[function(each) for each in (x, *changed)]])


def test_indices_of_a_sum_are_the_shares_of_its_variance():
    (found,) = compute_total_effects(evaluate(lambda x: 3 * x[:, 0] + 4 * x[:, 1]))
    assert found == pytest.approx([9 / 25, 16 / 25, 0.0], abs=0.02)


def test_indices_of_a_product_add_up_to_more_than_one():
    # Of (x - 1/2)(y - 1/2) all variance is interaction.
    (found,) = compute_total_effects(evaluate(lambda x: (x[:, 0] - 0.5) * (x[:, 1] - 0.5)))
    assert found == pytest.approx([1.0, 1.0, 0.0], abs=0.02)


def test_a_constant_utility_depends_on_nothing():
    assert (compute_total_effects(np.ones((2, 4, 10))) == 0.0).all()


def test_importance_is_the_mean_over_draws_of_the_variance_within_a_parameter():
    """Against a double loop: the variance over values of one parameter, the mean over all others, per draw."""
    rng = np.random.default_rng(1)
    space = ap.Space(a=ap.Real(0, 1), b=ap.Real(0, 1))
    study = ap.Optimizer(space, inference="laplace", seed=0)
    for first, second in rng.random((12, 2, 2)):
        pair = sorted((first, second), key=lambda x: x[0] + 0.2 * x[1])
        loser, winner = ({"a": float(x[0]), "b": float(x[1])} for x in pair)
        study.tell_preference(winner, loser)
    grid = (np.arange(9) + 0.5) / 9
    points = np.array([(a, b) for a in grid for b in grid])
    draws = study.model.posterior.sample(points, 2_000, rng).reshape(-1, 9, 9)
    total = draws.var(axis=(1, 2))
    naive = [draws.var(axis=axis).mean(axis=1) / total for axis in (1, 2)]
    a, b = compute_importance(ModelView.of(study))
    assert (a.name, b.name) == ("a", "b")
    assert [a.index, b.index] == pytest.approx([each.mean() for each in naive], abs=0.08)
    assert a.low <= np.median(naive[0]) <= a.high
    assert a.index > 0.7
    assert b.index < 0.5


def test_importance_is_the_same_every_time_and_lies_in_its_interval():
    study = played()
    found = compute_importance(ModelView.of(study))
    assert found == compute_importance(ModelView.of(study))
    assert [one.name for one in found] == ["heat", "dose", "grind", "origin", "stir"]  # water is constant
    for one in found:
        assert 0.0 <= one.low <= one.index <= one.high <= 1.0


def test_a_space_of_few_designs_has_an_importance():
    study = ap.Optimizer(ap.Space(a=ap.Boolean(), b=ap.Integer(1, 2)), inference="laplace")
    study.tell_preference({"a": True, "b": 1}, {"a": False, "b": 1})
    a, b = compute_importance(ModelView.of(study))
    assert 0.0 <= b.index <= 1.0
    assert 0.0 <= a.index <= 1.0


def test_importance_needs_an_answer_and_parameters():
    with pytest.raises(NotFittedError):
        compute_importance(ModelView.of(played(count=0)))
    with pytest.raises(InputError, match="a map needs a space of parameters"):
        compute_importance(ModelView.of(shelved()))
