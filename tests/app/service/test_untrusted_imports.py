"""Exports that lead back to the same study, and exports that were tampered with."""

import copy
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import AnchorPBOError, InputError
from support.corruption import ODD, spoilt
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, state, study

EXAMPLES = 100 if "ANCHORPBO_SOAK_SECONDS" not in os.environ else 3_000
FUZZ = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


def _full(request=QUICK):
    """An export with every type of event in it, and a duel out."""
    studies, id = study(request)
    if request is QUICK:
        studies.anchors.add(id, GREEN)
        studies.anchors.add(id, BLACK)
        studies.anchors.remove(id, BLACK)
    studies.participants.invite(id, "Ana")
    for outcome in ("first", "second", "tie", "skip"):
        answer(studies, id, outcome)
    answer(studies, id, "first", "Ana")
    studies.comment(id, "a remark", 1)
    studies.duels.undo(id)
    studies.duels.answer(id, studies.duels.ask(id).id, "second")
    if request is QUICK:
        table = [{"winner": GREEN, "loser": BLACK}, {"winner": GREEN, "loser": BLACK, "tie": True}]
        studies.duels.import_comparisons(id, table)
    studies.duels.ask(id)
    studies.duels.ask(id, "Ana")
    return studies, id


@pytest.fixture(scope="module")
def export():
    studies, id = _full()
    return json.loads(json.dumps(studies.export(id)))


@pytest.mark.parametrize("request_", [QUICK, TREES], ids=["space", "catalogue"])
def test_an_import_is_the_same_study(request_):
    studies, id = _full(request_)
    text = json.dumps(studies.export(id), allow_nan=False)
    others = StudyService(MemoryStorage())
    copied = others.import_study(json.loads(text)).id
    assert copied != id
    for participant in ("owner", "Ana"):
        assert state(others, copied, participant) == state(studies, id, participant)
    assert others.show(copied).participants == studies.show(id).participants
    assert others.export(copied)["events"] == studies.export(id)["events"]
    assert others.export(copied)["study"]["engine"] == studies.export(id)["study"]["engine"]
    # And it goes on in the same way.
    assert answer(others, copied) == answer(studies, id)
    assert others.duels.ask(copied) == studies.duels.ask(id)


def test_an_export_has_the_shape_that_is_promised(export):
    assert set(export) >= {"study", "events"}
    assert all({"type", "time", "participant"} <= set(event) for event in export["events"])
    types = {event["type"] for event in export["events"]}
    assert types == {"created", "anchor_added", "anchor_removed", "asked", "answered", "undone", "commented"}


def test_an_export_without_numbers_and_with_more_keys_is_read_too(export):
    layout = copy.deepcopy(export)
    layout["more"] = 1
    for event in layout["events"]:
        event["more"] = [1, 2]
    studies = StudyService(MemoryStorage())
    id = studies.import_study(layout).id
    assert not any("more" in event for event in studies.history(id))


@settings(FUZZ, max_examples=EXAMPLES)
@given(st.data())
def test_a_spoilt_export_makes_a_study_that_works_or_none(export, data):
    layout = copy.deepcopy(export)
    for _ in range(data.draw(st.integers(1, 2))):
        spoilt(layout, data.draw)
    studies = StudyService(MemoryStorage())
    try:
        id = studies.import_study(layout).id
    except AnchorPBOError:
        assert studies.list_studies() == []
        return
    json.dumps(studies.export(id), allow_nan=False).encode()
    for participant in studies.show(id).participants:
        studies.history(id, participant)
        studies.results.make_map(id, participant)
        studies.duels.answer(id, studies.duels.ask(id, participant).id, "second", None, participant)
        studies.duels.undo(id, participant)


@settings(FUZZ, max_examples=150)
@given(st.one_of(ODD, st.dictionaries(st.sampled_from(["study", "events", "version"]), ODD)))
def test_anything_else_is_refused(rubbish):
    studies = StudyService(MemoryStorage())
    with pytest.raises(AnchorPBOError):
        studies.import_study(rubbish)
    assert studies.list_studies() == []


def _event(export, type_, number=0):
    return [event for event in export["events"] if event["type"] == type_][number]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda e: e.pop("study"), "must be an object with a study and events; received another object; export"),
        (lambda e: e.update(version=2), "version 1"),
        (lambda e: e.update(events={}), "must be a list"),
        (lambda e: e["events"][0].update(type="commented", text="x"), "of type created"),
        (lambda e: _event(e, "asked").update(duel_id="1-000000000000"), "duel"),
        (lambda e: _event(e, "asked", -1)["first"].update(minutes=8.125), "duel of this study"),
        (lambda e: _event(e, "asked", -1).update(why=7), "why must be a text"),
        (lambda e: _event(e, "answered")["first"].update(minutes=8.125), "must have the designs of its duel"),
        (lambda e: _event(e, "answered").pop("second"), "must be complete"),
        (lambda e: _event(e, "answered", -1).update(outcome="skip"), "must have an outcome"),
        (lambda e: _event(e, "undone").update(event=1), "must undo the last entry that was not undone"),
        (lambda e: _event(e, "undone").update(event=10_000), "refer to an earlier one"),
        (lambda e: _event(e, "commented").update(text=["x"]), "a comment must be"),
        (lambda e: _event(e, "commented").update(event="x"), "refer to an earlier one"),
        (lambda e: e["study"]["engine"].update(seed=10**400), "finite numbers"),
        (lambda e: e["study"]["engine"].update(seed=2**64), "seed must be"),
        (lambda e: e["study"]["engine"].update(kernel={"custom": "os.system"}), "of your own"),
        (lambda e: e["study"].update(participants=["a" * 201]), "a participant's name"),
        (lambda e: e["study"].update(participants=[f"p{n}" for n in range(1001)]), "at most 1000"),
        (lambda e: e["study"]["display"].update(template="<script/>"), "svg"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(export, change, match):
    layout = copy.deepcopy(export)
    change(layout)
    with pytest.raises(InputError, match=match):
        StudyService(MemoryStorage()).import_study(layout)


def test_an_export_never_says_where_images_are():
    studies = StudyService(MemoryStorage())
    id = studies.create(QUICK, folder="/somewhere").id
    layout = studies.export(id)
    assert "somewhere" not in json.dumps(layout)
    layout["study"]["folder"] = "/etc"
    assert studies.definition(studies.import_study(layout).id).folder is None
