"""Duels that are computed ahead and elsewhere: the same ones, sooner, whatever happens to who computes them."""

import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from anchorpbo.app.scheduler import executor, jobs, load, worker_process
from anchorpbo.app.scheduler import scheduler as scheduling
from anchorpbo.app.scheduler.jobs import MAX_PREFETCH_JOBS
from anchorpbo.app.scheduler.replicas import ReplicaPool
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, start_workers
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError, RunError
from anchorpbo.study.duel_selection import DuelSelector
from anchorpbo.study.replication import NextDuel
from support.service_studies import QUICK, TREES, answer, study

TIMEOUT = 120.0
"""Seconds that a busy machine may take to start a process."""


def shown(duel):
    return duel.id, duel.first, duel.second, duel.why, duel.progress


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def here(monkeypatch):
    """Duels that were computed in the thread of whoever needed them."""
    computed, original = [], DuelSelector.select

    def counting(self, data, pending=()):
        computed.append(data.digest)
        return original(self, data, pending)

    monkeypatch.setattr(DuelSelector, "select", counting)
    return computed


@pytest.fixture(autouse=True)
def _leisure(monkeypatch):
    """Time to look ahead, however busy the machine: how much there is of it is tested in `test_load`."""
    monkeypatch.setattr(load, "MAX_LOAD_BOTH", float("inf"))
    monkeypatch.setattr(load, "MAX_LOAD_ONE", float("inf"))


class Held(ReplicaPool):
    """A pool that computes when it is let to, and notes what."""

    def __init__(self):
        super().__init__()
        self.free, self.busy, self.done, self.digests = Event(), Event(), [], []

    def run(self, update):
        self.busy.set()
        assert self.free.wait(TIMEOUT)
        found = super().run(update)
        self.digests.append(found.digest)
        self.done.append((update.key[0], update.events[-1]["outcome"] if update.events else None))
        return found


@pytest.fixture
def held(monkeypatch):
    pool = Held()
    monkeypatch.setattr(executor, "ReplicaPool", lambda: pool)
    yield pool
    pool.free.set()


@pytest.fixture(scope="module")
def worker():
    """One process for all tests that do not end it."""
    (one,) = start_workers(1)
    yield one
    one.close()


# -- the same, sooner -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_", [QUICK, TREES, {**QUICK, "options": {"initial": 3}}], ids=["ei", "list", "default"]
)
def test_duels_of_another_process_are_the_same_bit_for_bit_and_need_nothing_computed_here(worker, here, request_):
    scheduler = Scheduler([worker])
    assert scheduler._warm.wait(TIMEOUT)
    quick, slow = StudyService(MemoryStorage(), scheduler=scheduler), StudyService(MemoryStorage())
    ids = quick.create(request_).id, slow.create(request_).id
    for outcome in ("first", "second", "tie", "skip", "first", "second"):
        here.clear()
        duel = quick.duels.ask(ids[0])
        assert here == []
        assert shown(duel) == shown(slow.duels.ask(ids[1]))
        for studies, id in zip((quick, slow), ids, strict=True):
            studies.duels.answer(id, duel.id, outcome)
    here.clear()
    quick.duels.undo(ids[0]), slow.duels.undo(ids[1])
    quick.anchors.add(ids[0], duel.first), slow.anchors.add(ids[1], duel.first)
    for studies, id in zip((quick, slow), ids, strict=True):
        studies.duels.answer(id, duel.id, "first")
    assert here == []
    assert shown(quick.duels.ask(ids[0])) == shown(slow.duels.ask(ids[1]))
    # What was learnt came with the duel: the same recommendation, and the same file.
    assert quick.results.recommend(ids[0]) == slow.results.recommend(ids[1])
    texts = [
        each.sessions.session(id, "owner").optimizer.to_json() for each, id in zip((quick, slow), ids, strict=True)
    ]
    assert texts[0] == texts[1]
    scheduler._workers = []  # the process is for the next test too
    scheduler.close()


