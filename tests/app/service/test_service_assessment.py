"""The assessment of a participant's answers, and comparisons that are asked again."""

from io import StringIO

import pytest

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.figures import FigureOptions
from anchorpbo.errors import ConflictError, InputError, UnknownNameError, UnknownStudyError
from support.service_studies import answer, study

CSV = "winner.minutes,winner.leaf,loser.minutes,loser.leaf\n" + "8,green,2,green\n" * 6 + "2,green,8,green\n"


def test_the_assessment_says_what_the_duel_says_about_stopping():
    studies, id = study()
    assert studies.results.assess(id).code == "early"
    for _ in range(4):
        answer(studies, id)
    found = studies.results.assess(id)
    assert found.sentence == studies.duels.ask(id).progress.sentence
    assert found.evidence == f"Your other answers predict {found.predicted} of your last 4 choices."


def test_a_contradiction_has_the_number_of_its_event_in_the_history():
    studies, id = study()
    studies.anchors.add(id, {"minutes": 5.0, "leaf": "black"})
    studies.duels.import_comparisons(id, StringIO(CSV))
    (one,) = studies.results.assess(id).contradictions
    (event,) = [event for event in studies.history(id) if event["number"] == one.event]
    assert (event["type"], event["first"]["minutes"]) == ("answered", 2.0)
    assert (one.winner["minutes"], one.loser["minutes"], one.tie) == (2.0, 8.0, False)


def test_an_answer_is_asked_again_instead_of_the_pending_duel():
    studies, id = study()
    first = answer(studies, id)
    number = studies.sessions.session(id, "owner").answers[first.id]
    waiting = studies.duels.ask(id)
    again = studies.duels.ask(id, again=number)
    assert (again.first, again.second) == (first.second, first.first)
    assert studies.duels.ask(id).id == again.id
    with pytest.raises(ConflictError, match="no longer pending"):
        studies.duels.answer(id, waiting.id, "first")
    assert studies.duels.answer(id, again.id, "second").answers == 2
    assert studies.duels.ask(id).id != again.id


def test_asking_again_twice_is_one_event():
    studies, id = study()
    number = studies.sessions.session(id, "owner").answers[answer(studies, id).id]
    assert studies.duels.ask(id, again=number) == studies.duels.ask(id, again=number)
    assert [event["type"] for event in studies.history(id)].count("asked") == 2


def test_another_process_continues_with_the_duel_asked_again():
    studies, id = study()
    number = studies.sessions.session(id, "owner").answers[answer(studies, id).id]
    again = studies.duels.ask(id, again=number)
    other = StudyService(studies.storage)
    assert other.duels.ask(id).id == again.id
    other.duels.answer(id, again.id, "tie")
    assert studies.duels.undo(id).pending.id == again.id


def test_a_study_with_a_repeated_duel_is_exported_and_imported():
    studies, id = study()
    number = studies.sessions.session(id, "owner").answers[answer(studies, id).id]
    studies.duels.answer(id, studies.duels.ask(id, again=number).id, "first")
    copy = studies.import_study(studies.export(id))
    assert copy.answers == 2


@pytest.mark.parametrize("number", [0, 1, 99])
def test_only_an_answer_can_be_asked_again(number):
    studies, id = study()
    answer(studies, id)
    with pytest.raises(UnknownStudyError, match="no answer with this number"):
        studies.duels.ask(id, again=number)


def test_an_undone_answer_cannot_be_asked_again():
    studies, id = study()
    number = studies.sessions.session(id, "owner").answers[answer(studies, id).id]
    studies.duels.undo(id)
    with pytest.raises(UnknownStudyError, match="undone"):
        studies.duels.ask(id, again=number)


def test_an_audit_knows_the_response_times_that_were_not_undone():
    studies, id = study()
    for number in range(12):
        studies.duels.answer(id, studies.duels.ask(id).id, "first", 1000 * (number + 1))
    studies.duels.undo(id)
    found = studies.results.audit(id)
    assert found.answers == 11
    (times,) = (one for one in found.findings if one.name == "response_time")
    assert "A typical answer takes 6.0 s" in times.sentence
    assert times.value > 1.0
    # Another process reads the times from the journal.
    studies.sessions.forget(id)
    assert studies.results.audit(id) == found


def test_each_finding_of_an_audit_has_a_figure_if_it_says_so():
    studies, id = study()
    for number in range(12):
        studies.duels.answer(id, studies.duels.ask(id).id, "first" if number % 3 else "second", 2000)
    for one in studies.results.audit(id).findings:
        plot = studies.results.make_figure(id, "audit", options=FigureOptions(finding=one.name))
        assert plot.description == one.sentence
        assert bool(plot.shown) == one.figure
    with pytest.raises(UnknownNameError, match="finding"):
        studies.results.make_figure(id, "audit", options=FigureOptions(finding="taste"))


def test_the_validation_of_anchors_is_that_of_the_study_and_has_figures():
    studies, id = study()
    studies.anchors.add(id, {"minutes": 5.0, "leaf": "black"})
    studies.duels.import_comparisons(id, StringIO(CSV))
    found = studies.results.validate_anchors(id)
    expected = studies.sessions.session(id, "owner").optimizer.validate_anchors()
    assert (found.anchors, found.bayes_factor, found.verdict) == (1, expected.bayes_factor, expected.verdict)
    assert found.factors == list(expected.factors)
    assert found.explanation.startswith("The Bayes factor is ")
    assert found.retest.retests == expected.retest.retests == 6
    assert [band.agreed for band in found.retest.bands] == [band.agreed for band in expected.retest.bands]
    assert found.paragraphs == [found.sentence, found.explanation, found.advice, found.retest.sentence]
    for name, text in (("anchor_evidence", found.sentence), ("retest", "Same answer when a pair was asked again")):
        assert studies.results.make_figure(id, name).description.startswith(text)


def test_a_study_without_anchors_is_told_about_its_repeats_only():
    studies, id = study()
    assert studies.results.validate_anchors(id).paragraphs == []
    studies.duels.import_comparisons(id, StringIO(CSV))
    found = studies.results.validate_anchors(id)
    assert found.paragraphs == [found.retest.sentence]
    with pytest.raises(InputError, match="needs anchors and at least four answers"):
        studies.results.make_figure(id, "anchor_evidence")


def test_a_check_of_the_anchors_replaces_the_pending_duel_and_is_one_event():
    studies, id = study()
    with pytest.raises(InputError, match="check of the anchors needs at least one"):
        studies.duels.ask(id, check=True)
    studies.anchors.add(id, {"minutes": 5.0, "leaf": "black"})
    waiting = studies.duels.ask(id)
    check = studies.duels.ask(id, check=True)
    assert check.id != waiting.id
    assert studies.duels.ask(id, check=True) == check == studies.duels.ask(id)
    assert [event["type"] for event in studies.history(id)].count("asked") == 2
    # Another process continues with the check.
    studies.sessions.forget(id)
    assert studies.duels.ask(id).id == check.id
    assert studies.duels.answer(id, check.id, "first").answers == 1
    with pytest.raises(InputError, match="either again or a check"):
        studies.duels.ask(id, again=1, check=True)
