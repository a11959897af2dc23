"""Events of a study in the app: each is stored in one way, and read back as it was."""

import json
from typing import get_args

import pytest

from anchorpbo import Duel, Integer, Real, Space
from anchorpbo.app.definition.events import (
    AnchorNamed,
    Asked,
    Commented,
    Created,
    Edited,
    Invited,
    Relinked,
    Removed,
    StudyEvent,
    Undone,
    make_entry,
    read_event,
)
from anchorpbo.app.storage.journal import ENTRY_TYPES, Entry
from anchorpbo.errors import InputError
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Preferred

SPACE = Space(x=Real(0, 1), n=Integer(0, 9))
ONE, OTHER = {"x": 1.0, "n": 2}, {"x": 0.25, "n": 3}
DUEL = Duel("4-a", ONE, OTHER, "A is new.", 0.125)
ASKED = {DUEL.id: DUEL}
EVENTS = [
    Created("Tea"),
    Edited({"name": "Coffee", "archived": True}),
    AnchorAdded(ONE),
    AnchorAdded(ONE, "mine"),
    AnchorRemoved(ONE),
    AnchorNamed(ONE, "mine"),
    AnchorNamed(ONE, None),
    Asked(DUEL),
    Asked(Duel("4-b", OTHER, ONE, "Both are new.", None)),
    *(Answered.of(DUEL, outcome) for outcome in ("first", "second", "tie", "skip")),
    Preferred(ONE, OTHER),
    Preferred(ONE, OTHER, tie=True),
    Undone(7),
    Commented("Good.", 7),
    Commented("Good.", None),
    Removed("ana"),
    Invited("ana"),
    Relinked("ana"),
]


def through_json(entry: Entry) -> Entry:
    """As an entry comes back from a browser, which writes 1.0 as 1."""
    return Entry.from_dict(json.loads(json.dumps(entry.to_dict()).replace("1.0", "1")))


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_event_is_read_back_as_it_was(event):
    entry = make_entry(event, "ana")
    assert entry.participant == "ana"
    for stored in (entry, through_json(entry)):
        found = read_event(stored, SPACE, ASKED)
        assert found == event
        if isinstance(found, AnchorAdded):
            assert [type(value) for value in found.design.values()] == [float, int]


def test_every_type_of_entry_and_every_event_is_tried_here():
    assert {make_entry(event, "ana").type for event in EVENTS} == set(ENTRY_TYPES)
    assert {type(event) for event in EVENTS} == set(get_args(StudyEvent))


def test_the_response_time_is_that_of_the_entry():
    assert make_entry(EVENTS[0], "ana").response_ms is None
    assert make_entry(Answered.of(DUEL, "first"), "ana", 250).response_ms == 250


@pytest.mark.parametrize(
    ("outcome", "winner", "tie"), [("first", ONE, False), ("second", OTHER, False), ("tie", ONE, True)]
)
def test_an_imported_comparison_of_an_older_version_may_name_the_second_as_winner(outcome, winner, tie):
    data = {"duel_id": None, "first": ONE, "second": OTHER, "outcome": outcome, "imported": True}
    found = read_event(Entry("answered", "ana", make_entry(EVENTS[0], "ana").time, data), SPACE, {})
    assert (found.winner, found.tie) == (winner, tie)


@pytest.mark.parametrize(
    ("event", "change", "words"),
    [
        (Answered.of(DUEL, "first"), {"outcome": "both"}, "outcome must be"),
        (Answered.of(DUEL, "first"), {"first": OTHER}, "must have the designs of its duel"),
        (Preferred(ONE, OTHER), {"outcome": "skip"}, "must have an outcome"),
        (AnchorAdded(ONE), {"design": {"x": 2.0, "n": 2}}, "x must lie between 0 and 1"),
    ],
)
def test_an_entry_that_no_event_has_is_rejected(event, change, words):
    entry = make_entry(event, "ana")
    with pytest.raises(InputError, match=words):
        read_event(Entry(entry.type, "ana", entry.time, {**entry.data, **change}), SPACE, ASKED)


@pytest.mark.parametrize("event", [Asked(DUEL), Answered.of(DUEL, "first"), AnchorRemoved(ONE), Undone(7)], ids=repr)
def test_an_entry_without_its_data_is_rejected(event):
    entry = make_entry(event, "ana")
    with pytest.raises(KeyError):
        read_event(Entry(entry.type, "ana", entry.time, {}), SPACE, ASKED)
