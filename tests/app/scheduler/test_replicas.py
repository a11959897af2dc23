"""Updates of replicas: only the new events of a log, and a pool that keeps no more than it may."""

import json

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.scheduler import replicas
from anchorpbo.app.scheduler.replicas import ReplicaPool, ReplicaTracker, ReplicaUpdate
from anchorpbo.numerics.deadline import current_deadline
from anchorpbo.study import Optimizer
from anchorpbo.study.replication import Replica, snapshot
from support.service_studies import BLACK, GREEN, QUICK, answer, study

NAMES = "Ana", "Ben", "Cleo", "Dora"


def through_json(update):
    return ReplicaUpdate.from_dict(json.loads(json.dumps(update.to_dict())))


def test_only_what_is_new_of_a_log_is_sent():
    studies, id = study()
    definition, session = studies.definition(id), studies.sessions.session(id, "owner")
    tracker, pool, key = ReplicaTracker(), ReplicaPool(), (id, "owner")
    sizes = []
    for outcome in ("first", "second", "first"):
        duel = studies.duels.ask(id)
        for log in (
            snapshot(session.optimizer),
            *(snapshot(session.optimizer, session.pending, one) for one in ("first", "tie")),
        ):
            update = through_json(tracker.make_update(key, definition, log))
            sizes.append((update.keep, len(update.events), update.definition is not None))
            found = pool.run(update)
            assert found.digest == log.digest
        studies.duels.answer(id, duel.id, outcome)
    assert sizes == [(0, 0, True), (0, 1, False), (0, 1, False),
                     (0, 1, False), (1, 1, False), (1, 1, False),
                     (1, 1, False), (2, 1, False), (2, 1, False)]  # fmt: skip
    studies.duels.undo(id)
    update = tracker.make_update(key, definition, snapshot(session.optimizer))
    assert (update.keep, update.events) == (2, [])


def test_a_pool_keeps_a_study_as_long_as_one_of_its_participants(monkeypatch):
    monkeypatch.setattr(replicas, "MAX_REPLICAS", 3)
    made = {name: StudyDefinition.from_request({**QUICK, "name": name}) for name in ("one", "two")}
    tracker, pool = ReplicaTracker(), ReplicaPool()

    def run(study, participant):
        update = tracker.make_update(
            (study, participant), made[study], snapshot(made[study].make_optimizer(participant))
        )
        pool.run(update)
        assert set(tracker._snapshots) == set(pool.replicas)
        assert set(pool.definitions) == {one for one, _ in pool.replicas}
        return update.definition is not None

    assert [run("one", name) for name in NAMES] == [True, False, False, False]
    assert [run("two", name) for name in NAMES] == [True, False, False, False]
    assert set(pool.definitions) == {"two"}
    assert run("one", "Ana")
    tracker.invalidate(("one", "Ana"))  # nobody knows how much of it is there: all is sent again
    assert run("one", "Ana")


def test_a_definition_and_a_log_come_through_json_as_they_are():
    studies, id = study()
    studies.anchors.add(id, GREEN)
    studies.duels.import_comparisons(id, [{"winner": GREEN, "loser": BLACK}])
    for outcome in ("first", "second", "skip"):
        answer(studies, id, outcome)
    log = snapshot(studies.sessions.session(id, "owner").optimizer)
    found = ReplicaPool().run(through_json(ReplicaTracker().make_update((id, "owner"), studies.definition(id), log)))
    assert found.digest == log.digest
    assert found.duel == studies.sessions.session(id, "owner").optimizer.ask()


def test_the_duels_to_start_with_are_made_once_they_are_needed(monkeypatch):
    from anchorpbo.study import duel_selection

    made, original = [], duel_selection.generate_initial_pairs
    monkeypatch.setattr(duel_selection, "generate_initial_pairs", lambda *given: made.append(given) or original(*given))
    studies, id = study()
    optimizer: Optimizer = studies.sessions.session(id, "owner").optimizer
    assert made == []
    optimizer.ask()
    assert len(made) == 1


def test_a_duel_is_computed_within_the_time_limit_also_in_a_thread(monkeypatch):
    studies, id = study()
    limits = []
    next_duel = Replica.next_duel
    monkeypatch.setattr(
        Replica, "next_duel", lambda self: (limits.append(current_deadline().seconds), next_duel(self))[1]
    )
    update = ReplicaTracker().make_update(
        (id, "owner"), studies.definition(id), snapshot(studies.sessions.session(id, "owner").optimizer)
    )
    ReplicaPool().run(update)
    assert limits == [replicas.MAX_ASK_SECONDS]
