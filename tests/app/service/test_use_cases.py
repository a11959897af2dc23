"""Ask, answer, undo, mark: what each use case does and refuses."""

import pytest

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.duels import MAX_RESPONSE_MS
from anchorpbo.app.service.views.anchors import AnchorView
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import ConflictError, InputError, NotFittedError, UnknownNameError, UnknownStudyError
from anchorpbo.study.explanations import name_sides
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, state, study

# -- ask and answer ---------------------------------------------------------------------------------------------------


def test_the_duel_that_is_out_is_asked_again_until_it_is_answered():
    studies, id = study()
    duel = studies.duels.ask(id)
    assert studies.duels.ask(id) == duel
    studies.duels.answer(id, duel.id, "first")
    assert studies.duels.ask(id).id != duel.id
    assert [event["type"] for event in studies.history(id)] == ["created", "asked", "answered", "asked"]


def test_an_answer_sent_twice_counts_once():
    studies, id = study()
    duel = studies.duels.ask(id)
    first = studies.duels.answer(id, duel.id, "first", 1200)
    again = studies.duels.answer(id, duel.id, "first", 9999)
    assert (first.repeated, again.repeated) == (False, True)
    assert first.answers == again.answers == 1
    assert [event["response_ms"] for event in studies.history(id) if event["type"] == "answered"] == [1200]


def test_another_answer_to_the_same_duel_is_refused_in_clear_words():
    studies, id = study()
    duel = answer(studies, id, "first")
    with pytest.raises(ConflictError, match="already answered with 'first'"):
        studies.duels.answer(id, duel.id, "second")
    answer(studies, id, "first")
    with pytest.raises(ConflictError, match="already answered"):
        studies.duels.answer(id, duel.id, "tie")
    assert studies.show(id).answers == 2


def test_a_duel_that_was_replaced_is_no_longer_asked():
    studies, id = study()
    first = answer(studies, id)
    second = studies.duels.ask(id)
    studies.duels.undo(id)
    assert studies.duels.ask(id).id == first.id
    with pytest.raises(ConflictError, match="no longer pending"):
        studies.duels.answer(id, second.id, "first")


@pytest.mark.parametrize("duel_id", ["", "1-000000000000", "x" * 10_000, "\0", "\ud800"])
def test_a_duel_that_was_never_asked_is_unknown(duel_id):
    studies, id = study()
    studies.duels.ask(id)
    with pytest.raises(UnknownStudyError, match="no duel with this id was asked"):
        studies.duels.answer(id, duel_id, "first")


def test_outcomes_and_times_are_checked():
    studies, id = study()
    duel = studies.duels.ask(id)
    with pytest.raises(UnknownNameError, match="outcome must be one of"):
        studies.duels.answer(id, duel.id, "third")
    for wrong in (-1, MAX_RESPONSE_MS + 1):
        with pytest.raises(InputError, match="response_ms"):
            studies.duels.answer(id, duel.id, "first", wrong)
    assert studies.duels.answer(id, duel.id, "first", MAX_RESPONSE_MS).answers == 1


def test_skips_are_kept_but_say_nothing():
    studies, id = study()
    answer(studies, id, "skip")
    with pytest.raises(NotFittedError):
        studies.results.recommend(id)
    assert studies.participants.show(id)[0].answers == 0
    assert studies.duels.ask(id).answers == 0
    answer(studies, id, "tie")
    assert studies.participants.show(id)[0].answers == 1
    assert studies.results.recommend(id).answers == 1
    assert studies.results.list_gains(id) == [None, None]


def test_the_duel_and_the_recommendation_say_the_same_about_stopping():
    studies, id = study()
    for _ in range(5):
        answer(studies, id, "first")
        now, best = studies.duels.ask(id).progress, studies.results.recommend(id)
        if now.p_within is not None:
            assert now.p_within == best.p_within
            assert now.stop == (best.p_within >= 0.9) == ("You can stop" in now.sentence)
    assert now.p_within is not None
    assert best.margin == 0.1


