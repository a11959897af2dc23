"""Initial duels: the knockout among the anchors, and what follows it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from anchorpbo import Catalogue, Duel, Integer, Optimizer, Real, Space
from anchorpbo.errors import UnknownNameError
from anchorpbo.study.explanations import INITIAL_DUEL, KNOCKOUT_DUEL
from anchorpbo.study.initial_duels import MAX_KNOCKOUT_ANCHORS, MIN_DISTANCE

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
ANCHORS: list[dict[str, Any]] = [{"x": 0.1 * k, "y": 0.3} for k in range(1, 7)]


def start_study(anchors: list[dict[str, Any]] = ANCHORS[:4], **options: Any) -> Optimizer:
    """Return a study with the knockout, but with the cheap options of the first version of the default preset."""
    return Optimizer(SPACE, anchors, preset_version=1, start="anchors", **options)


def answer(study: Optimizer, duel: Duel, winner: dict[str, Any]) -> None:
    study.tell(duel, "first" if duel.first == winner else "second")


def in_duel(duel: Duel) -> list[dict[str, Any]]:
    return [dict(duel.first), dict(duel.second)]


def test_the_first_anchor_meets_a_design_from_elsewhere() -> None:
    duel = start_study().ask()
    (other,) = [design for design in in_duel(duel) if design != ANCHORS[0]]
    assert duel.why == KNOCKOUT_DUEL
    assert max(abs(other[name] - ANCHORS[0][name]) for name in other) >= MIN_DISTANCE


def test_the_winner_meets_the_next_anchor() -> None:
    study = start_study()
    answer(study, study.ask(), ANCHORS[0])
    second = study.ask()
    assert ANCHORS[0] in in_duel(second)
    assert ANCHORS[1] in in_duel(second)
    answer(study, second, ANCHORS[1])
    third = study.ask()
    assert ANCHORS[1] in in_duel(third)
    assert ANCHORS[2] in in_duel(third)


def test_the_knockout_ends_when_an_anchor_loses_against_a_design_from_elsewhere() -> None:
    study = start_study()
    duel = study.ask()
    study.tell(duel, "second" if duel.first == ANCHORS[0] else "first")
    following = study.ask()
    assert following.why == INITIAL_DUEL
    assert not any(anchor in in_duel(following) for anchor in ANCHORS)


@pytest.mark.parametrize("count", [MAX_KNOCKOUT_ANCHORS, MAX_KNOCKOUT_ANCHORS + 1])
def test_at_most_five_anchors_take_part(count: int) -> None:
    study = start_study(ANCHORS[:count], initial=0)
    for k in range(MAX_KNOCKOUT_ANCHORS):
        duel = study.ask()
        assert duel.why == KNOCKOUT_DUEL
        assert ANCHORS[k] in in_duel(duel)
        answer(study, duel, ANCHORS[k])
    assert study.ask().why != KNOCKOUT_DUEL


def test_the_number_of_initial_duels_counts_the_knockout() -> None:
    study = start_study(ANCHORS[:2], initial=3)
    reasons = []
    for _ in range(4):
        duel = study.ask()
        reasons.append(duel.why)
        study.tell(duel, "first" if duel.first in ANCHORS else "second")
    assert reasons[:3] == [KNOCKOUT_DUEL, KNOCKOUT_DUEL, INITIAL_DUEL]
    assert reasons[3] not in (KNOCKOUT_DUEL, INITIAL_DUEL)


def test_a_skipped_duel_of_the_knockout_is_replaced_by_another() -> None:
    study = start_study()
    first = study.ask()
    study.tell(first, "skip")
    second = study.ask()
    assert second.why == KNOCKOUT_DUEL
    assert in_duel(first) != in_duel(second)
    assert ANCHORS[0] in in_duel(second)


def test_after_a_tie_in_the_first_duel_the_knockout_ends() -> None:
    study = start_study()
    study.tell(study.ask(), "tie")
    assert study.ask().why == INITIAL_DUEL


def test_an_anchor_that_was_compared_does_not_enter_again() -> None:
    study = start_study()
    study.tell_preference(ANCHORS[1], {"x": 0.9, "y": 0.9})
    duel = study.ask()
    assert ANCHORS[1] in in_duel(duel)
    assert ANCHORS[0] in in_duel(duel)
    answer(study, duel, ANCHORS[1])
    assert ANCHORS[2] in in_duel(study.ask())


def test_only_one_duel_of_the_knockout_is_pending_at_a_time() -> None:
    reasons = [duel.why for duel in start_study().ask(3)]
    assert reasons == [KNOCKOUT_DUEL, INITIAL_DUEL, INITIAL_DUEL]


def test_without_anchors_the_duels_are_spread() -> None:
    assert start_study([]).ask() == Optimizer(SPACE, preset_version=1, start="anchors").ask()
    assert start_study([]).ask().why == INITIAL_DUEL


def test_equal_looking_anchors_do_not_meet() -> None:
    study = start_study([ANCHORS[0], {"x": 0.1 + 1e-6, "y": 0.3}, ANCHORS[2]])
    answer(study, study.ask(), ANCHORS[0])
    duel = study.ask()
    assert ANCHORS[0] in in_duel(duel)
    assert ANCHORS[2] in in_duel(duel)


def test_a_list_of_designs_has_a_knockout_too() -> None:
    records = [{"a": float(a), "b": float(b)} for a, b in itertools.product(range(4), range(4))]
    items = [{"item": k, **record} for k, record in enumerate(records)]
    study = Optimizer(Catalogue(records), items[:3], start="anchors", preset_version=1)
    duel = study.ask()
    assert duel.why == KNOCKOUT_DUEL
    assert items[0] in in_duel(duel)
    assert not any(item in in_duel(duel) for item in items[1:3]), "the first opponent is not an anchor"
    answer(study, duel, items[0])
    assert items[1] in in_duel(study.ask())


def test_all_anchors_of_the_smallest_space_may_be_all_of_it() -> None:
    space = Space(n=Integer(0, 1))
    study = Optimizer(space, [{"n": 0}, {"n": 1}], start="anchors", preset_version=1)
    duel = study.ask()
    study.tell(duel, "first")
    assert study.ask() is not None


def test_a_loaded_study_goes_on_with_its_knockout() -> None:
    study = start_study()
    answer(study, study.ask(), ANCHORS[0])
    loaded = Optimizer.from_json(study.to_json())
    assert loaded.ask() == study.ask()
    assert loaded.ask().why == KNOCKOUT_DUEL


def test_an_undone_answer_takes_the_knockout_back() -> None:
    study = start_study()
    before = study.ask()
    answer(study, before, ANCHORS[0])
    study.undo()
    assert study.ask() == before


def test_an_unknown_start_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="start"):
        Optimizer(SPACE, start="random")  # type: ignore[arg-type]


def test_sides_of_the_knockout_vary() -> None:
    sides = set()
    for seed in range(12):
        duel = start_study(seed=seed).ask()
        sides.add(duel.first == ANCHORS[0])
    assert sides == {True, False}


def test_a_given_design_meets_the_anchors_in_turn() -> None:
    study = start_study(ANCHORS[:2])
    given = {"x": 0.9, "y": 0.9}
    duel = study.ask_against(given)
    assert (duel.first, duel.second, duel.why) == (given, ANCHORS[0], KNOCKOUT_DUEL)
    assert study.ask_against(given, pending=[ANCHORS[0]]).second == ANCHORS[1]
    study.tell_preference(ANCHORS[0], given)
    assert study.ask_against(ANCHORS[0]).second == ANCHORS[1]
    assert study.ask_against(given).why != KNOCKOUT_DUEL, "an anchor was compared and is not the given design"


def test_a_given_design_that_beats_an_anchor_meets_no_other() -> None:
    study = start_study(ANCHORS[:2])
    given = {"x": 0.9, "y": 0.9}
    study.tell_preference(given, ANCHORS[0])
    duel = study.ask_against(given)
    assert duel.why == INITIAL_DUEL
    assert duel.second not in ANCHORS
