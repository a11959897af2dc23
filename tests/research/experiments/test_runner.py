"""Doing tasks: each once, the same anywhere, and nothing lost when it is cut short."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from plans import Deadly, Draw, Failing, Slow, results, trials

from anchorpbo.errors import InputError, RunError
from anchorpbo.research.experiments import runner
from anchorpbo.research.experiments.process_backend import ProcessBackend
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.runner import SerialBackend, run_tasks

PLAN = trials(seeds=2, rounds=2)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The plan done without interruption, in this process."""
    store = RecordStore(tmp_path_factory.mktemp("reference"))
    assert [ended.failure for ended in run_tasks(PLAN, store, SerialBackend())] == [None] * len(PLAN)
    return results(store, PLAN)


def test_processes_find_the_same_as_this_process_to_the_last_bit_whatever_the_order(tmp_path, reference):
    store, shuffled = RecordStore(tmp_path), random.Random(0).sample(PLAN, len(PLAN))
    ended = list(run_tasks(shuffled, store, ProcessBackend(2)))
    assert {each.task for each in ended} == set(PLAN)
    assert len(ended) == len(PLAN)
    assert results(store, PLAN).equals(reference)


def test_what_has_a_record_is_not_done_again(tmp_path):
    store, tasks = RecordStore(tmp_path), [Draw(seed) for seed in range(4)]
    list(run_tasks(tasks[:2], store, SerialBackend()))
    assert [ended.task for ended in run_tasks([*tasks, *tasks], store, SerialBackend())] == tasks[2:]
    assert not list(run_tasks(tasks, store, SerialBackend()))


@pytest.mark.parametrize("backend", [SerialBackend(), ProcessBackend(1)], ids=["here", "processes"])
def test_a_task_that_fails_is_told_of_and_the_others_go_on(tmp_path, backend):
    store, tasks = RecordStore(tmp_path), [Draw(0), Failing(1), Draw(2)]
    failures = {ended.task: ended.failure for ended in run_tasks(tasks, store, backend)}
    assert failures[Draw(0)] is failures[Draw(2)] is None
    assert "ZeroDivisionError: seed 1" in failures[Failing(1)]
    assert [store.has(task) for task in tasks] == [True, False, True]


def test_a_record_is_on_disk_before_its_task_is_told_to_have_ended(tmp_path):
    store = RecordStore(tmp_path)
    assert all(
        RecordStore(tmp_path, resume=True).has(ended.task)
        for ended in run_tasks([Draw(0), Draw(1)], store, SerialBackend())
    )


def test_tasks_are_prepared_before_any_is_done(tmp_path):
    class Unready(Draw):
        def prepare(self):
            raise InputError("data must be there", None, "fetch it")

    with pytest.raises(InputError, match="fetch it"):
        list(run_tasks([Draw(0), Unready(1)], RecordStore(tmp_path), SerialBackend()))
    assert not RecordStore(tmp_path).has(Draw(0))


def test_a_worker_that_is_killed_ends_the_run_with_what_to_do(tmp_path):
    store = RecordStore(tmp_path)
    with pytest.raises(RunError, match="--resume"):
        list(run_tasks([Draw(0), Deadly(1)], store, ProcessBackend(1)))
    assert store.has(Draw(0))


def test_closing_early_ends_the_workers(tmp_path):
    running = run_tasks(
        [Draw(0), *(Slow(seed, seconds=60.0) for seed in range(4))], RecordStore(tmp_path), ProcessBackend(2)
    )
    assert next(running).task == Draw(0)
    began = time.perf_counter()
    running.close()
    assert time.perf_counter() - began < 30.0


def test_a_worker_of_another_release_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "__version__", "9.9.9")
    done = runner.run_task(Draw(0))
    monkeypatch.undo()

    class Elsewhere(SerialBackend):
        def run(self, tasks):
            yield runner.TaskOutcome(Draw(0), done)

    with pytest.raises(InputError, match="install the same release"):
        list(run_tasks([Draw(0)], RecordStore(tmp_path), Elsewhere()))
    assert not RecordStore(tmp_path).has(Draw(0))


PROGRAM = """
import sys
from pathlib import Path
from test_runner import PLAN
from anchorpbo.research.experiments.process_backend import ProcessBackend
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.runner import run_tasks

if __name__ == "__main__":
    for ended in run_tasks(PLAN, RecordStore(Path(sys.argv[1]), resume=True), ProcessBackend(2)):
        print(ended.task.key, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_run_cut_short_at_a_random_moment_and_resumed_is_the_same_as_one_that_was_not(tmp_path, reference, how):
    program, out = tmp_path / "program.py", tmp_path / "out"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(program), str(out)]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=environment, **quiet) as first:
        told = [first.stdout.readline().strip() for _ in range(2)]
        time.sleep(random.uniform(0.0, 1.5))
        first.send_signal(how)
        first.wait(60)
    kept = {path.stem for path in (out / "records").glob("*.parquet")}
    assert set(told) <= kept, "what was told to be done is on disk"
    assert all(RecordStore(out, resume=True).has(task) for task in PLAN if task.key in kept), "and whole"
    list(run_tasks(PLAN, RecordStore(out, resume=True), SerialBackend()))
    assert results(RecordStore(out, resume=True), PLAN).equals(reference)
    assert {path.stem for path in (out / "records").glob("*.parquet")} == {task.key for task in PLAN}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_when_their_parent_is_killed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        PROGRAM.replace("from test_runner import PLAN", "from plans import Draw, Slow").replace(
            "PLAN,", "[Draw(0), *(Slow(seed, seconds=60.0) for seed in range(4))],"
        )
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(program), str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        parent.stdout.readline()
        with open(f"/proc/{parent.pid}/task/{parent.pid}/children") as file:
            children = file.read().split()
        assert children
        parent.kill()
        parent.wait(30)
    give_up = time.perf_counter() + 30.0
    while any(_runs(child) for child in children):
        assert time.perf_counter() < give_up, "workers go on without a parent"
        time.sleep(0.05)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
