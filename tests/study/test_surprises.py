"""Surprising answers of a study, and slips that later answers outvote."""

import dataclasses
import json

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo import Optimizer, Probit, Real, Space
from anchorpbo.errors import InputError

SPACE = Space(x=Real(0, 1), y=Real(0, 1))


def utility(design):
    return -((design["x"] - 0.7) ** 2 + (design["y"] - 0.3) ** 2)


def simulate(duels, slips=(), seed=1, **options):
    opt = Optimizer(SPACE, seed=seed, **options)
    for number in range(duels):
        duel = opt.ask()
        first = (utility(duel.first) > utility(duel.second)) != (number in slips)
        opt.tell(duel, "first" if first else "second")
    return opt


def preferences(slips=0, repeats=6, **options):
    """Clear preferences along a line, each told several times, and then the opposite of one of them."""
    opt = Optimizer(SPACE, **options)
    designs = [{"x": x, "y": 0.5} for x in (0.0, 0.5, 1.0)]
    for _ in range(repeats):
        for better, worse in ((2, 1), (1, 0), (2, 0)):
            opt.tell_preference(designs[better], designs[worse])
    for _ in range(slips):
        opt.tell_preference(designs[0], designs[2])
    return opt


def test_flipped_first_answers_are_outvoted_and_among_the_surprises():
    opt = simulate(30, slips=(0, 1), likelihood=Probit(lapse=0.1))
    assert utility(opt.recommend().design) > -0.02
    surprises = opt.surprises()
    assert surprises[0].event in {0, 1}
    assert {0, 1} <= {surprise.event for surprise in surprises}
    assert all(surprise.p_lapse > 0.1 for surprise in surprises)


@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_the_opposite_of_repeated_answers_is_the_most_surprising_one(lapse):
    opt = preferences(slips=1, likelihood=Probit(lapse=lapse))
    first = opt.surprises()[0]
    assert (first.event, first.duel, first.tie) == (18, None, False)
    assert (first.winner["x"], first.loser["x"]) == (0.0, 1.0)
    assert first.probability < 0.1
    assert first.p_lapse == pytest.approx(lapse / 2 / first.probability)
    assert ("slip" in first.sentence) == (lapse > 0)


def test_lapses_make_one_refuted_answer_count_less():
    without, with_lapse = (preferences(slips=2, likelihood=Probit(lapse=lapse)) for lapse in (0.0, 0.1))
    worst, best = {"x": 0.0, "y": 0.5}, {"x": 1.0, "y": 0.5}
    gaps = [np.subtract(*[e.utility for e in opt.utilities([best, worst])]) for opt in (without, with_lapse)]
    assert gaps[1] > gaps[0]


def test_surprises_are_plain_data_in_order_and_name_the_duel():
    opt = simulate(12, slips=(3,), likelihood=Probit(lapse=0.05))
    opt.tell(opt.ask(), "skip")
    opt.tell(opt.ask(), "tie")
    surprises = opt.surprises()
    assert [s.probability for s in surprises] == sorted(s.probability for s in surprises)
    for surprise in surprises:
        event = opt.history[surprise.event]
        assert event["duel"] == surprise.duel
        assert event["outcome"] != "skip"
        order = ["second", "first"] if event["outcome"] == "second" else ["first", "second"]
        assert [event[side] for side in order] == [surprise.winner, surprise.loser]
        assert surprise.tie == (event["outcome"] == "tie")
        assert surprise.probability < 1 / 3
        json.dumps(dataclasses.asdict(surprise))
        with pytest.raises(dataclasses.FrozenInstanceError):
            surprise.event = 3


def test_a_study_without_answers_has_no_surprises():
    assert Optimizer(SPACE).surprises() == []


# -- saving -----------------------------------------------------------------------------------------------------------


def test_a_saved_study_keeps_its_lapse_and_the_next_duel():
    opt = simulate(8, likelihood=Probit(lapse=0.05))
    text = opt.to_json()
    assert json.loads(text)["study"]["likelihood"]["lapse"] == 0.05
    assert json.loads(text)["learnt"]["lapse"] == 0.05
    again = Optimizer.from_json(text)
    assert again.plan.likelihood == opt.plan.likelihood
    assert again.ask() == opt.ask()


def test_a_learnt_lapse_is_saved_with_the_hyper_parameters():
    opt = simulate(8, learn={"lengthscale": None, "outputscale": None, "lapse": None})
    learnt = opt.model.likelihood.lapse
    assert learnt > 0.0
    text = opt.to_json()
    assert "lapse" not in json.loads(text)["study"]["likelihood"]
    assert json.loads(text)["learnt"]["lapse"] == learnt
    assert Optimizer.from_json(text).model.likelihood.lapse == learnt


def test_a_study_without_lapses_is_saved_as_before():
    layout = json.loads(simulate(6, preset_version=1).to_json())
    assert layout["study"]["likelihood"] == {"class": "Probit", "tie_threshold": None}
    assert set(layout["learnt"]) == {"log_parameters", "noise", "tie_threshold"}


@pytest.mark.parametrize("lapse", [1.0, -0.1, "much", True, None])
def test_a_saved_lapse_must_be_a_probability_below_one(lapse):
    layout = json.loads(simulate(6).to_json())
    layout["learnt"]["lapse"] = lapse
    with pytest.raises(InputError, match="valid hyper-parameters"):
        Optimizer.from_json(json.dumps(layout))


@pytest.mark.parametrize("lapse", [-1e-9, 1.0, float("nan")])
def test_a_lapse_must_be_at_least_zero_and_below_one(lapse):
    with pytest.raises(InputError, match="lapse must be"):
        Probit(lapse=lapse)
    assert Probit(lapse=np.nextafter(1.0, 0.0)).lapse < 1.0


def test_the_public_name():
    assert ap.Surprise is type(preferences(slips=1).surprises()[0])
