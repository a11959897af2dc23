"""The same plan on a Dask cluster, one of whose workers is killed half way."""

import json
import os
import subprocess
import sys
import time

import pytest
from plans import Draw, Slow, results, trials

from anchorpbo.errors import RunError
from anchorpbo.research.experiments.dask_backend import DaskBackend
from anchorpbo.research.experiments.process_backend import ProcessBackend
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.runner import run_tasks

pytest.importorskip("distributed")


def start(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def scheduler(tmp_path):
    """The process of a scheduler without workers, with its address."""
    file = tmp_path / "scheduler.json"
    process = start(
        "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )  # fmt: skip
    give_up = time.perf_counter() + 60.0
    while not file.exists() or not file.read_text():
        assert time.perf_counter() < give_up, "the scheduler did not start"
        time.sleep(0.1)
    process.address = json.loads(file.read_text())["address"]
    yield process
    process.kill()
    process.wait(30)


@pytest.fixture
def workers(scheduler, tmp_path):
    processes = [
        start(
            "distributed.cli.dask_worker", scheduler.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--local-directory", str(tmp_path / f"worker{number}"),
        )
        for number in range(2)
    ]  # fmt: skip
    yield processes
    for process in processes:
        process.kill()
        process.wait(30)


def test_a_cluster_that_loses_a_worker_half_way_finds_what_local_processes_find(tmp_path, scheduler, workers):
    plan = trials(seeds=3, rounds=2)
    store, seen = RecordStore(tmp_path / "cluster"), []
    for ended in run_tasks(plan, store, DaskBackend(scheduler.address, patience=60.0)):
        seen.append(ended.task)
        assert ended.failure is None
        if len(seen) == len(plan) // 2:
            workers[0].kill()
    assert len(seen) == len(set(seen)) == len(plan), "every run is there once"
    assert workers[0].poll() is not None
    local = RecordStore(tmp_path / "local")
    list(run_tasks(plan, local, ProcessBackend(2)))
    assert results(store, plan).equals(results(local, plan))


def test_a_scheduler_that_dies_ends_the_run_with_what_to_do(tmp_path, scheduler, workers):
    store = RecordStore(tmp_path / "cluster")
    running = run_tasks([Draw(0), Slow(1, seconds=300.0)], store, DaskBackend(scheduler.address, patience=15.0))
    assert next(running).task == Draw(0)
    scheduler.kill()
    with pytest.raises(RunError, match="--resume"):
        next(running)
    assert store.has(Draw(0))


def test_nothing_to_do_needs_no_cluster(tmp_path):
    assert not list(run_tasks([], RecordStore(tmp_path), DaskBackend("tcp://127.0.0.1:9")))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "bad://x:1", "", "a b:1"])
def test_an_unreachable_scheduler_is_told_in_a_sentence(tmp_path, address):
    with pytest.raises(RunError, match="leave --dask out"):
        list(run_tasks([Draw(0)], RecordStore(tmp_path), DaskBackend(address, patience=2.0)))


def test_a_cluster_without_workers_is_told_in_a_sentence(tmp_path, scheduler):
    with pytest.raises(RunError, match="dask worker tcp://"):
        list(run_tasks([Draw(0)], RecordStore(tmp_path), DaskBackend(scheduler.address, patience=1.0)))
