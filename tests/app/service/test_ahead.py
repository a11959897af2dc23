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
from service_studies import GREEN, QUICK, TREES, answer, study

from anchorpbo.app.scheduler import demand, processes
from anchorpbo.app.scheduler import scheduler as looking
from anchorpbo.app.scheduler.replicas import Desk
from anchorpbo.app.scheduler.scheduler import MOST_WAITING, Scheduler
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, choose_worker_count, start_workers
from anchorpbo.app.service import Studies
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError, RunError
from anchorpbo.study.duel_selection import DuelSelector
from anchorpbo.study.replication import NextDuel

PATIENCE = 120.0
"""Seconds that a busy machine may take to start a process."""


def shown(duel):
    return duel.id, duel.first, duel.second, duel.why, duel.progress


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def here(monkeypatch):
    """Duels that were computed in the thread of whoever needed them."""
    computed, original = [], DuelSelector.next

    def counting(self, record, pending=()):
        computed.append(record.digest)
        return original(self, record, pending)

    monkeypatch.setattr(DuelSelector, "next", counting)
    return computed


@pytest.fixture(autouse=True)
def _leisure(monkeypatch):
    """Time to look ahead, however busy the machine: how much there is of it is tested in `test_demand`."""
    monkeypatch.setattr(demand, "BOTH_BELOW", float("inf"))
    monkeypatch.setattr(demand, "ONE_BELOW", float("inf"))


class Held(Desk):
    """A desk that computes when it is let to, and notes what."""

    def __init__(self):
        super().__init__()
        self.free, self.busy, self.done, self.digests = Event(), Event(), [], []

    def run(self, errand):
        self.busy.set()
        assert self.free.wait(PATIENCE)
        found = super().run(errand)
        self.digests.append(found.digest)
        self.done.append((errand.key[0], errand.events[-1]["outcome"] if errand.events else None))
        return found


@pytest.fixture
def held(monkeypatch):
    desk = Held()
    monkeypatch.setattr(looking, "Desk", lambda: desk)
    yield desk
    desk.free.set()


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
    ahead = Scheduler([worker])
    assert ahead._warm.wait(PATIENCE)
    quick, slow = Studies(MemoryStorage(), ahead=ahead), Studies(MemoryStorage())
    ids = quick.create(request_).id, slow.create(request_).id
    for outcome in ("first", "second", "tie", "skip", "first", "second"):
        here.clear()
        duel = quick.ask(ids[0])
        assert here == []
        assert shown(duel) == shown(slow.ask(ids[1]))
        for studies, id in zip((quick, slow), ids, strict=True):
            studies.answer(id, duel.id, outcome)
    here.clear()
    quick.undo(ids[0]), slow.undo(ids[1])
    quick.add_anchor(ids[0], duel.first), slow.add_anchor(ids[1], duel.first)
    for studies, id in zip((quick, slow), ids, strict=True):
        studies.answer(id, duel.id, "first")
    assert here == []
    assert shown(quick.ask(ids[0])) == shown(slow.ask(ids[1]))
    # What was learnt came with the duel: the same recommendation, and the same file.
    assert quick.recommendation(ids[0]) == slow.recommendation(ids[1])
    texts = [each.rater(id, "owner").optimizer.to_json() for each, id in zip((quick, slow), ids, strict=True)]
    assert texts[0] == texts[1]
    ahead._workers = []  # the process is for the next test too
    ahead.close()


def test_either_answer_is_there_before_it_is_given(held):
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    held.free.set()
    studies.ask(id)
    until(lambda: len(held.done) == 3)
    assert held.done == [(id, None), (id, "first"), (id, "second")]
    held.free.clear()  # whatever needed computing would wait
    answer(studies, id, "second")
    assert studies.ask(id)
    held.free.set()
    ahead.close()


def test_whoever_needs_a_duel_that_is_being_computed_waits_for_it(held):
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    held.free.set()
    duel = studies.ask(id)
    until(lambda: len(held.done) == 3)
    for outcome in ("first", "tie"):  # one that is looked ahead at, and one that is not
        studies.answer(id, duel.id, outcome)
        held.free.clear(), held.busy.clear()
        with ThreadPoolExecutor(1) as pool:
            if outcome == "first":
                duel = studies.ask(id)
                assert held.busy.wait(PATIENCE)
                studies.answer(id, duel.id, "first")
            asked = pool.submit(studies.ask, id)
            assert held.busy.wait(PATIENCE)
            time.sleep(0.05)
            assert not asked.done()
            held.free.set()
            duel = asked.result(PATIENCE)
        until(lambda: not ahead._queue)
    ahead.close()
    assert len(set(held.digests)) == len(held.digests) > 5


