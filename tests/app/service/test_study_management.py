"""Edit, archive, duplicate: what the owner can do with a whole study."""

import pytest

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH, MAX_QUESTION_LENGTH, MAX_TEXT_LENGTH
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.exports import make_file_name
from anchorpbo.app.service.views.studies import find_question
from anchorpbo.errors import InputError, UnknownNameError, UnknownStudyError
from support.service_studies import GREEN, answer, study

LIMITS = {"name": MAX_NAME_LENGTH, "question": MAX_QUESTION_LENGTH, "description": MAX_TEXT_LENGTH}


def test_an_edit_changes_what_is_named_and_is_in_the_history():
    studies, id = study()
    answer(studies, id)
    before = studies.show(id)
    after = studies.edit(id, {"name": "Tea, second batch", "question": "Which cup?"})
    assert (after.name, after.question, after.description) == ("Tea, second batch", "Which cup?", before.description)
    assert after.answers == before.answers
    assert [event["type"] for event in studies.history(id)][-1] == "edited"
    assert [one.name for one in studies.list_studies()] == ["Tea, second batch"]


def test_an_edit_that_changes_nothing_writes_nothing():
    studies, id = study()
    name = studies.show(id).name
    studies.edit(id, {"name": name, "archived": False})
    assert [event["type"] for event in studies.history(id)] == ["created"]


def test_a_question_that_begins_the_description_stays_if_the_description_changes():
    studies, id = study(description="Which cup do you like? For the menu.")
    assert studies.show(id).question == "Which cup do you like?"
    after = studies.edit(id, {"question": "Which cup do you like?", "description": "For the menu."})
    assert (after.question, after.description) == ("Which cup do you like?", "For the menu.")


def test_a_repeated_edit_is_one_event():
    studies, id = study(description="Which cup do you like?")
    for _ in range(2):
        studies.edit(id, {"question": "Which one?"})
        studies.edit(id, {"question": "Which one?"})
    assert [event["type"] for event in studies.history(id)].count("edited") == 1
    for _ in range(2):
        studies.edit(id, {"question": ""})
    assert [event["type"] for event in studies.history(id)].count("edited") == 2


def test_another_process_sees_an_edit():
    studies, id = study()
    other = StudyService(studies.storage)
    other.show(id)
    studies.edit(id, {"question": "Which cup?", "description": "For the new menu."})
    assert (other.show(id).question, other.show(id).description) == ("Which cup?", "For the new menu.")


def test_a_study_is_archived_and_restored():
    studies, id = study()
    assert studies.edit(id, {"archived": True}).archived
    assert [one.archived for one in studies.list_studies()] == [True]
    answer(studies, id)  # an archived study still works
    assert not studies.edit(id, {"archived": False}).archived


@pytest.mark.parametrize("field", LIMITS)
def test_texts_have_limits(field):
    studies, id = study()
    studies.edit(id, {field: "x" * LIMITS[field]})
    with pytest.raises(InputError, match=field):
        studies.edit(id, {field: "x" * (LIMITS[field] + 1)})
    assert len(getattr(studies.show(id), field)) == LIMITS[field]


@pytest.mark.parametrize(
    "changes", [{"name": ""}, {"name": "  "}, {"name": None}, {"archived": "yes"}, {"question": 3}]
)
def test_a_bad_edit_changes_nothing(changes):
    studies, id = study()
    before = studies.show(id)
    with pytest.raises(InputError):
        studies.edit(id, changes)
    assert studies.show(id) == before


def test_only_texts_and_the_archive_can_be_edited():
    studies, id = study()
    with pytest.raises(UnknownNameError, match="space"):
        studies.edit(id, {"space": {}})
    with pytest.raises(UnknownStudyError):
        studies.edit("none", {"name": "Tea"})


def test_an_export_has_the_edited_texts_and_an_import_keeps_them():
    studies, id = study()
    studies.edit(id, {"name": "Tea, second batch", "question": "Which cup?", "archived": True})
    export = studies.export(id)
    assert (export["study"]["name"], export["study"]["question"]) == ("Tea, second batch", "Which cup?")
    imported = studies.import_study(export)
    assert (imported.name, imported.question, imported.archived) == ("Tea, second batch", "Which cup?", True)


def test_a_duplicate_has_the_designs_and_the_anchors_but_no_answers():
    studies, id = study()
    studies.anchors.add(id, GREEN)
    studies.participants.invite(id, "Ana")
    studies.edit(id, {"question": "Which cup?"})
    answer(studies, id)
    original, copy = studies.show(id), studies.duplicate(id)
    assert copy.id != id
    assert copy.name == f"{original.name} (copy)"
    assert (copy.question, copy.space, copy.options) == ("Which cup?", original.space, original.options)
    assert (copy.answers, copy.participants, studies.anchors.list_designs(copy.id)) == (0, ["owner"], [GREEN])
    assert studies.duels.ask(copy.id).answers == 0


def test_the_name_of_a_duplicate_is_within_the_limit():
    studies, id = study()
    studies.edit(id, {"name": "x" * MAX_NAME_LENGTH})
    assert len(studies.duplicate(id).name) == MAX_NAME_LENGTH


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Pour-over coffee", "pour-over-coffee.html"),
        ("Café Zürich: crème brûlée!", "cafe-zurich-creme-brulee.html"),
        ("世界", "study-abc.html"),
        ("../../etc/passwd", "etc-passwd.html"),
        ('a"b\r\nc', "a-b-c.html"),
        ("x" * 200, "x" * 60 + ".html"),
    ],
)
def test_files_are_named_after_the_study(name, file):
    assert make_file_name(name, "abc", "html") == file


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("Which cup do you like better? We ask for the menu.", "Which cup do you like better?"),
        ("We look for a recipe.", ""),
        ("", ""),
        ("Two recipes\nwhich one?", ""),
    ],
)
def test_a_description_that_begins_with_a_question_asks_it(description, question):
    assert find_question(description) == question
