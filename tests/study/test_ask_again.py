"""A comparison is asked again: the same designs, sides swapped, as a duel of its own."""

import pytest

from anchorpbo import Optimizer, Real, Space
from anchorpbo.errors import InputError

SPACE = Space(x=Real(0, 1), y=Real(0, 1))


@pytest.fixture
def study():
    study = Optimizer(SPACE, [{"x": 0.5, "y": 0.5}], seed=0)
    for outcome in ("first", "second", "tie"):
        study.tell(study.ask(), outcome)
    study.add_anchor({"x": 0.1, "y": 0.2})
    study.tell_preference({"x": 0.9, "y": 0.8}, {"x": 0.1, "y": 0.1})
    return study


@pytest.mark.parametrize("event", [0, 1, 2])
def test_the_designs_are_the_same_and_the_sides_swapped(study, event):
    before = study.history[event]
    duel = study.ask_again(event)
    assert (duel.first, duel.second) == (before["second"], before["first"])
    assert "before" in duel.why
    assert duel.gain is None


def test_a_comparison_from_elsewhere_is_asked_with_the_loser_first(study):
    duel = study.ask_again(4)
    assert (duel.first, duel.second) == ({"x": 0.1, "y": 0.1}, {"x": 0.9, "y": 0.8})


def test_asking_changes_nothing_and_the_answer_is_recorded_beside_the_first_one(study):
    text = study.to_json()
    duel = study.ask_again(0)
    assert study.to_json() == text
    study.tell(duel, "second")
    assert len(study) == 5
    again = study.ask_again(0)
    assert again.id != duel.id
    study.tell(again, "first")
    assert Optimizer.from_json(study.to_json()).to_json() == study.to_json()


@pytest.mark.parametrize(("event", "says"), [(3, "anchor_added"), (5, "no event"), (99, "no event")])
def test_only_comparisons_can_be_asked_again(study, event, says):
    with pytest.raises(InputError, match=f"only a comparison can be asked again.*{says}"):
        study.ask_again(event)


@pytest.mark.parametrize("event", [-1, 1.5, "first", None])
def test_the_event_is_an_index(study, event):
    with pytest.raises(InputError, match="event must be"):
        study.ask_again(event)


# -- given pairs ------------------------------------------------------------------------------------------------------


ONE, OTHER = {"x": 0.25, "y": 0.75}, {"x": 0.75, "y": 0.25}


def test_a_given_pair_is_asked_and_answered_as_any_other_duel(study):
    text = study.to_json()
    duel = study.ask_pair(ONE, OTHER, why="Ana compared these two.")
    assert study.to_json() == text
    assert (duel.first, duel.second, duel.why, duel.gain) == (ONE, OTHER, "Ana compared these two.", None)
    assert study.ask_pair(ONE, OTHER).id == duel.id
    study.tell(duel, "first")
    assert study.history[-1]["duel"] == duel.id
    again = Optimizer.from_json(study.to_json())
    assert again.ask() == study.ask()


def test_the_next_duel_depends_on_the_answer_and_not_on_who_chose_the_pair(study):
    told = Optimizer.from_json(study.to_json())
    study.tell(study.ask_pair(ONE, OTHER), "first")
    told.tell_preference(ONE, OTHER)
    after, expected = study.ask(), told.ask()
    assert (after.first, after.second) == (expected.first, expected.second)


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [(ONE, ONE, "must differ"), (ONE, {"x": 2, "y": 0}, "x"), ({}, OTHER, "x")],
)
def test_a_given_pair_must_be_two_designs_of_the_space(study, first, second, says):
    with pytest.raises(InputError, match=says):
        study.ask_pair(first, second)
