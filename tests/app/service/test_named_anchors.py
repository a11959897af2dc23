"""Names of anchors, and anchors that are marked while a duel is pending."""

import csv
import io

import pytest

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.views import AnchorView
from anchorpbo.errors import InputError, UnknownStudyError
from support.service_studies import BLACK, GREEN, answer, state, study


def names(studies, id, participant="owner"):
    return [one.name for one in studies.named_anchors(id, participant).anchors]


def test_an_anchor_has_a_name_that_can_change_and_go():
    studies, id = study()
    assert studies.add_anchor(id, GREEN, name=" my usual ").anchors == [AnchorView(GREEN, "my usual")]
    assert studies.rename_anchor(id, GREEN, "the 2019 winner").anchors == [AnchorView(GREEN, "the 2019 winner")]
    assert studies.rename_anchor(id, GREEN, "  ").anchors == [AnchorView(GREEN, None)]
    assert [event["type"] for event in studies.history(id)] == [
        "created", "anchor_added", "anchor_named", "anchor_named"
    ]  # fmt: skip
    assert names(StudyService(studies.storage), id) == [None]


def test_a_name_has_at_most_the_usual_length():
    studies, id = study()
    longest = "x" * MAX_NAME_LENGTH
    studies.add_anchor(id, GREEN, name=longest)
    assert names(studies, id) == [longest]
    for use in (lambda: studies.add_anchor(id, BLACK, name=f"{longest}x"),
                lambda: studies.rename_anchor(id, GREEN, f"{longest}x")):  # fmt: skip
        with pytest.raises(InputError, match="an anchor's name must be"):
            use()
    assert names(studies, id) == [longest]


def test_the_same_name_twice_is_one_event():
    studies, id = study()
    for _ in range(2):
        studies.add_anchor(id, GREEN, name="my usual")
        studies.rename_anchor(id, GREEN, "my usual")
        studies.add_anchor(id, GREEN)  # marked again without a name: the name stays
    assert names(studies, id) == ["my usual"]
    assert len(studies.history(id)) == 2
    studies.add_anchor(id, GREEN, name="mine")
    assert names(studies, id) == ["mine"]
    assert [event["type"] for event in studies.history(id)][2:] == ["anchor_named"]


def test_only_an_anchor_can_be_named():
    studies, id = study()
    with pytest.raises(UnknownStudyError, match="only an anchor can be named"):
        studies.rename_anchor(id, GREEN, "my usual")
    assert len(studies.history(id)) == 1


def test_names_follow_undo_and_a_new_mark_has_the_name_it_was_given():
    studies, id = study()
    studies.add_anchor(id, GREEN, name="my usual")
    studies.rename_anchor(id, GREEN, "mine")
    studies.remove_anchor(id, GREEN)
    studies.undo(id)
    assert names(studies, id) == ["mine"]
    studies.remove_anchor(id, GREEN)
    studies.add_anchor(id, GREEN)
    assert names(studies, id) == [None]
    for _ in range(2):  # the mark without a name, and the removal
        studies.undo(id)
    assert names(studies, id) == ["mine"]


def test_undo_does_not_take_back_a_name():
    studies, id = study()
    duel = answer(studies, id)
    studies.add_anchor(id, GREEN)
    studies.rename_anchor(id, GREEN, "mine")
    assert studies.undo(id).event["type"] == "anchor_added"
    assert studies.undo(id).pending.id == duel.id


def test_participants_name_their_anchors_separately():
    studies, id = study()
    studies.invite(id, "Ana")
    studies.add_anchor(id, GREEN, name="mine")
    studies.add_anchor(id, GREEN, "Ana", "hers")
    assert (names(studies, id), names(studies, id, "Ana")) == (["mine"], ["hers"])


def test_names_are_in_the_map_the_report_the_table_and_the_export():
    studies, id = study()
    answer(studies, id)
    studies.add_anchor(id, GREEN)
    studies.add_anchor(id, BLACK, name="the <2019> winner")
    studies.rename_anchor(id, GREEN, "my usual")
    drawn = studies.map(id)
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
    assert studies.named_anchors(again.id).anchors == studies.named_anchors(id).anchors
    assert studies.named_anchors(studies.duplicate(id).id).anchors == studies.named_anchors(id).anchors


@pytest.mark.parametrize("name", ["x" * (MAX_NAME_LENGTH + 1), 3, ["x"], "\ud800"])
def test_a_bad_name_in_an_export_is_refused(name):
    studies, id = study()
    studies.add_anchor(id, GREEN, name="mine")
    studies.rename_anchor(id, GREEN, "yours")
    export = studies.export(id)
    for event in export["events"][1:]:
        with pytest.raises(InputError):
            studies.import_study(export | {"events": [export["events"][0], event | {"name": name}]})


def test_an_anchor_marked_while_a_duel_is_pending_leaves_the_duel_as_it_is():
    studies, id = study()
    answer(studies, id, "second")
    duel = studies.ask(id)
    assert duel.known == [False, False]
    marked = studies.add_anchor(id, duel.first)
    again = studies.ask(id)
    assert (again.id, again.first, again.second, again.why) == (duel.id, duel.first, duel.second, duel.why)
    assert again.known == [True, False]
    assert again.last == marked.last == studies.history(id)[-1]["number"]
    given = studies.answer(id, duel.id, "first")
    assert (given.answers, given.repeated) == (2, False)
    other = StudyService(studies.storage)
    assert state(other, id) == state(studies, id)
    assert studies.import_study(studies.export(id)).answers == 2


def test_undo_takes_back_the_mark_first_and_then_the_answer_before_it():
    studies, id = study()
    first = answer(studies, id)
    pending = studies.ask(id)
    studies.add_anchor(id, pending.second)
    undone = studies.undo(id)
    assert (undone.event["type"], undone.pending.id, undone.pending.known) == (
        "anchor_added", pending.id, [False, False]
    )  # fmt: skip
    undone = studies.undo(id)
    assert (undone.event["type"], undone.pending.id) == ("answered", first.id)
