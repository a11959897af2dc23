"""Worker processes: what they are told, and how they end."""

import os
import signal

import pytest

from anchorpbo.app.scheduler import worker_process
from anchorpbo.app.scheduler.worker_process import WorkerProcess, WorkerTimeoutError, choose_worker_count, start_workers
from anchorpbo.errors import InputError
from support.service_studies import GREEN, QUICK, study

PATIENCE = 120.0
"""Seconds that a busy machine may take to start a process."""


def test_there_is_a_process_less_than_there_are_processors(monkeypatch):
    for processors, expected in ((1, 1), (2, 1), (4, 3), (64, 8)):
        monkeypatch.setattr(worker_process, "_count_processors", lambda n=processors: n)
        assert choose_worker_count() == expected
    assert start_workers(0) == []


def test_a_worker_knows_no_secrets(monkeypatch):
    monkeypatch.setenv("ANCHORPBO_TOKEN", "only-the-owner-knows-this-one")
    monkeypatch.setenv("ANCHORPBO_DB", "postgresql://user:password@host/studies")
    given = worker_process._make_environment()
    assert not {"ANCHORPBO_TOKEN", "ANCHORPBO_DB"} & set(given)
    assert given["OPENBLAS_NUM_THREADS"] == "1"
    assert given["PATH"] == os.environ["PATH"]


def test_a_worker_ends_with_its_pipe_whatever_it_does():
    (worker,) = start_workers(1)
    process = worker._process
    process.stdin.close()  # as if we were gone, while it still loads
    assert process.wait(PATIENCE) == 0
    worker.end()


def test_a_worker_says_what_went_wrong():
    (worker,) = start_workers(1)
    worker.wait()
    request = {"key": ["s", "owner"], "keep": 0, "events": [], "definition": None, "drop": []}
    with pytest.raises(RuntimeError, match=r"^KeyError: 's'$"):
        worker.call("duel", request, PATIENCE)
    studies, id = study()
    definition = studies.definition(id).to_dict()
    wrong = {**request, "definition": definition, "events": [{"type": "anchor_removed", "design": GREEN}]}
    with pytest.raises(InputError, match="only an anchor can be removed"):
        worker.call("duel", wrong, PATIENCE)
    right = {**request, "drop": [["s", "owner"]], "definition": definition}
    assert worker.call("duel", right, PATIENCE)["duel"]["id"]
    worker.close()


def test_a_worker_that_is_late_is_killed():
    worker = WorkerProcess("anchorpbo.app.service.validator")
    worker.start()
    worker.wait()
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(WorkerTimeoutError, match=r"the worker took longer than 0.1 s"):
        worker.call("define", QUICK, 0.1)
    worker.close()
    assert not worker.is_alive()


def test_a_worker_that_hangs_while_it_starts_is_killed(monkeypatch):
    monkeypatch.setattr("anchorpbo.app.scheduler.worker_process.START_SECONDS", 0.2)
    worker = WorkerProcess("anchorpbo.app.service.validator")
    worker.start()
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(WorkerTimeoutError):
        worker.wait()
    worker.close()