def test_either_answer_is_there_before_it_is_given(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    held.free.set()
    studies.duels.ask(id)
    until(lambda: len(held.done) == 3)
    assert held.done == [(id, None), (id, "first"), (id, "second")]
    held.free.clear()  # whatever needed computing would wait
    answer(studies, id, "second")
    assert studies.duels.ask(id)
    held.free.set()
    scheduler.close()


def test_whoever_needs_a_duel_that_is_being_computed_waits_for_it(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    held.free.set()
    duel = studies.duels.ask(id)
    until(lambda: len(held.done) == 3)
    for outcome in ("first", "tie"):  # one that is looked ahead at, and one that is not
        studies.duels.answer(id, duel.id, outcome)
        held.free.clear(), held.busy.clear()
        with ThreadPoolExecutor(1) as pool:
            if outcome == "first":
                duel = studies.duels.ask(id)
                assert held.busy.wait(TIMEOUT)
                studies.duels.answer(id, duel.id, "first")
            asked = pool.submit(studies.duels.ask, id)
            assert held.busy.wait(TIMEOUT)
            time.sleep(0.05)
            assert not asked.done()
            held.free.set()
            duel = asked.result(TIMEOUT)
        until(lambda: not scheduler._jobs.waiting)
    scheduler.close()
    assert len(set(held.digests)) == len(held.digests) > 5


def test_a_duel_that_someone_waits_for_goes_first_and_answers_that_were_not_given_are_left_out(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    ids = [studies.create({**QUICK, "options": {**QUICK["options"], "seed": n}}).id for n in range(4)]
    held.free.set()
    duels = [studies.duels.ask(id) for id in ids]
    until(lambda: len(held.done) == 12)
    for id, duel in zip(ids, duels, strict=True):
        studies.duels.answer(id, duel.id, "first")
    held.free.clear(), held.busy.clear(), held.done.clear()
    duels = [studies.duels.ask(id) for id in ids]  # known: but what comes after them is now looked at
    assert held.busy.wait(TIMEOUT)
    studies.duels.answer(ids[3], duels[3].id, "skip")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.duels.ask, ids[3])
        until(lambda: any(not job.rank for job in scheduler._jobs.waiting))
        held.free.set()
        asked.result(TIMEOUT)
    until(lambda: len(held.done) >= 9)
    scheduler.close()
    done = [(ids.index(id), outcome) for id, outcome in held.done]
    assert done[:5] == [(0, "first"), (3, "skip"), (1, "first"), (2, "first"), (3, "first")]
    assert sorted(done[5:]) == [(0, "second"), (1, "second"), (2, "second"), (3, "second")]


def test_only_so_many_look_ahead(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage())
    for n in range(MAX_PREFETCH_JOBS):
        id = studies.create({**QUICK, "options": {**QUICK["options"], "seed": n}}).id
        studies.duels.ask(id)
        scheduler.prefetch((id, "owner"), studies.definition(id), studies.sessions.session(id, "owner"))
    assert held.busy.wait(TIMEOUT)
    assert MAX_PREFETCH_JOBS - 1 <= len(scheduler._jobs.waiting) <= MAX_PREFETCH_JOBS
    held.free.set()
    scheduler.close()


def test_results_that_nobody_fetched_are_forgotten(held, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_RESULTS", 5)
    held.free.set()
    scheduler = Scheduler()
    studies, id = study()
    studies = StudyService(studies.storage, scheduler=scheduler)
    for _ in range(8):
        answer(studies, id)
        until(lambda: not scheduler._jobs.waiting)
        assert len(scheduler._jobs) <= 7  # those that are not done yet are kept
    scheduler.close()


# -- trouble ----------------------------------------------------------------------------------------------------------


def test_what_is_refused_elsewhere_is_said_here():
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    few = {**TREES["space"], "columns": [{**one, "values": one["values"][:2]} for one in TREES["space"]["columns"]]}
    id = studies.create({**TREES, "space": few}).id
    said = [shown(answer(studies, id))[1:3] for _ in range(3)]
    assert {one["name"] for pair in said for one in pair} == {"Ash", "Birch"}
    scheduler.close()


def test_a_mistake_in_a_worker_is_logged_and_the_duel_computed_here(monkeypatch, caplog, here):
    def broken(self, update):
        raise ZeroDivisionError("by us")

    monkeypatch.setattr(ReplicaPool, "run", broken)
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    with caplog.at_level(logging.ERROR, "anchorpbo.app.scheduler"):
        assert studies.duels.ask(id)
    assert "by us" in caplog.text
    assert len(here) == 1
    scheduler.close()


def test_another_logs_duel_is_not_taken(monkeypatch, caplog, here):
    original = ReplicaPool.run
    monkeypatch.setattr(ReplicaPool, "run", lambda self, update: NextDuel("another", original(self, update).duel, None))
    scheduler = Scheduler()
    studies, other = StudyService(MemoryStorage(), scheduler=scheduler), StudyService(MemoryStorage())
    ids = studies.create(QUICK).id, other.create(QUICK).id
    assert shown(studies.duels.ask(ids[0])) == shown(other.duels.ask(ids[1]))
    assert "does not match the log" in caplog.text
    scheduler.close()


def test_a_process_that_is_killed_is_started_again(here, caplog):
    workers = start_workers(1)
    scheduler = Scheduler(workers)
    quick, slow = StudyService(MemoryStorage(), scheduler=scheduler), StudyService(MemoryStorage())
    ids = quick.create(QUICK).id, slow.create(QUICK).id
    seen = set()
    for idle in (False, True):
        assert workers[0].ready.wait(TIMEOUT)
        assert shown(answer(quick, ids[0])) == shown(answer(slow, ids[1]))
        # The one that was killed before may be noticed only now, by a job that looks scheduler.
        until(lambda: workers[0].ready.is_set() and workers[0].pid not in {None, *seen})
        seen.add(workers[0].pid)
        os.kill(workers[0].pid, signal.SIGKILL)
        if idle:  # nobody needs it, and still it is missed
            until(lambda: workers[0].ready.is_set() and workers[0].pid not in {None, *seen})
    here.clear()
    duel = quick.duels.ask(ids[0])
    assert here == []
    assert shown(duel) == shown(slow.duels.ask(ids[1]))
    assert workers[0].pid not in seen
    assert "started again" in caplog.text
    scheduler.close()
    assert not workers[0].is_alive()


def test_no_duel_waits_for_a_process_to_be_ready(here):
    """A new installation compiles for some ten seconds, and the server answers meanwhile."""
    free = Event()

    class Slow(WorkerProcess):
        def start(self):
            pass

        def wait(self):
            assert free.wait(TIMEOUT)
            raise WorkerEndedError("not needed")

    scheduler = Scheduler([Slow()])
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    for _ in range(QUICK["options"]["initial"]):
        answer(studies, id)
    here.clear()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.duels.ask, id)  # this one is chosen by the model
        try:
            assert asked.result(TIMEOUT / 2)
            assert len(here) == 1
        finally:
            free.set()
    scheduler.close()


def test_after_warming_up_a_default_study_needs_no_more_machine_code(tmp_path):
    program = """
import anchorpbo as ap
from anchorpbo.numerics.tiering import TieredFunction
from anchorpbo.app.scheduler.replicas import warm_up
warm_up()

def refuse(self, args):
    raise AssertionError(f"{self.__name__} is cold")

TieredFunction.interpret = TieredFunction.compile = refuse
study = ap.Optimizer(ap.Space(a=ap.Real(0, 1), b=ap.Integer(1, 9), c=ap.Categorical(["x", "y"])), [], initial=4)
for n in range(7):
    study.tell(study.ask(), ("first", "second", "tie")[n % 3])
study.ask(), study.recommend()
"""
    variables = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*.nbc"))  # for the other processes


def test_a_job_that_ends_processes_is_given_up(monkeypatch):
    class Fragile(WorkerProcess):
        started = 0

        def start(self):
            Fragile.started += 1

        def wait(self):
            self.ready.set()

        def is_alive(self):
            return True

        def call(self, task, data, seconds):
            raise WorkerEndedError("out of memory")

    scheduler = Scheduler([Fragile()])
    assert scheduler._warm.wait(TIMEOUT)
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    with pytest.raises(RunError, match="the next duel could not be computed; received processes that ended"):
        studies.duels.ask(id)
    end = time.monotonic() + TIMEOUT
    while Fragile.started < 4:  # the last one is started after the job was given up
        assert time.monotonic() < end
        time.sleep(0.01)
    scheduler.close()
    assert Fragile.started == 4


def test_where_no_process_can_be_started_a_thread_computes(monkeypatch, caplog):
    monkeypatch.setattr(worker_process.sys, "executable", "/no/such/python")
    scheduler = Scheduler(start_workers(2))
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    assert answer(studies, id)
    assert answer(studies, id)
    until(lambda: "computing duels in a thread" in caplog.text)  # duels to start with wait for nobody
    scheduler.close()


def test_an_end_does_not_keep_anyone_waiting(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.duels.ask, id)
        assert held.busy.wait(TIMEOUT)
        closing = Thread(target=scheduler.close)
        closing.start()
        duel = asked.result(TIMEOUT)  # computed here, while the worker is still held
        held.free.set()
        closing.join(TIMEOUT)
    studies.duels.answer(id, duel.id, "first")
    assert studies.duels.ask(id).id != duel.id


def test_an_ask_to_a_process_that_hangs_is_refused_in_time_and_the_next_one_answered(monkeypatch):
    workers = start_workers(1)
    scheduler = Scheduler(workers)
    assert scheduler._warm.wait(TIMEOUT)
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    before = workers[0].pid
    os.kill(before, signal.SIGSTOP)
    for module in (scheduling, jobs, executor):
        monkeypatch.setattr(module, "MAX_ASK_SECONDS", 0.3)
    with pytest.raises(
        RunError, match=r"computing the next duel must take at most 0.3 s; received one that .*; ask again"
    ):
        studies.duels.ask(id)
    monkeypatch.undo()
    end = time.monotonic() + TIMEOUT
    while workers[0].pid in (None, before):
        assert time.monotonic() < end
        time.sleep(0.01)
    while True:  # one that was told to be late at the last moment is given up for all who wait for it
        try:
            assert studies.duels.ask(id)
            break
        except RunError:
            assert time.monotonic() < end
    scheduler.close()


# -- an answer with the next duel -------------------------------------------------------------------------------------


def types_of(studies, id):
    return [event["type"] for event in studies.history(id)]


@pytest.mark.parametrize("outcome", ["first", "second", "skip"])
def test_an_answer_and_a_next_duel_that_is_ready_are_appended_together(held, outcome):
    scheduler = Scheduler()
    storage = CountingStorage()
    quick, plain = StudyService(storage, scheduler=scheduler), StudyService(MemoryStorage())
    ids = quick.create(QUICK).id, plain.create(QUICK).id
    held.free.set()
    duels = quick.duels.ask(ids[0]), plain.duels.ask(ids[1])
    until(lambda: len(held.done) == 3)
    before = len(storage.appended)
    view = quick.duels.answer(ids[0], duels[0].id, outcome, 250, ask=True)
    plain.duels.answer(ids[1], duels[1].id, outcome)
    assert shown(view.next) == shown(plain.duels.ask(ids[1]))
    assert view.next == quick.duels.ask(ids[0])
    assert types_of(quick, ids[0]) == types_of(plain, ids[1]) == ["created", "asked", "answered", "asked"]
    assert quick.history(ids[0])[2]["response_ms"] == 250
    assert quick.history(ids[0])[3]["response_ms"] is None
    # Nobody expects a skip, so its next duel is computed after it.
    assert storage.appended[before:] == ([["answered"], ["asked"]] if outcome == "skip" else [["answered", "asked"]])
    scheduler.close()


def test_an_answer_with_its_next_duel_is_repeated_and_undone_as_any_other(held):
    scheduler = Scheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create(QUICK).id
    held.free.set()
    duel = studies.duels.ask(id)
    until(lambda: len(held.done) == 3)
    view = studies.duels.answer(id, duel.id, "first", ask=True)
    repeated = studies.duels.answer(id, duel.id, "first", ask=True)
    assert (repeated.repeated, repeated.event, repeated.next) == (True, view.event, view.next)
    other = StudyService(studies.storage)
    assert other.duels.ask(id) == view.next
    undone = studies.duels.undo(id, event=view.event)
    assert (undone.event["number"], undone.pending.id) == (view.event, duel.id)
    assert other.duels.ask(id).id == duel.id
    scheduler.close()


def test_an_answer_stays_if_no_next_duel_can_be_asked(monkeypatch):
    def select(*_):
        raise InputError("there must be a pair left", "none", "add designs")

    studies = StudyService(MemoryStorage())
    id = studies.create(QUICK).id
    duel = studies.duels.ask(id)
    monkeypatch.setattr(DuelSelector, "select", select)
    view = studies.duels.answer(id, duel.id, "first", ask=True)
    assert (view.answers, view.next) == (1, None)
    assert types_of(studies, id) == ["created", "asked", "answered"]
    with pytest.raises(InputError, match="a pair left"):
        studies.duels.ask(id)


class CountingStorage(MemoryStorage):
    """Notes the types of the entries of each append."""

    def __init__(self):
        super().__init__()
        self.appended = []

    def append(self, id, entries, seen):
        written = super().append(id, entries, seen)
        self.appended.append([entry.type for entry in written])
        return written
