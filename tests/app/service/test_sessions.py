"""State is a replay of the journal: whoever reads it, whenever, in whichever process, sees the same."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.session_cache import MAX_SESSIONS
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import AnchorPBOError, ConflictError, InputError, RunError
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, state, study

FUZZ = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
OUTCOMES = st.sampled_from(["first", "second", "tie", "skip"])
WHO = st.sampled_from(["owner", "Ana"])
ACTIONS = st.one_of(
    st.tuples(st.just("ask"), WHO),
    st.tuples(st.just("answer"), WHO, OUTCOMES),
    st.tuples(st.just("answer"), WHO, OUTCOMES),
    st.tuples(st.just("undo"), WHO),
    st.tuples(st.just("add"), WHO, st.sampled_from([GREEN, BLACK])),
    st.tuples(st.just("remove"), WHO, st.sampled_from([GREEN, BLACK])),
    st.tuples(st.just("comment"), WHO),
    st.tuples(st.just("import"), WHO),
)


def act(studies, id, action):
    """Do something; what is refused must leave everything as it was."""
    kind, who, *rest = action
    try:
        if kind == "ask":
            studies.duels.ask(id, who)
        elif kind == "answer":
            studies.duels.answer(id, studies.duels.ask(id, who).id, rest[0], 5, who)
        elif kind == "undo":
            studies.duels.undo(id, who)
        elif kind == "comment":
            studies.comment(id, "words", 1, who)
        elif kind == "import":
            studies.duels.import_comparisons(id, [{"winner": GREEN, "loser": BLACK}], who)
        else:
            getattr(studies.anchors, kind)(id, rest[0], who)
    except (ConflictError, InputError):
        pass


@settings(FUZZ, max_examples=15)
@given(st.lists(ACTIONS, max_size=12))
def test_a_new_process_sees_what_the_old_one_saw(actions):
    storage = MemoryStorage()
    studies, id = study(storage=storage)
    studies.participants.invite(id, "Ana")
    for action in actions:
        act(studies, id, action)
    for who in ("owner", "Ana"):
        assert state(StudyService(storage), id, who) == state(studies, id, who)


@settings(FUZZ, max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 1), ACTIONS), max_size=12))
def test_two_processes_take_turns(turns):
    storage = MemoryStorage()
    one, id = study(storage=storage)
    both = (one, StudyService(storage))
    one.participants.invite(id, "Ana")
    for which, action in turns:
        act(both[which], id, action)
    for who in ("owner", "Ana"):
        assert state(both[0], id, who) == state(both[1], id, who) == state(StudyService(storage), id, who)


def test_two_tabs_in_two_processes_one_answer_counts():
    storage = MemoryStorage()
    one, id = study(storage=storage)
    two = StudyService(storage)
    duel = one.duels.ask(id)
    assert two.duels.ask(id) == duel
    one.duels.answer(id, duel.id, "first")
    with pytest.raises(ConflictError, match="already answered"):
        two.duels.answer(id, duel.id, "second")
    assert two.duels.answer(id, duel.id, "first").repeated
    assert one.duels.ask(id) == two.duels.ask(id)
    two.duels.undo(id)
    assert one.duels.ask(id).id == duel.id


class _Interrupting(MemoryStorage):
    """Runs something else just before it would write: another process that was faster."""

    def __init__(self):
        super().__init__()
        self.before = []

    def append(self, id, entries, seen):
        if self.before:
            self.before.pop()()
        return super().append(id, entries, seen)


def test_a_stale_write_reads_on_and_decides_again():
    storage = _Interrupting()
    one, id = study(storage=storage)
    two = StudyService(storage)
    storage.before = [lambda: two.duels.ask(id)]
    assert one.duels.ask(id) == two.duels.ask(id)
    assert [event["type"] for event in one.history(id)] == ["created", "asked"]
    duel = one.duels.ask(id)
    storage.before = [lambda: two.duels.answer(id, duel.id, "second")]
    with pytest.raises(ConflictError, match="already answered with 'second'"):
        one.duels.answer(id, duel.id, "first")
    duel = one.duels.ask(id)
    storage.before = [lambda: two.duels.answer(id, duel.id, "first")]
    assert one.duels.answer(id, duel.id, "first").repeated
    assert one.show(id).answers == 2


def test_someone_who_is_overtaken_often_still_gets_a_turn(monkeypatch):
    studies, id = study()
    append, overtaken = studies.storage.append, iter(range(20))

    def crowded(*arguments):
        if next(overtaken, None) is not None:
            raise ConflictError("overtaken")
        return append(*arguments)

    monkeypatch.setattr(studies.storage, "append", crowded)
    assert studies.duels.ask(id)
    assert [event["type"] for event in studies.history(id)] == ["created", "asked"]


def test_someone_who_is_always_overtaken_gives_up(monkeypatch):
    studies, id = study()
    monkeypatch.setattr("anchorpbo.app.service.session_cache.RETRY_SECONDS", 0.05)

    def never(*arguments):
        raise ConflictError("overtaken")

    monkeypatch.setattr(studies.storage, "append", never)
    # Not a conflict with another change, which a page would drop its answer for: it is to be sent again.
    with pytest.raises(RunError, match="too many processes"):
        studies.comment(id, "words")


def test_threads_neither_lose_nor_double_an_answer():
    storage = MemoryStorage()
    studies, id = study(storage=storage)
    others, threads, turns = StudyService(storage), 6, 3
    barrier = Barrier(threads)
    counted = []

    def hammer(number):
        mine = (studies, others)[number % 2]
        barrier.wait()
        for _ in range(turns):
            duel = mine.duels.ask(id)
            try:
                if not mine.duels.answer(id, duel.id, ("first", "second")[number // 2 % 2]).repeated:
                    counted.append(duel.id)
            except ConflictError:
                pass

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(hammer, number) for number in range(threads)]:
            done.result()
    told = [event["duel_id"] for event in studies.history(id) if event["type"] == "answered"]
    assert sorted(told) == sorted(counted)
    assert len(set(told)) == len(told) == studies.show(id).answers
    assert state(studies, id) == state(others, id) == state(StudyService(storage), id)


def test_threads_that_mark_undo_and_answer_leave_a_journal_that_replays():
    storage = MemoryStorage()
    studies, id = study(storage=storage)
    studies.participants.invite(id, "Ana")
    kinds = [("answer", "owner", "first"), ("undo", "owner"), ("add", "owner", GREEN), ("comment", "owner"),
             ("remove", "owner", GREEN), ("answer", "Ana", "tie"), ("undo", "Ana")]  # fmt: skip

    def busy(action):
        for _ in range(4):
            act(studies, id, action)

    with ThreadPoolExecutor(len(kinds)) as pool:
        list(pool.map(busy, kinds))
    for who in ("owner", "Ana"):
        assert state(StudyService(storage), id, who) == state(studies, id, who)


def test_few_sessions_and_definitions_are_kept(monkeypatch):
    monkeypatch.setattr("anchorpbo.app.service.session_cache.MAX_SESSIONS", 3)
    studies, id = study()
    for n in range(6):
        studies.participants.invite(id, f"p{n}")
        studies.duels.ask(id, f"p{n}")
        studies.create(QUICK)
    assert len(studies.sessions._sessions) == len(studies.sessions._definitions) == 3
    assert studies.duels.ask(id, "p0").answers == 0
    studies.delete(id)
    assert not studies.sessions._sessions
    assert MAX_SESSIONS >= 3


def test_a_definition_is_read_once_for_all_participants():
    studies, id = study(TREES)
    studies.participants.invite(id, "Ana")
    assert studies.sessions.session(id, "owner").optimizer.space is studies.sessions.session(id, "Ana").optimizer.space


def test_a_journal_of_thousands_is_read_in_little_time():
    studies, id = study()
    rows = [{"winner": {"minutes": 1 + n / 1000, "leaf": "green"}, "loser": BLACK} for n in range(2_000)]
    assert studies.duels.import_comparisons(id, rows) == 2_000
    assert len(studies.history(id)) == 2_001
    assert len(studies.export(id)["events"]) == 2_001


def test_rehearsing_changes_nothing():
    studies, id = study()
    answer(studies, id)
    studies.duels.ask(id)
    session = studies.sessions.session(id, "owner")
    before = (len(session.optimizer), session.optimizer.history)
    with pytest.raises(AnchorPBOError):
        studies.anchors.remove(id, GREEN)
    with pytest.raises(AnchorPBOError):
        studies.duels.import_comparisons(id, [{"winner": GREEN, "loser": BLACK}, {"winner": GREEN, "loser": {}}])
    assert (len(session.optimizer), session.optimizer.history) == before
    assert isinstance(session, ParticipantSession)
