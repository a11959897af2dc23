"""What goes to a desk: only what is new of a log, and a desk that keeps no more than it is to."""

import json

from service_studies import BLACK, GREEN, QUICK, answer, study

from anchorpbo.app.definition.definition import Definition
from anchorpbo.app.scheduler import desk as desks
from anchorpbo.app.scheduler.replicas import Desk, Errand, Sent
from anchorpbo.numerics.deadline import deadline
from anchorpbo.study import Optimizer

NAMES = "Ana", "Ben", "Cleo", "Dora"


def through_json(errand):
    return Errand.from_dict(json.loads(json.dumps(errand.to_dict())))


def test_only_what_is_new_of_a_log_is_sent():
    studies, id = study()
    definition, rater = studies.definition(id), studies.rater(id, "owner")
    sent, desk, key = Sent(), Desk(), (id, "owner")
    sizes = []
    for outcome in ("first", "second", "first"):
        duel = studies.ask(id)
        for trail in (
            rater.optimizer.trail(),
            *(rater.optimizer.trail(rater.pending, one) for one in ("first", "tie")),
        ):
            errand = through_json(sent.errand(key, definition, trail))
            sizes.append((errand.keep, len(errand.events), errand.definition is not None))
            found = desk.run(errand)
            assert found.digest == trail.digest
        studies.answer(id, duel.id, outcome)
    assert sizes == [(0, 0, True), (0, 1, False), (0, 1, False),
                     (0, 1, False), (1, 1, False), (1, 1, False),
                     (1, 1, False), (2, 1, False), (2, 1, False)]  # fmt: skip
    studies.undo(id)
    errand = sent.errand(key, definition, rater.optimizer.trail())
    assert (errand.keep, errand.events) == (2, [])


def test_a_desk_keeps_a_study_as_long_as_one_of_its_participants(monkeypatch):
    monkeypatch.setattr(desks, "MOST_LOGS", 3)
    made = {name: Definition.from_request({**QUICK, "name": name}) for name in ("one", "two")}
    sent, desk = Sent(), Desk()

    def run(study, participant):
        errand = sent.errand((study, participant), made[study], made[study].optimizer(participant).trail())
        desk.run(errand)
        assert set(sent._trails) == set(desk.optimizers)
        assert set(desk.definitions) == {one for one, _ in desk.optimizers}
        return errand.definition is not None

    assert [run("one", name) for name in NAMES] == [True, False, False, False]
    assert [run("two", name) for name in NAMES] == [True, False, False, False]
    assert set(desk.definitions) == {"two"}
    assert run("one", "Ana")
    sent.drop(("one", "Ana"))  # nobody knows how much of it is there: all is sent again
    assert run("one", "Ana")


def test_a_definition_and_a_log_come_through_json_as_they_are():
    studies, id = study()
    studies.add_anchor(id, GREEN)
    studies.import_comparisons(id, [{"winner": GREEN, "loser": BLACK}])
    for outcome in ("first", "second", "skip"):
        answer(studies, id, outcome)
    trail = studies.rater(id, "owner").optimizer.trail()
    found = Desk().run(through_json(Sent().errand((id, "owner"), studies.definition(id), trail)))
    assert found.digest == trail.digest
    assert found.duel == studies.rater(id, "owner").optimizer.ask()


def test_the_duels_to_start_with_are_made_once_they_are_needed(monkeypatch):
    from anchorpbo.study import asking

    made, original = [], asking.generate_initial_pairs
    monkeypatch.setattr(asking, "generate_initial_pairs", lambda *given: made.append(given) or original(*given))
    studies, id = study()
    optimizer: Optimizer = studies.rater(id, "owner").optimizer
    assert made == []
    optimizer.ask()
    assert len(made) == 1


def test_a_duel_is_computed_within_the_time_limit_also_in_a_thread(monkeypatch):
    studies, id = study()
    limits = []
    foresee = Optimizer.foresee
    monkeypatch.setattr(Optimizer, "foresee", lambda self: (limits.append(deadline().seconds), foresee(self))[1])
    errand = Sent().errand((id, "owner"), studies.definition(id), studies.rater(id, "owner").optimizer.trail())
    Desk().run(errand)
    assert limits == [desks.MAX_ASK_SECONDS]
