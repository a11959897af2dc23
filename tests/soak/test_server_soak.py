"""A server that is killed, and one that many people use: `make soak` takes its time, `make test` a few seconds."""

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from support.load import invite, measure
from support.server_process import STUDY, Client, Server

SOAK = "ANCHORPBO_SOAK_SECONDS" in os.environ
KILLS = int(os.environ.get("ANCHORPBO_SOAK_KILLS", "50" if SOAK else "3"))
MINUTES = 2.0 if SOAK else 0.15
STUDIES, PEOPLE = (5, 10) if SOAK else (3, 6)
PAUSE = 2.0
"""Seconds a participant looks at two designs, on average."""
SLOWEST = 0.5
CROWD, CROWD_SECONDS, CROWD_SLOWEST = (10, 120.0, 0.5) if SOAK else (6, 6.0, 60.0)
"""People at one server, how long they stay, and seconds within which 95 % have the next pair."""
PAGES, PAGES_SECONDS, PAGES_SHARE = (1_000, 120.0, 0.05) if SOAK else (60, 5.0, 1.0)
"""Open and idle pages, how long they stay, and the share of a core that they may take."""
RUSH, RUSH_SECONDS = (150, 60.0) if SOAK else (6, 5.0)
"""People at one server, then at two, and how long they stay."""
RUSH_THINK = (0.1, 0.3)
"""Seconds that they think: so short that one server on one core has more to do than it can."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'studies.db'}"
    return str(request.getfixturevalue("postgresql_url"))


def test_no_acknowledged_answer_is_lost_or_doubled_when_the_server_is_killed(url: str) -> None:
    rng = random.Random(0)
    with Server(url) as server:
        studies = [server.post("/api/studies", STUDY)["id"] for _ in range(2)]
        clients = [Client(server, study, "owner", seed=n) for n, study in enumerate(studies)]
        threads = [client.start() for client in clients]
        for _ in range(KILLS):
            time.sleep(rng.uniform(0.3, 5.0))  # the first duel of a new process takes a second or two
            server.kill()
            server.start()
        time.sleep(0.5)
        for client, thread in zip(clients, threads, strict=True):
            client.stop.set()
            thread.join(30)
        for client in clients:
            events = server.get(f"/api/studies/{client.study}/export?format=json")["events"]
            kept = [(event["duel_id"], event["outcome"]) for event in events if event["type"] == "answered"]
            assert [event["number"] for event in events] == list(range(1, len(events) + 1))
            assert max(Counter(duel for duel, _ in kept).values()) == 1
            assert client.acknowledged.items() <= dict(kept).items()
            # One at most was on its way at each kill.
            assert len(kept) - len(client.acknowledged) <= KILLS
            assert not client.errors
            assert len(client.acknowledged) > KILLS


def test_many_people_are_answered_quickly_and_memory_stays(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'studies.db'}") as server:
        clients = []
        for n in range(STUDIES):
            # Each asks differently: what follows from one log would else be known for all of them.
            study = server.post("/api/studies", STUDY | {"options": {"seed": n}})["id"]
            for k in range(PEOPLE // STUDIES):
                server.post(f"/api/studies/{study}/participants", {"name": f"p{k}"})
                clients.append(Client(server, study, f"p{k}", PAUSE, seed=100 * n + k))
        threads = [client.start() for client in clients]
        time.sleep(30 * MINUTES)
        half = server.memory()
        time.sleep(30 * MINUTES)
        end = server.memory()
        for client in clients:
            client.stop.set()
        for thread in threads:
            thread.join(30)
        assert not [error for client in clients for error in client.errors]
        seconds = sorted(second for client in clients for second in client.seconds)
        assert len(seconds) > PEOPLE
        slow = seconds[int(0.95 * len(seconds))]
        print(f"{len(seconds)} answers, median {seconds[len(seconds) // 2]:.3f} s, 95 % within {slow:.3f} s, "
              f"{half // 1000} MB then {end // 1000} MB")  # fmt: skip
        if SOAK:  # a machine that runs other tests at the same time says nothing about speed
            assert slow < SLOWEST
        # What a study needs for more answers is small; a leak of a duel's arrays would be tens of megabytes.
        assert end - half < 60_000


def test_two_servers_on_one_postgresql_serve_the_same_studies(postgresql_url: str) -> None:
    with Server(postgresql_url) as one, Server(postgresql_url) as other:
        study = one.post("/api/studies", STUDY)["id"]
        other.post(f"/api/studies/{study}/participants", {"name": "p"})
        for n in range(12):
            asking, answering = (one, other) if n % 2 else (other, one)
            duel = asking.post(f"/api/studies/{study}/ask")
            assert answering.post(f"/api/studies/{study}/ask") == duel
            answer = {"duel_id": duel["id"], "outcome": "first"}
            assert not answering.post(f"/api/studies/{study}/answers", answer)["repeated"]
            assert asking.post(f"/api/studies/{study}/answers", answer)["repeated"]
        # Both at once, for the same participant: whoever is faster, each duel is answered once.
        clients = [Client(server, study, "p", seed=n) for n, server in enumerate((one, other))]
        threads = [client.start() for client in clients]
        time.sleep(20 if SOAK else 3)
        for client, thread in zip(clients, threads, strict=True):
            client.stop.set()
            thread.join(30)
        left, right = (server.get(f"/api/studies/{study}/export")["events"] for server in (one, other))
        assert left == right
        answered = [event["duel_id"] for event in left if event["type"] == "answered" and event["participant"] == "p"]
        assert len(answered) == len(set(answered)) > 2
        assert {duel for client in clients for duel in client.acknowledged} <= set(answered)
        recommended = [server.get(f"/api/studies/{study}/recommendation")["design"] for server in (one, other)]
        assert recommended[0] == recommended[1]


# -- load -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers with a token: people come by links, as they would."""
    monkeypatch.setenv("ANCHORPBO_TOKEN", "only-the-owner-knows-this-long-one")


