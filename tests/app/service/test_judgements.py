"""Marks with judgements: designs that a participant can judge well, cannot judge well, or is unsure about."""

import csv
import io
import json

import pytest

from anchorpbo.app.definition.session import count_by_participant
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.views.anchors import AnchorView
from anchorpbo.errors import InputError
from support.service_studies import BLACK, GREEN, answer, study

OOLONG = {**GREEN, "minutes": 5.0}


def marks(studies, id, participant="owner"):
    return [(one.design, one.judgement) for one in studies.anchors.show(id, participant).anchors]


def marked():
    studies, id = study()
    studies.anchors.add(id, GREEN, name="my usual")
    studies.anchors.add(id, BLACK, judgement="no", name="never had it")
    studies.anchors.add(id, OOLONG, judgement="unsure")
    return studies, id


def test_a_mark_has_the_judgement_it_was_given():
    studies, id = marked()
    expected = [(GREEN, "yes"), (BLACK, "no"), (OOLONG, "unsure")]
    assert marks(studies, id) == expected
    assert marks(StudyService(studies.storage), id) == expected
    assert studies.anchors.list_designs(id) == [GREEN]
    assert studies.anchors.show(id).count() == studies.anchors.show(id).count("no") == 1
    proposed = [one.design for one in studies.anchors.propose(id, 20)]
    assert not any(design in proposed for design in (GREEN, BLACK, OOLONG))


def test_another_judgement_replaces_the_first_keeps_the_name_and_is_undone():
    studies, id = marked()
    before = len(studies.history(id))
    studies.anchors.add(id, GREEN, judgement="no")
    assert studies.anchors.show(id).anchors[-1] == AnchorView(GREEN, "my usual", "no")
    assert len(studies.history(id)) == before + 1
    studies.anchors.add(id, GREEN, judgement="no")  # the same again is no event
    assert len(studies.history(id)) == before + 1
    studies.duels.undo(id)
    assert marks(studies, id)[0] == (GREEN, "yes")
    studies.anchors.remove(id, BLACK)
    assert marks(studies, id) == [(GREEN, "yes"), (OOLONG, "unsure")]


def test_only_good_marks_are_stored_as_before():
    studies, id = marked()
    added = [entry.data for entry in studies.storage.entries(id) if entry.type == "anchor_added"]
    assert added == [
        {"design": GREEN, "name": "my usual"},
        {"design": BLACK, "name": "never had it", "judgement": "no"},
        {"design": OOLONG, "judgement": "unsure"},
    ]


def test_only_good_marks_are_counted_as_anchors():
    studies, id = marked()
    assert studies.participants.show(id)[0].anchors == 1
    studies.anchors.add(id, GREEN, judgement="unsure")
    assert studies.participants.show(id)[0].anchors == 0
    studies.anchors.add(id, BLACK)
    studies.anchors.add(id, OOLONG)
    studies.anchors.remove(id, OOLONG)
    assert studies.participants.show(id)[0].anchors == 1
    assert count_by_participant(studies.storage.entries(id)) == {"owner": (0, 1)}


def test_judgements_are_in_the_export_the_copy_the_table_and_the_report():
    studies, id = marked()
    answer(studies, id)
    exported = json.loads(json.dumps(studies.export(id)))
    assert marks(studies, studies.import_study(exported).id) == marks(studies, id)
    assert studies.anchors.show(studies.duplicate(id).id).anchors == studies.anchors.show(id).anchors
    table = history_to_csv(studies.history(id), studies.definition(id).space.names)
    rows = [row for row in csv.DictReader(io.StringIO(table, newline="")) if row["type"] == "anchor_added"]
    assert [(row["outcome"], row["text"]) for row in rows] == [
        ("", "my usual"),
        ("no", "never had it"),
        ("unsure", ""),
    ]
    report = render_report(studies, id)
    for words in ("Designs marked as hard to judge. Answers count for less near these.", "Marked as hard to judge: ",
                  "Marked as unsure: ", "“never had it”: "):  # fmt: skip
        assert words in report


@pytest.mark.parametrize("judgement", ["bad", "", None, 3, ["no"]])
def test_a_bad_judgement_is_refused(judgement):
    studies, id = marked()
    with pytest.raises(InputError, match="judgement must be one of no, unsure, yes"):
        studies.anchors.add(id, GREEN, judgement=judgement)
    exported = studies.export(id)
    exported["events"][2]["judgement"] = judgement
    with pytest.raises(InputError, match="judgement must be one of no, unsure, yes"):
        studies.import_study(exported)
    assert marks(studies, id)[0] == (GREEN, "yes")


def test_a_negative_anchor_is_drawn_as_a_cross_with_its_name():
    studies, id = marked()
    plot = studies.results.make_figure(id, "anchors")
    (cross,) = [trace for trace in plot.plotly("light").data if "hard to judge" in (trace.name or "")]
    assert cross.marker.symbol == "x"
    assert cross.hovertext[0].startswith("never had it (hard to judge)")
    assert "1 anchor and 1 hard to judge" in plot.description


def test_only_an_anchor_is_known_on_the_compare_page():
    studies, id = study()
    duel = studies.duels.ask(id)
    for judgement, known in (("no", False), ("unsure", False), ("yes", True)):
        studies.anchors.add(id, duel.first, judgement=judgement)
        again = studies.duels.ask(id)
        assert (again.id, again.known) == (duel.id, [known, False])
