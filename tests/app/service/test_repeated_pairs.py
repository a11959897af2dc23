"""Pairs that the app asks a participant once more, beside the pairs that several participants share."""

import json

import pytest

from anchorpbo import Optimizer
from anchorpbo.app.definition.definition import REPEAT_RATE, StudyDefinition
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.shared_pairs import SHARED_DUEL, is_shared
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.study.explanations import RETEST_DUEL
from anchorpbo.study.replication import Replica, is_repeat_due
from support.service_studies import QUICK, TREES, answer, state, study

OFTEN = {**QUICK, "options": {**QUICK["options"], "repeat_rate": 0.5}}


def whys(studies, id, participant, count):
    return [answer(studies, id, "first", participant).why for _ in range(count)]


# -- the setting -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_", [QUICK, TREES, {**QUICK, "options": {}}, {**QUICK, "options": {"preset": "paper"}}]
)
def test_new_studies_repeat_one_question_in_twenty(request_):
    studies, id = study(request_)
    assert REPEAT_RATE == 0.05
    assert studies.show(id).options["repeat_rate"] == REPEAT_RATE
    assert studies.sessions.session(id, "owner").optimizer.plan.repeat_rate == REPEAT_RATE
    assert studies.duplicate(id).options["repeat_rate"] == REPEAT_RATE
    assert studies.import_study(studies.export(id)).options["repeat_rate"] == REPEAT_RATE


@pytest.mark.parametrize(("given", "rate"), [(0, 0.0), (0.25, 0.25), (1, 1.0), (None, REPEAT_RATE)])
def test_the_rate_can_be_given(given, rate):
    definition = StudyDefinition.from_request({**QUICK, "options": {"repeat_rate": given}})
    assert definition.make_optimizer("owner").plan.repeat_rate == rate
    again = StudyDefinition.from_dict(json.loads(json.dumps(definition.to_dict())), trusted=True)
    assert again.make_optimizer("Ana").plan.repeat_rate == rate


def test_studies_of_older_releases_repeat_nothing():
    layout = StudyDefinition.from_request(QUICK).to_dict()
    older = {name: value for name, value in layout["engine"].items() if name != "repeat_rate"}
    assert older != layout["engine"]
    assert (
        StudyDefinition.from_dict(layout | {"engine": older}, trusted=True).make_optimizer("Ana").plan.repeat_rate == 0
    )


# -- questions ---------------------------------------------------------------------------------------------------------


def test_a_repeat_is_a_question_like_any_other():
    studies, id = study(OFTEN)
    duels = [answer(studies, id, "first") for _ in range(14)]
    repeats = [n for n, duel in enumerate(duels) if duel.why == RETEST_DUEL]
    assert len(repeats) in (3, 4)
    for n in repeats:
        earlier = [(duel.first, duel.second) for duel in duels[:n]]
        assert (duels[n].second, duels[n].first) in earlier
        assert duels[n].reason == duels[n].why
        assert duels[n].progress.p_within is not None
        assert vars(duels[n]).keys() == vars(duels[0]).keys()
    assert studies.sessions.session(id, "owner").optimizer.retest().retests >= len(repeats)


def test_undo_a_replay_and_an_import_keep_repeats():
    studies, id = study(OFTEN)
    number = next(n for n in range(20) if answer(studies, id).why == RETEST_DUEL)
    undone = studies.duels.undo(id)
    assert undone.pending.why == RETEST_DUEL
    answer(studies, id, "second")
    assert state(StudyService(studies.storage), id) == state(studies, id)
    again = studies.import_study(studies.export(id))
    assert studies.duels.count_answers(again.id) == number + 1
    assert studies.duels.ask(again.id).id == studies.duels.ask(id).id


class ReplicaScheduler:
    """A scheduler that computes every next duel in a replica, at once."""

    def __init__(self, definition, participant):
        self.definition, self.participant, self.found = definition, participant, 0

    def fetch(self, key, definition, session):
        """Do nothing."""

    def prefetch(self, key, definition, session):
        """Do nothing."""

    def find(self, log):
        replica = Replica(self.definition.make_optimizer(self.participant))
        replica.update(0, log.events())
        self.found += 1
        return replica.next_duel()


@pytest.mark.parametrize("prefetched", [False, True])
def test_a_repeat_takes_the_place_of_a_shared_pair_of_the_same_question(prefetched):
    request = {**OFTEN, "shared_pairs": 0.5}
    scheduler = ReplicaScheduler(StudyDefinition.from_request(request), "Ana") if prefetched else None
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(request).id
    studies.participants.invite(id, "Ana")
    for _ in range(12):
        answer(studies, id, "first", "owner")
    due, hers, duel = [], [], studies.duels.ask(id, "Ana")
    for _ in range(16):
        optimizer = studies.sessions.session(id, "Ana").optimizer
        due.append(is_repeat_due(optimizer))
        hers.append(duel.why)
        found = studies.duels.answer(id, duel.id, "first", None, "Ana", ask=True)
        duel = found.next
    assert any(due[n] and is_shared(n, 0.5) for n in range(16))
    for n, why in enumerate(hers):
        assert (why == RETEST_DUEL) == due[n]
        assert (why == SHARED_DUEL) == (is_shared(n, 0.5) and not due[n])
    assert scheduler is None or scheduler.found > 5


def test_a_repeat_is_due_after_as_many_answers_as_were_foreseen():
    optimizer = Optimizer(StudyDefinition.from_request(QUICK).space, strategy="eubo", repeat_rate=0.5, initial=1)
    foreseen = [is_repeat_due(optimizer, n) for n in range(12)]
    assert 2 <= sum(foreseen) <= 4
    for n in range(12):
        assert is_repeat_due(optimizer) == foreseen[n] == (optimizer.ask().why == RETEST_DUEL)
        optimizer.tell(optimizer.ask(), "first")