def test_a_duel_that_someone_waits_for_goes_first_and_answers_that_were_not_given_are_left_out(held):
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    ids = [studies.create({**QUICK, "options": {**QUICK["options"], "seed": n}}).id for n in range(4)]
    held.free.set()
    duels = [studies.ask(id) for id in ids]
    until(lambda: len(held.done) == 12)
    for id, duel in zip(ids, duels, strict=True):
        studies.answer(id, duel.id, "first")
    held.free.clear(), held.busy.clear(), held.done.clear()
    duels = [studies.ask(id) for id in ids]  # known: but what comes after them is now looked at
    assert held.busy.wait(PATIENCE)
    studies.answer(ids[3], duels[3].id, "skip")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.ask, ids[3])
        until(lambda: any(not job.rank for job in ahead._queue))
        held.free.set()
        asked.result(PATIENCE)
    until(lambda: len(held.done) >= 9)
    ahead.close()
    done = [(ids.index(id), outcome) for id, outcome in held.done]
    assert done[:5] == [(0, "first"), (3, "skip"), (1, "first"), (2, "first"), (3, "first")]
    assert sorted(done[5:]) == [(0, "second"), (1, "second"), (2, "second"), (3, "second")]


def test_only_so_many_look_ahead(held):
    ahead = Scheduler()
    studies = Studies(MemoryStorage())
    for n in range(MOST_WAITING):
        id = studies.create({**QUICK, "options": {**QUICK["options"], "seed": n}}).id
        studies.ask(id)
        ahead.prepare((id, "owner"), studies.definition(id), studies.rater(id, "owner"))
    assert held.busy.wait(PATIENCE)
    assert MOST_WAITING - 1 <= len(ahead._queue) <= MOST_WAITING
    held.free.set()
    ahead.close()


def test_results_that_nobody_fetched_are_forgotten(held, monkeypatch):
    monkeypatch.setattr(looking, "MOST_FOUND", 5)
    held.free.set()
    ahead = Scheduler()
    studies, id = study()
    studies = Studies(studies.storage, ahead=ahead)
    for _ in range(8):
        answer(studies, id)
        until(lambda: not ahead._queue)
        assert len(ahead._jobs) <= 7  # those that are not done yet are kept
    ahead.close()


# -- trouble ----------------------------------------------------------------------------------------------------------


def test_what_is_refused_elsewhere_is_said_here():
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    few = {**TREES["space"], "columns": [{**one, "values": one["values"][:2]} for one in TREES["space"]["columns"]]}
    id = studies.create({**TREES, "space": few}).id
    said = [shown(answer(studies, id))[1:3] for _ in range(3)]
    assert {one["name"] for pair in said for one in pair} == {"Ash", "Birch"}
    ahead.close()


def test_a_mistake_at_the_desk_is_logged_and_the_duel_computed_here(monkeypatch, caplog, here):
    def broken(self, errand):
        raise ZeroDivisionError("by us")

    monkeypatch.setattr(Desk, "run", broken)
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    with caplog.at_level(logging.ERROR, "anchorpbo.app.service"):
        assert studies.ask(id)
    assert "by us" in caplog.text
    assert len(here) == 1
    ahead.close()


def test_another_logs_duel_is_not_taken(monkeypatch, caplog, here):
    original = Desk.run
    monkeypatch.setattr(Desk, "run", lambda self, errand: NextDuel("another", original(self, errand).duel, None))
    ahead = Scheduler()
    studies, other = Studies(MemoryStorage(), ahead=ahead), Studies(MemoryStorage())
    ids = studies.create(QUICK).id, other.create(QUICK).id
    assert shown(studies.ask(ids[0])) == shown(other.ask(ids[1]))
    assert "lost its way" in caplog.text
    ahead.close()


def test_a_process_that_is_killed_is_started_again(here, caplog):
    workers = start_workers(1)
    ahead = Scheduler(workers)
    quick, slow = Studies(MemoryStorage(), ahead=ahead), Studies(MemoryStorage())
    ids = quick.create(QUICK).id, slow.create(QUICK).id
    seen = set()
    for idle in (False, True):
        assert workers[0].ready.wait(PATIENCE)
        assert shown(answer(quick, ids[0])) == shown(answer(slow, ids[1]))
        # The one that was killed before may be noticed only now, by a job that looks ahead.
        until(lambda: workers[0].ready.is_set() and workers[0].pid not in {None, *seen})
        seen.add(workers[0].pid)
        os.kill(workers[0].pid, signal.SIGKILL)
        if idle:  # nobody needs it, and still it is missed
            until(lambda: workers[0].ready.is_set() and workers[0].pid not in {None, *seen})
    here.clear()
    duel = quick.ask(ids[0])
    assert here == []
    assert shown(duel) == shown(slow.ask(ids[1]))
    assert workers[0].pid not in seen
    assert "started again" in caplog.text
    ahead.close()
    assert not workers[0].is_alive()