def test_a_crowd_is_answered_within_half_a_second(token: None, tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'studies.db'}") as server:
        people = invite(server, max(1, CROWD // 10), CROWD)
        found = measure([server], people, CROWD_SECONDS)
    print(f"{CROWD} people who think for 1 to 3 s: {found}")
    assert not found.errors
    assert found.streams == CROWD
    assert found.quantile(0.95) < CROWD_SLOWEST


def test_idle_pages_cost_little(token: None, tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'studies.db'}") as server:
        people = invite(server, max(1, PAGES // 50), PAGES // 10)
        found = measure([server], people, PAGES_SECONDS, think=None, idle=PAGES - len(people))
    print(f"idle: {found}")
    assert not found.errors
    assert found.streams == PAGES
    assert found.server < PAGES_SHARE


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="servers cannot be given a core each")
def test_a_second_server_on_one_postgresql_adds_capacity(token: None, postgresql_url: str) -> None:
    # A core each, workers included, as if they were machines of their own.
    cores = sorted(os.sched_getaffinity(0))
    servers = [Server(postgresql_url), Server(postgresql_url)]
    try:
        for server, core in zip(servers, (cores[0], cores[-1]), strict=True):
            os.sched_setaffinity(0, {core})
            server.start()
    finally:
        os.sched_setaffinity(0, cores)
    try:
        # As many people both times, each time new ones: logs are as long.
        people = invite(servers[0], max(1, RUSH // 5), 2 * RUSH)
        one = measure(servers[:1], people[:RUSH], RUSH_SECONDS, think=RUSH_THINK)
        two = measure(servers, people[RUSH:], RUSH_SECONDS, think=RUSH_THINK)
    finally:
        for server in servers:
            server.stop()
    print(f"one server: {one}\ntwo servers: {two}\nfactor {two.rate / one.rate:.2f}")
    assert not one.errors + two.errors
    if SOAK:
        # One server is saturated: half of the answers wait for longer than anyone thinks.
        assert one.quantile(0.5) > RUSH_THINK[1]
        assert two.rate > 1.3 * one.rate