@pytest.mark.parametrize("request_", [QUICK, TREES], ids=["space", "catalogue"])
@pytest.mark.parametrize("outcomes", [["tie"] * 5, ["skip"] * 5, ["first", "tie", "skip", "second", "tie", "skip"]])
def test_a_study_goes_on_whatever_is_answered(request_, outcomes):
    studies, id = study(request_)
    for outcome in outcomes:
        answer(studies, id, outcome)
    assert studies.duels.ask(id).first != studies.duels.ask(id).second
    assert len(studies.results.make_map(id).duels) == len(outcomes)


def test_two_designs_that_were_compared_are_compared_again():
    two = {"kind": "space", "parameters": [{"name": "milk", "kind": "boolean"}]}
    studies, id = study(QUICK, space=two)
    for outcome in ("first", "second", "skip", "tie"):
        duel = answer(studies, id, outcome)
        assert {duel.first["milk"], duel.second["milk"]} == {True, False}


def test_cells_that_are_lists_are_shown_and_compared_as_others_are():
    columns = [*TREES["space"]["columns"], {"name": "tags", "values": [[], ["a"], ["a", "b"], "c", None, [1]]}]
    studies, id = study(TREES, space={**TREES["space"], "columns": columns})
    for outcome in ("first", "second", "tie"):
        answer(studies, id, outcome)
    assert state(StudyService(studies.storage), id)["recommendation"] == state(studies, id)["recommendation"]
    assert studies.import_study(studies.export(id)).answers == 3


# -- undo -------------------------------------------------------------------------------------------------------------


def test_undo_brings_the_duel_back():
    studies, id = study()
    duel = answer(studies, id, "first")
    undone = studies.duels.undo(id)
    assert undone.pending == duel
    assert undone.event["type"] == "answered"
    assert studies.duels.ask(id) == duel
    assert studies.duels.answer(id, duel.id, "second").repeated is False
    assert [event["stands"] for event in studies.history(id) if event["type"] == "answered"] == [False, True]


def test_an_undo_that_names_its_event_takes_back_one_however_often_it_is_sent():
    studies, id = study()
    numbers = []
    for _ in range(3):
        duel = studies.duels.ask(id)
        assert duel.last == (numbers[-1] if numbers else None)
        numbers.append(studies.duels.answer(id, duel.id, "first").event)
    assert studies.duels.answer(id, duel.id, "first").event == numbers[-1]
    with pytest.raises(ConflictError, match=f"only the last event can be undone.* undo event {numbers[2]} first"):
        studies.duels.undo(id, event=numbers[1])
    once, again = studies.duels.undo(id, event=numbers[2]), studies.duels.undo(id, event=numbers[2])
    assert (once.repeated, again.repeated) == (False, True)
    assert (once.event, once.pending) == (again.event, again.pending)
    assert once.pending.last == numbers[1]
    assert sum(event["type"] == "undone" for event in studies.history(id)) == 1
    with pytest.raises(ConflictError, match="only the last event can be undone"):
        studies.duels.undo(id, event=1_000)
    assert studies.duels.undo(id, event=numbers[1]).pending.last == numbers[0]
    again = StudyService(studies.storage)  # another process knows as much
    assert again.duels.undo(id, event=numbers[2]).repeated
    assert again.duels.ask(id).last == numbers[0]


def test_undo_takes_back_anchors_in_their_order():
    studies, id = study()
    studies.anchors.add(id, GREEN)
    studies.anchors.add(id, BLACK)
    studies.anchors.remove(id, GREEN)
    assert studies.anchors.list_designs(id) == [BLACK]
    studies.duels.undo(id)
    assert sorted(map(str, studies.anchors.list_designs(id))) == sorted(map(str, [GREEN, BLACK]))
    studies.duels.undo(id)
    assert studies.anchors.list_designs(id) == [GREEN]
    assert studies.duels.undo(id).pending is None
    with pytest.raises(ConflictError, match="nothing to undo"):
        studies.duels.undo(id)


def test_a_duel_stays_out_while_anchors_come_and_go():
    studies, id = study()
    duel = studies.duels.ask(id)
    studies.anchors.add(id, GREEN)
    assert studies.duels.ask(id).id == duel.id
    assert studies.duels.undo(id).pending.id == duel.id
    studies.duels.answer(id, duel.id, "first")
    assert studies.duels.undo(id).pending.id == duel.id


