"""Names of anchors, and anchors that are marked while a duel is pending."""

import csv
import io

import pytest

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.views.anchors import AnchorView
from anchorpbo.errors import InputError, UnknownStudyError
from support.service_studies import BLACK, GREEN, answer, state, study


def names(studies, id, participant="owner"):
    return [one.name for one in studies.anchors.show(id, participant).anchors]


def test_an_anchor_has_a_name_that_can_change_and_go():
    studies, id = study()
    assert studies.anchors.add(id, GREEN, name=" my usual ").anchors == [AnchorView(GREEN, "my usual")]
    assert studies.anchors.rename(id, GREEN, "the 2019 winner").anchors == [AnchorView(GREEN, "the 2019 winner")]
    assert studies.anchors.rename(id, GREEN, "  ").anchors == [AnchorView(GREEN, None)]
    assert [event["type"] for event in studies.history(id)] == [
        "created", "anchor_added", "anchor_named", "anchor_named"
    ]  # fmt: skip
    assert names(StudyService(studies.storage), id) == [None]


def test_a_name_has_at_most_the_usual_length():
    studies, id = study()
    longest = "x" * MAX_NAME_LENGTH
    studies.anchors.add(id, GREEN, name=longest)
    assert names(studies, id) == [longest]
    for use in (lambda: studies.anchors.add(id, BLACK, name=f"{longest}x"),
                lambda: studies.anchors.rename(id, GREEN, f"{longest}x")):  # fmt: skip
        with pytest.raises(InputError, match="an anchor's name must be"):
            use()
    assert names(studies, id) == [longest]


def test_the_same_name_twice_is_one_event():
    studies, id = study()
    for _ in range(2):
        studies.anchors.add(id, GREEN, name="my usual")
        studies.anchors.rename(id, GREEN, "my usual")
        studies.anchors.add(id, GREEN)  # marked again without a name: the name stays
    assert names(studies, id) == ["my usual"]
    assert len(studies.history(id)) == 2
    studies.anchors.add(id, GREEN, name="mine")
    assert names(studies, id) == ["mine"]
    assert [event["type"] for event in studies.history(id)][2:] == ["anchor_named"]


def test_only_an_anchor_can_be_named():
    studies, id = study()
    with pytest.raises(UnknownStudyError, match="only an anchor can be named"):
        studies.anchors.rename(id, GREEN, "my usual")
    assert len(studies.history(id)) == 1


def test_names_follow_undo_and_a_new_mark_has_the_name_it_was_given():
    studies, id = study()
    studies.anchors.add(id, GREEN, name="my usual")
    studies.anchors.rename(id, GREEN, "mine")
    studies.anchors.remove(id, GREEN)
    studies.duels.undo(id)
    assert names(studies, id) == ["mine"]
    studies.anchors.remove(id, GREEN)
    studies.anchors.add(id, GREEN)
    assert names(studies, id) == [None]
    for _ in range(2):  # the mark without a name, and the removal
        studies.duels.undo(id)
    assert names(studies, id) == ["mine"]


def test_undo_does_not_take_back_a_name():
    studies, id = study()
    duel = answer(studies, id)
    studies.anchors.add(id, GREEN)
    studies.anchors.rename(id, GREEN, "mine")
    assert studies.duels.undo(id).event["type"] == "anchor_added"
    assert studies.duels.undo(id).pending.id == duel.id


def test_participants_name_their_anchors_separately():
    studies, id = study()
    studies.participants.invite(id, "Ana")
    studies.anchors.add(id, GREEN, name="mine")
    studies.anchors.add(id, GREEN, "Ana", "hers")
    assert (names(studies, id), names(studies, id, "Ana")) == (["mine"], ["hers"])


def test_names_are_in_the_map_the_report_the_table_and_the_export():
    studies, id = study()
    answer(studies, id)
    studies.anchors.add(id, GREEN)
    studies.anchors.add(id, BLACK, name="the <2019> winner")
    studies.anchors.rename(id, GREEN, "my usual")
    drawn = studies.results.make_map(id)
    assert dict(zip(drawn.anchor_names, drawn.anchors, strict=True)) == {"my usual": GREEN, "the <2019> winner": BLACK}
    report = render_report(studies, id)
    assert "“my usual”: " in report
    assert "“the &lt;2019&gt; winner”: " in report
    table = history_to_csv(studies.history(id), studies.definition(id).space.names)
    rows = [row for row in csv.DictReader(io.StringIO(table, newline="")) if row["type"].startswith("anchor")]
    assert [(row["type"], row["text"], row["design.leaf"]) for row in rows] == [
        ("anchor_added", "", "green"), ("anchor_added", "the <2019> winner", "black"),
        ("anchor_named", "my usual", "green"),
    ]  # fmt: skip
    again = studies.import_study(studies.export(id))
    assert studies.anchors.show(again.id).anchors == studies.anchors.show(id).anchors
    assert studies.anchors.show(studies.duplicate(id).id).anchors == studies.anchors.show(id).anchors


@pytest.mark.parametrize("name", ["x" * (MAX_NAME_LENGTH + 1), 3, ["x"], "\ud800"])
def test_a_bad_name_in_an_export_is_refused(name):
    studies, id = study()
    studies.anchors.add(id, GREEN, name="mine")
    studies.anchors.rename(id, GREEN, "yours")
    export = studies.export(id)
    for event in export["events"][1:]:
        with pytest.raises(InputError):
            studies.import_study(export | {"events": [export["events"][0], event | {"name": name}]})


def test_an_anchor_marked_while_a_duel_is_pending_leaves_the_duel_as_it_is():
    studies, id = study()
    answer(studies, id, "second")
    duel = studies.duels.ask(id)
    assert duel.known == [False, False]
    marked = studies.anchors.add(id, duel.first)
    again = studies.duels.ask(id)
    assert (again.id, again.first, again.second, again.why) == (duel.id, duel.first, duel.second, duel.why)
    assert again.known == [True, False]
    assert again.last == marked.last == studies.history(id)[-1]["number"]
    given = studies.duels.answer(id, duel.id, "first")
    assert (given.answers, given.repeated) == (2, False)
    other = StudyService(studies.storage)
    assert state(other, id) == state(studies, id)
    assert studies.import_study(studies.export(id)).answers == 2


def test_undo_takes_back_the_mark_first_and_then_the_answer_before_it():
    studies, id = study()
    first = answer(studies, id)
    pending = studies.duels.ask(id)
    studies.anchors.add(id, pending.second)
    undone = studies.duels.undo(id)
    assert (undone.event["type"], undone.pending.id, undone.pending.known) == (
        "anchor_added", pending.id, [False, False]
    )  # fmt: skip
    undone = studies.duels.undo(id)
    assert (undone.event["type"], undone.pending.id) == ("answered", first.id)
