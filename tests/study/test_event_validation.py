"""`Optimizer.validate` rejects what `record` rejects, and changes nothing."""

import pytest

from anchorpbo import Optimizer, Probit, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Preferred

HERE, THERE = {"x": 0.2}, {"x": 0.8}


def make_study():
    study = Optimizer(Space(x=Real(0, 1)), [HERE], likelihood=Probit(tie_threshold=0.0))
    asked = study.ask()
    study.tell(asked, "first")
    return study, asked


def list_possible(study):
    return [
        Answered.of(study.ask(), "second"),
        Answered.of(study.ask(), "skip"),
        Preferred(HERE, THERE),
        AnchorAdded(THERE),
        AnchorRemoved(HERE),
    ]


def list_impossible(study, asked):
    other = Optimizer(Space(x=Real(0, 1)), seed=9).ask()
    return {
        "answered once": Answered.of(asked, "second"),
        "of this study": Answered.of(other, "first"),
        "has no ties": Answered.of(study.ask(), "tie"),
        "tie_threshold 0": Preferred(HERE, THERE, tie=True),
        "must differ": Preferred(HERE, HERE),
        "an anchor once": AnchorAdded(HERE),
        "only an anchor": AnchorRemoved(THERE),
        "x must lie between 0 and 1": Preferred({"x": 2.0}, THERE),
        "a value for 'x'": AnchorAdded({}),
        "outcome must be": Answered(study.ask().id, HERE, THERE, "both"),
        "one of anchorpbo.study.events": {"type": "anchor_added", "design": THERE},
    }


@pytest.mark.parametrize("number", range(5))
def test_a_possible_event_is_valid_and_recorded_only_by_record(number):
    study, _ = make_study()
    event, before = list_possible(study)[number], study.to_json()
    study.validate(event)
    assert study.to_json() == before
    study.record(event)
    assert len(study.history) == 2
    study.undo()
    assert study.to_json() == before


@pytest.mark.parametrize("words", list_impossible(*make_study()))
def test_an_impossible_event_is_rejected_by_both_and_changes_nothing(words):
    study, asked = make_study()
    event, before = list_impossible(study, asked)[words], study.to_json()
    for reject in (study.validate, study.record):
        with pytest.raises(InputError, match=words):
            reject(event)
    assert study.to_json() == before


def test_recording_events_is_telling_them():
    study, asked = make_study()
    again = Optimizer(Space(x=Real(0, 1)), [HERE], likelihood=Probit(tie_threshold=0.0))
    again.record(Answered.of(asked, "first"))
    again.record(Preferred(HERE, THERE))
    again.record(AnchorAdded(THERE))
    study.tell_preference(HERE, THERE)
    study.add_anchor(THERE)
    assert again.to_json() == study.to_json()
    assert again.ask() == study.ask()


def test_numbers_of_an_event_are_written_as_the_space_writes_them():
    study, _ = make_study()
    study.record(AnchorAdded({"x": 1}))
    assert study.history[-1] == {"type": "anchor_added", "design": {"x": 1.0}}
    assert type(study.history[-1]["design"]["x"]) is float