def test_undo_all_the_way_leads_back_to_the_beginning():
    studies, id = study(anchors=[GREEN])
    before = studies.duels.ask(id)
    for outcome in ("first", "skip", "tie"):
        answer(studies, id, outcome)
    for _ in range(3):
        studies.duels.undo(id)
    assert studies.duels.ask(id) == before
    assert studies.anchors.list_designs(id) == [GREEN]
    assert studies.show(id).answers == 0


# -- anchors ----------------------------------------------------------------------------------------------------------


def test_anchors_are_marked_once_and_removed_once():
    studies, id = study()
    for _ in range(2):
        assert studies.anchors.add(id, GREEN).anchors == [AnchorView(GREEN, None)]
    with pytest.raises(UnknownStudyError, match="only an anchor"):
        studies.anchors.remove(id, BLACK)
    assert studies.anchors.remove(id, GREEN).anchors == []
    assert len(studies.history(id)) == 3


@pytest.mark.parametrize("design", [
    {}, {"minutes": 3.0}, {**GREEN, "more": 1}, {**GREEN, "minutes": float("nan")}, {**GREEN, "minutes": 10**400},
    {**GREEN, "leaf": ["green"]}, {**GREEN, "minutes": "\ud800"}, {**GREEN, "minutes": 10.0},
])  # fmt: skip
def test_a_design_must_be_of_the_space(design):
    studies, id = study()
    for use in (studies.anchors.add, studies.anchors.remove, lambda id, one: studies.results.make_map(id, "owner", one),
                lambda id, one: studies.cards.show(id, [one])):  # fmt: skip
        with pytest.raises(InputError):
            use(id, design)
    assert len(studies.history(id)) == 1


def test_proposals_are_designs_to_mark():
    studies, id = study()
    found = studies.anchors.propose(id, 5)
    assert len(found) == 5
    for one in found:
        assert one.reason == "coverage"
        assert 0.0 <= one.gain <= 1.0
        assert one.sentence.endswith(".")
        studies.anchors.add(id, one.design)
    with pytest.raises(InputError, match="n must be"):
        studies.anchors.propose(id, 51)


# -- people -----------------------------------------------------------------------------------------------------------


def test_participants_have_anchors_and_duels_of_their_own():
    studies, id = study(anchors=[GREEN])
    studies.participants.invite(id, "Ana")
    assert studies.anchors.list_designs(id, "Ana") == []
    studies.anchors.add(id, BLACK, "Ana")
    ours, theirs = studies.duels.ask(id), studies.duels.ask(id, "Ana")
    assert ours.id != theirs.id
    with pytest.raises(UnknownStudyError):
        studies.duels.answer(id, ours.id, "first", None, "Ana")
    studies.duels.answer(id, theirs.id, "first", None, "Ana")
    assert studies.duels.ask(id) == ours
    views = {view.name: (view.answers, view.anchors) for view in studies.participants.show(id)}
    assert views == {"owner": (0, 1), "Ana": (1, 1)}
    assert {event["participant"] for event in studies.history(id, "Ana")} == {"Ana"}


def test_counts_are_those_of_a_replay():
    studies, id = study()
    studies.anchors.add(id, GREEN)
    studies.anchors.remove(id, GREEN)
    studies.duels.undo(id)
    for outcome in ("first", "skip", "tie"):
        answer(studies, id, outcome)
    studies.duels.undo(id)
    session, view = studies.sessions.session(id, "owner"), studies.participants.show(id)[0]
    assert (view.answers, view.anchors) == (len(session.optimizer), len(session.optimizer.anchors)) == (1, 1)


def test_nobody_acts_who_does_not_take_part():
    studies, id = study()
    duels, results = studies.duels, studies.results
    for use in (duels.ask, duels.undo, studies.anchors.list_designs, results.recommend, results.make_map,
                studies.history, results.list_gains):  # fmt: skip
        with pytest.raises(UnknownStudyError, match="must be invited"):
            use(id, participant="nobody")
    with pytest.raises(UnknownStudyError, match="must be invited"):
        studies.anchors.add(id, GREEN, "nobody")
    with pytest.raises(UnknownStudyError, match="must be invited"):
        studies.comment(id, "words", None, "nobody")


@pytest.mark.parametrize("name", ["", " ", "a" * 201, "a\0b", "\ud800", None, 5])
def test_a_name_can_be_written(name):
    studies, id = study()
    with pytest.raises(InputError, match="a participant's name"):
        studies.participants.invite(id, name)
    assert studies.show(id).participants == ["owner"]


