"""The assessment of a participant's answers, and comparisons that are asked again."""

from io import StringIO

import pytest

from anchorpbo.app.service import StudyService
from anchorpbo.errors import ConflictError, UnknownStudyError
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