def test_no_duel_waits_for_a_process_to_be_ready(here):
    """A new installation compiles for some ten seconds, and the server answers meanwhile."""
    free = Event()

    class Slow(WorkerProcess):
        def start(self):
            pass

        def wait(self):
            assert free.wait(PATIENCE)
            raise WorkerEndedError("not needed")

    ahead = Scheduler([Slow()])
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    for _ in range(QUICK["options"]["initial"]):
        answer(studies, id)
    here.clear()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.ask, id)  # this one is chosen by the model
        try:
            assert asked.result(PATIENCE / 2)
            assert len(here) == 1
        finally:
            free.set()
    ahead.close()


def test_after_warming_up_a_default_study_needs_no_more_machine_code(tmp_path):
    program = """
import anchorpbo as ap
from anchorpbo.numerics.tiering import Tiered
from anchorpbo.app.scheduler.replicas import warm_up
warm_up()

def refuse(self, args):
    raise AssertionError(f"{self.__name__} is cold")

Tiered.interpret = Tiered.compile = refuse
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

    ahead = Scheduler([Fragile()])
    assert ahead._warm.wait(PATIENCE)
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    with pytest.raises(RunError, match="the next duel could not be computed; received processes that ended"):
        studies.ask(id)
    end = time.monotonic() + PATIENCE
    while Fragile.started < 4:  # the last one is started after the job was given up
        assert time.monotonic() < end
        time.sleep(0.01)
    ahead.close()
    assert Fragile.started == 4


def test_where_no_process_can_be_started_a_thread_computes(monkeypatch, caplog):
    monkeypatch.setattr(processes.sys, "executable", "/no/such/python")
    ahead = Scheduler(start_workers(2))
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    assert answer(studies, id)
    assert answer(studies, id)
    until(lambda: "computed in a thread" in caplog.text)  # duels to start with wait for nobody
    ahead.close()


def test_an_end_does_not_keep_anyone_waiting(held):
    ahead = Scheduler()
    studies = Studies(MemoryStorage(), ahead=ahead)
    id = studies.create(QUICK).id
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(studies.ask, id)
        assert held.busy.wait(PATIENCE)
        closing = Thread(target=ahead.close)
        closing.start()
        duel = asked.result(PATIENCE)  # computed here, while the desk is still held
        held.free.set()
        closing.join(PATIENCE)
    studies.answer(id, duel.id, "first")
    assert studies.ask(id).id != duel.id


# -- processes --------------------------------------------------------------------------------------------------------


def test_there_is_a_process_less_than_there_are_processors(monkeypatch):
    for processors, expected in ((1, 1), (2, 1), (4, 3), (64, 8)):
        monkeypatch.setattr(processes, "_processors", lambda n=processors: n)
        assert choose_worker_count() == expected
    assert start_workers(0) == []


def test_a_worker_knows_no_secrets(monkeypatch):
    monkeypatch.setenv("ANCHORPBO_TOKEN", "only-the-owner-knows-this-one")
    monkeypatch.setenv("ANCHORPBO_DB", "postgresql://user:password@host/studies")
    given = processes._environment()
    assert not {"ANCHORPBO_TOKEN", "ANCHORPBO_DB"} & set(given)
    assert given["OPENBLAS_NUM_THREADS"] == "1"
    assert given["PATH"] == os.environ["PATH"]


def test_a_worker_ends_with_its_pipe_whatever_it_does():
    (worker,) = start_workers(1)
    process = worker._process
    process.stdin.close()  # as if we were gone, while it still loads
    assert process.wait(PATIENCE) == 0
    worker.end()


def test_a_worker_says_what_went_wrong(worker):
    worker.start()
    worker.wait()
    request = {"key": ["s", "owner"], "keep": 0, "events": [], "definition": None, "forget": []}
    with pytest.raises(RuntimeError, match=r"^KeyError: 's'$"):
        worker.call("duel", request, PATIENCE)
    studies, id = study()
    definition = studies.definition(id).to_dict()
    wrong = {**request, "definition": definition, "events": [{"type": "anchor_removed", "design": GREEN}]}
    with pytest.raises(InputError, match="only an anchor can be removed"):
        worker.call("duel", wrong, PATIENCE)
    right = {**request, "forget": [["s", "owner"]], "definition": definition}
    assert worker.call("duel", right, PATIENCE)["duel"]["id"]
