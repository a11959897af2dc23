"""A server under requests that would take for ever: others are served, and each of them is refused."""

import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.hard_rules import hard_study
from support.server_process import STUDY, Server

GRACEFUL_SHUTDOWN_SECONDS = 60.0
"""Seconds for which a request may wait on a busy machine."""


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with Server(f"sqlite:///{tmp_path_factory.mktemp('server')}/studies.db") as server:
        yield server


def refused(server, path, body):
    """The status and the words of a refusal."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", json.dumps(body).encode(), headers)
    with pytest.raises(urllib.error.HTTPError) as problem:
        urllib.request.urlopen(request, timeout=GRACEFUL_SHUTDOWN_SECONDS)
    return problem.value.code, json.load(problem.value)["detail"]


@pytest.mark.slow
def test_more_hard_rules_than_there_are_threads_do_not_stop_a_server(running):
    with ThreadPoolExecutor(42) as pool:
        checks = [pool.submit(refused, running, "/api/studies/check", hard_study(seed=n)) for n in range(42)]
        time.sleep(1.0)
        assert running.get("/api/studies") == []
        found = [check.result(GRACEFUL_SHUTDOWN_SECONDS) for check in checks]
    assert {status for status, _ in found} == {422, 503}
    assert {words for status, words in found if status == 422} == {
        "finding a design that meets the constraints must take at most 5 s; received 4 constraints on 30 parameters, "
        "30 of them discrete; use fewer constraints, or fewer discrete parameters in them."
    }
    assert all("try again in a moment" in words for status, words in found if status == 503)
    assert running.post("/api/studies", STUDY)["id"]