def test_inviting_twice_changes_nothing():
    studies, id = study()
    studies.participants.invite(id, " Ana ")
    studies.participants.invite(id, "Ana")
    assert studies.show(id).participants == ["owner", "Ana"]


# -- studies ----------------------------------------------------------------------------------------------------------


def test_an_unknown_study_is_unknown_to_every_use_case():
    studies, id = study()
    answer(studies, id)
    studies.delete(id)
    duels, results = studies.duels, studies.results
    for use in (studies.show, duels.ask, duels.undo, studies.anchors.list_designs, results.recommend, results.make_map,
                studies.history, studies.export, studies.delete, studies.participants.show,
                results.compute_agreement):  # fmt: skip
        with pytest.raises(UnknownStudyError):
            use(id)
    assert studies.list_studies() == []


def test_a_study_deleted_by_another_process_is_unknown_here_too():
    storage = MemoryStorage()
    studies, id = study(storage=storage)
    answer(studies, id)
    StudyService(storage).delete(id)
    for use in (studies.duels.ask, studies.duels.undo, studies.anchors.list_designs, studies.show, studies.cards.show):
        with pytest.raises(UnknownStudyError):
            use(id, *([[GREEN]] if use == studies.cards.show else []))


def test_studies_are_listed_newest_first():
    studies, first = study()
    second = studies.create({**QUICK, "name": "Coffee"}).id
    assert {line.id for line in studies.list_studies()} == {first, second}
    assert studies.show(second).name == "Coffee"


def test_comments_are_kept_and_change_nothing():
    studies, id = study()
    before = state(studies, id)["duel"]
    kept = studies.comment(id, " cold ", 1)
    assert (kept["number"], kept["event"]) == (len(studies.history(id)), 1)
    with pytest.raises(UnknownStudyError, match="refer to an event of the study"):
        studies.comment(id, "words", 99)
    with pytest.raises(InputError, match="a comment"):
        studies.comment(id, " ")
    assert studies.duels.ask(id) == before
    assert studies.history(id)[-1]["text"] == "cold"
    with pytest.raises(ConflictError, match="nothing to undo"):
        studies.duels.undo(id)


def test_comparisons_from_elsewhere_come_in_together_or_not_at_all():
    studies, id = study()
    good = {"winner": GREEN, "loser": BLACK}
    assert studies.duels.import_comparisons(id, [good, {**good, "tie": True}]) == 2
    assert studies.show(id).answers == 2
    with pytest.raises(InputError):
        studies.duels.import_comparisons(id, [good, {"winner": GREEN, "loser": GREEN}])
    assert studies.show(id).answers == 2
    assert studies.results.recommend(id).answers == 2
    assert studies.duels.undo(id).pending is None
    assert len(studies.results.make_map(id).duels) == 1


def test_answers_are_written_without_reading_first(monkeypatch):
    studies, id = study()
    answer(studies, id)
    reads, entries = [], studies.storage.entries
    monkeypatch.setattr(studies.storage, "entries", lambda *given: reads.append(given) or entries(*given))
    answer(studies, id)
    assert reads == []


def test_what_another_process_wrote_is_read_before_an_answer_counts():
    studies, id = study()
    other = StudyService(studies.storage)
    duel = studies.duels.ask(id)
    assert other.duels.ask(id).id == duel.id
    other.duels.answer(id, duel.id, "first")
    # Known here only as a duel that is out.
    assert studies.duels.answer(id, duel.id, "first").repeated
    following = other.duels.ask(id)
    assert studies.duels.ask(id) == following
    other.duels.answer(id, following.id, "second")
    with pytest.raises(ConflictError, match="already answered with 'second'"):
        studies.duels.answer(id, following.id, "first")
    last = studies.duels.ask(id)
    other.duels.undo(id)
    assert studies.duels.ask(id).id == following.id != last.id


def test_the_reason_of_a_duel_has_the_letters_of_the_cards():
    studies, id = study()
    for _ in range(8):
        duel = answer(studies, id)
        assert duel.reason == name_sides(duel.why, "A", "B")
        assert "The first" not in duel.reason
    assert duel.reason.startswith(("A ", "Both", "Neither"))
