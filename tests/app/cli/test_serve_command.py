"""``anchorpbo serve``, in a process of its own."""

import http.client
import json
import logging
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from anchorpbo.app.cli.serve import ServeOptions, run
from anchorpbo.app.cli.token import find_token
from anchorpbo.app.web.server import SecretFilter, listen
from anchorpbo.errors import InputError, RunError
from support.server_process import is_running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
TIMEOUT = 180.0
"""Seconds to get ready: a busy machine may have to compile first."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class Server:
    """The command, with what it printed."""

    def __init__(self, folder, *arguments, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANCHORPBO_")}
        self.out, self.err, self.token = folder / "out", folder / "err", environment.get("ANCHORPBO_TOKEN", "")
        command = [sys.executable, "-m", "anchorpbo", "serve", "--port", "0", *map(str, arguments)]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            env = {**kept, "ANCHORPBO_HOME": str(folder / "home"), **environment}
            self.process = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder, env=env)

    def __enter__(self):
        until = time.monotonic() + TIMEOUT
        while " is ready at " not in self.stdout:
            assert self.process.poll() is None, self.stderr
            assert time.monotonic() < until, self.stdout
            time.sleep(0.05)
        self.link = re.search(r"is ready at (\S+)", self.stdout)[1]
        self.port = int(re.search(r":(\d+)(/|$)", self.link)[1])
        self.token = self.token or self.link.partition("#token=")[2]
        return self

    def __exit__(self, *problem):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def stdout(self):
        return self.out.read_text("utf-8")

    @property
    def stderr(self):
        return self.err.read_text("utf-8")

    def get(self, path, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        return urllib.request.urlopen(request, timeout=60)

    def status(self, path, **headers):
        try:
            with self.get(path, **headers) as response:
                return response.status
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code

    def json(self, path, data=None):
        """What the owner gets."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return json.load(response)

    def studies(self):
        return self.json("/api/studies")

    def end(self, number):
        """Send a signal; the exit code and how many seconds it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(30), time.monotonic() - began


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("demo"), "--demo", "--verbose") as server:
        yield server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("guarded"), "--host", "0.0.0.0", "--verbose") as server:
        yield server


def test_a_demo_has_three_studies_one_of_them_with_answers(demo):
    assert [(one["name"], one["answers"]) for one in demo.studies()] == [
        ("Pour-over coffee", 12),
        ("A concert poster", 0),
        ("Molecules to start from", 0),
    ]
    coffee = demo.studies()[0]["id"]
    assert len(demo.json(f"/api/studies/{coffee}/anchors")["anchors"]) == 4
    assert "deleted when the server stops" in demo.stdout
    with demo.get("/login") as page:
        assert b"everything here is deleted when the server stops" in page.read()


def test_also_on_this_machine_alone_the_link_signs_in(demo):
    # What a proxy on this machine passes on looks like a request of this machine.
    assert demo.link == f"http://127.0.0.1:{demo.port}/login#token={demo.token}"
    assert len(demo.token) >= 32
    assert demo.status("/") == 401
    assert demo.status("/api/studies") == 401
    assert demo.stdout.count("ready") == 1
    assert demo.stdout.count(demo.token) == 1
    assert demo.token not in demo.stderr


def test_a_demo_keeps_no_token(demo):
    assert not (demo.out.parent / "home").exists()


def test_without_a_token_everyone_is_in_and_told_so(tmp_path):
    with Server(tmp_path, "--db", "mine.db", "--no-token") as server:
        assert server.link == f"http://127.0.0.1:{server.port}"
        assert server.status("/") == 200
        assert server.status("/api/studies") == 200
        assert server.status("/api/studies", **{"X-Forwarded-For": "203.0.113.7"}) == 403
        assert "Warning: without a token everyone who reaches this port owns all studies" in server.stdout
        assert not (tmp_path / "home" / "token").exists()


def test_a_browser_stays_signed_in_when_the_server_is_started_again(tmp_path):
    seen = []
    for _ in range(2):
        with Server(tmp_path, "--db", "mine.db") as server:
            path = tmp_path / "home" / "token"
            assert str(path) in server.stdout
            assert path.read_text("ascii").strip() == server.token
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            if not seen:
                body = urllib.parse.urlencode({"token": server.token}).encode()
                opener = urllib.request.build_opener(NoRedirect)
                with pytest.raises(urllib.error.HTTPError) as response:
                    opener.open(f"http://127.0.0.1:{server.port}/login", body, timeout=60)
                response.value.close()
                cookie = response.value.headers["set-cookie"].split(";")[0]
            seen.append(server.token)
            assert server.status("/api/studies", Cookie=cookie) == 200
            assert server.end(signal.SIGTERM)[0] == 0
    assert seen[0] == seen[1]
    path.unlink()  # another token ends all sessions
    with Server(tmp_path, "--db", "mine.db") as server:
        assert server.token not in seen
        assert server.status("/api/studies", Cookie=cookie) == 401


def test_the_log_has_neither_queries_nor_links(demo):
    demo.status("/login?token=first-secret")
    demo.status("/join/study/616e61/second-secret")
    assert '"GET /login HTTP' in demo.stderr
    assert '"GET /join/... HTTP' in demo.stderr
    assert "secret" not in demo.stderr


def test_a_port_in_use_is_named_with_one_to_try(demo, tmp_path):
    second = Server(tmp_path, "--port", demo.port)
    assert second.process.wait(TIMEOUT) == 1
    assert len(second.stderr.splitlines()) == 1
    assert f"port {demo.port}" in second.stderr
    other = int(re.search(r"try --port (\d+)", second.stderr)[1])
    with closing(socket.create_server(("127.0.0.1", other))):
        assert other != demo.port
    assert not (tmp_path / "home").exists()


def test_elsewhere_too_a_token_is_printed_once_and_needed(guarded):
    address, token = guarded.link.split("/login#token=")
    assert len(token) >= 32
    assert address.startswith("http://")
    assert guarded.status("/api/studies") == 401
    assert guarded.status("/api/studies", Authorization="Bearer wrong") == 401
    assert guarded.status("/api/studies", Authorization=f"Bearer {token}") == 200
    assert guarded.status("/login") == 200
    assert guarded.status(f"/login?token={token}") == 200
    assert guarded.stdout.count(token) == 1
    assert token not in guarded.stderr


def test_the_database_in_the_data_folder_is_named(guarded):
    path = guarded.out.parent / "home" / "studies.db"
    assert f"Studies are kept in {path}" in guarded.stdout
    assert path.is_file()


def test_this_machine_may_be_called_by_its_own_name(guarded):
    assert guarded.status("/login", Host=socket.gethostname()) == 200
    assert guarded.status("/login", Host="elsewhere.example") == 421


def test_a_token_of_ones_own_is_never_printed(tmp_path):
    token = "a-token-of-my-own-that-is-long"
    with Server(tmp_path, "--host", "localhost", "--name", "studies.example.org", ANCHORPBO_TOKEN=token) as server:
        assert server.status("/api/studies") == 401
        assert server.status("/api/studies", Authorization=f"Bearer {token}", Host="studies.example.org") == 200
        assert "ANCHORPBO_TOKEN" in server.stdout
        assert token not in server.stdout + server.stderr
        code, took = server.end(signal.SIGINT)
        assert code == 0
        assert took < 10
        assert server.stdout.endswith("Stopped.\n")
        assert "Traceback" not in server.stderr


def test_sigterm_ends_it_within_seconds_also_with_open_streams(tmp_path):
    with Server(tmp_path, "--demo", TMPDIR=str(tmp_path)) as server:
        assert list(tmp_path.glob("anchorpbo-*"))
        stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        headers = {"Authorization": f"Bearer {server.token}"}
        stream.request("GET", f"/api/studies/{server.studies()[0]['id']}/stream", headers=headers)
        response = stream.getresponse()
        assert response.readline() == b"event: ready\n"
        code, took = server.end(signal.SIGTERM)
        stream.close()
        assert code == 0
        assert took < 5
        assert server.stdout.endswith("Stopped.\n")
        assert server.stderr == ""
        assert not list(tmp_path.glob("anchorpbo-*"))


def test_a_demo_in_a_database_of_ones_own_is_kept_and_made_once(tmp_path):
    db = str(tmp_path / "mine.db")
    for _ in range(2):
        with Server(tmp_path, "--demo", "--db", db, TMPDIR=str(tmp_path)) as server:
            assert [one["answers"] for one in server.studies()] == [12, 0, 0]
            assert f"Studies are kept in {db}" in server.stdout
            assert not list(tmp_path.glob("anchorpbo-*"))
            with server.get("/login") as page:
                assert b"deleted when the server stops" not in page.read()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_process_is_left_however_it_ends(tmp_path, number):
    with Server(tmp_path, "--db", "mine.db", "--workers", 2) as server:
        make = [sys.executable, "-m", "anchorpbo", "study", "new", "--example", "poster", "--db", "mine.db"]
        subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)
        assert server.json(f"/api/studies/{server.studies()[0]['id']}/ask", b"{}")["id"]
        workers = [int(name) for name in os.listdir("/proc") if name.isdecimal() and parent(name) == server.process.pid]
        assert 1 <= len(workers) <= 2
        code, took = server.end(number)
        assert code == (-number if number == signal.SIGKILL else 0)
        assert took < 10
        until = time.monotonic() + TIMEOUT
        while any(map(is_running, workers)):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert server.stderr == ""


def test_no_process_is_started_where_none_is_wanted(tmp_path):
    with Server(tmp_path, "--db", "mine.db", "--workers", 0) as server:
        assert server.studies() == []
        if os.path.isdir("/proc/self"):
            assert not [name for name in os.listdir("/proc") if name.isdecimal() and parent(name) == server.process.pid]


def parent(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("PPid:"))
    except OSError:
        return 0


def test_what_was_answered_is_there_the_next_time(tmp_path):
    for begun in (False, True):
        with Server(tmp_path, "--db", "mine.db") as server:
            assert [one["answers"] for one in server.studies()] == ([1] if begun else [])
            if not begun:
                make = [sys.executable, "-m", "anchorpbo", "study", "new", "--example", "poster", "--db", "mine.db"]
                subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)
                duel = [sys.executable, "-m", "anchorpbo", "duel", "poster", "--db", "mine.db"]
                subprocess.run(duel, cwd=tmp_path, check=True, capture_output=True, input=b"1\n")
            assert server.end(signal.SIGTERM)[0] == 0


def test_a_database_of_a_newer_release_is_refused(tmp_path):
    make = [sys.executable, "-m", "anchorpbo", "study", "list", "--db", "newer.db"]
    subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)
    with closing(sqlite3.connect(tmp_path / "newer.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    server = Server(tmp_path, "--db", "newer.db")
    assert server.process.wait(TIMEOUT) == 1
    assert server.stderr.startswith("anchorpbo: ")
    assert "newer release" in server.stderr
    assert "ready" not in server.stdout


SLOW = """
import os, signal, threading, time, urllib.request
from fastapi import FastAPI
from anchorpbo.app.cli.serve import _exit_after_shutdown
from anchorpbo.app.web.server import listen, run

app, sockets = FastAPI(), listen("127.0.0.1", 0)

@app.get("/")
def think():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)

def ready():
    address = "http://127.0.0.1:%d/" % sockets[0].getsockname()[1]
    threading.Thread(target=urllib.request.urlopen, args=(address,), daemon=True).start()

run(app, sockets, ready, lambda: _exit_after_shutdown(None))
"""


def test_a_long_computation_does_not_keep_it_from_ending():
    began = time.monotonic()
    # Less than the computation takes, and time for a busy machine to begin.
    assert subprocess.run([sys.executable, "-c", SLOW], capture_output=True, timeout=50, check=False).returncode == 0
    assert time.monotonic() - began < 45


# -- without a process ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        (ServeOptions(names=("http://x",)), InputError, "--name must be a host name"),
        (
            ServeOptions(host="0.0.0.0", port=0, token=False),
            InputError,
            "--no-token must go with.*0.0.0.0.*listen on 127",
        ),
        (ServeOptions(names=("a.example",), port=0, token=False), InputError, "--no-token must go with .* a.example"),
        (ServeOptions(host="203.0.113.7", port=0), InputError, "--host must be an address of this machine"),
        (ServeOptions(host="no such host", port=0), InputError, "--host must be an address of this machine"),
    ],
)
def test_wishes_that_cannot_be_met_are_told(options, kind, says):
    with pytest.raises(kind, match=f"(?s){says}"):
        run(options)


@pytest.mark.parametrize("token", ["too-short", "with a space in the middle", "ümläuts-are-not-for-headers"])
def test_a_token_must_be_long_and_fit_a_header(monkeypatch, token, tmp_path):
    monkeypatch.setenv("ANCHORPBO_TOKEN", token)
    with pytest.raises(InputError, match="ANCHORPBO_TOKEN must be") as problem:
        run(ServeOptions(db=str(tmp_path / "x.db"), port=0))
    assert token not in str(problem.value)


def test_no_token_and_a_token_contradict(monkeypatch):
    monkeypatch.setenv("ANCHORPBO_TOKEN", "a-token-of-my-own-that-is-long")
    with pytest.raises(InputError, match="--no-token must go without a token"):
        run(ServeOptions(port=0, token=False))


def test_a_token_that_cannot_be_kept_is_for_one_start(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder", "utf-8")
    monkeypatch.delenv("ANCHORPBO_TOKEN", raising=False)
    monkeypatch.setenv("ANCHORPBO_HOME", str(tmp_path / "file" / "home"))
    first, second = find_token(keep=True), find_token(keep=True)
    assert first.value != second.value
    assert (first.path, first.is_given) == (None, False)


def test_a_kept_token_must_be_one(monkeypatch, tmp_path):
    monkeypatch.delenv("ANCHORPBO_TOKEN", raising=False)
    monkeypatch.setenv("ANCHORPBO_HOME", str(tmp_path))
    for wrong in ("", "fifteen-letters", "sixteen letters!"):
        (tmp_path / "token").write_text(wrong, "utf-8")
        with pytest.raises(InputError, match=r"token must be 16 or more .* remove the file"):
            find_token(keep=True)
    (tmp_path / "token").write_text("sixteen-letters!\n", "utf-8")
    assert find_token(keep=True).value == "sixteen-letters!"


def test_servers_that_start_at_once_agree_on_a_token(monkeypatch, tmp_path):
    monkeypatch.delenv("ANCHORPBO_TOKEN", raising=False)
    monkeypatch.setenv("ANCHORPBO_HOME", str(tmp_path / "home"))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: find_token(keep=True).value, range(32)))
    assert len(found) == 1
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["token"]


BROWSER = """\
import sys, urllib.request
from pathlib import Path
Path("opened").write_text(sys.argv[1], "utf-8")
class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None
try:
    urllib.request.build_opener(NoRedirect).open(sys.argv[1], timeout=60)
except urllib.error.HTTPError as response:
    Path("answered").write_text(f"{response.code} {response.headers['location']}", "utf-8")
"""


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_browser_is_signed_in_by_an_address_that_does_not_show_the_token(tmp_path, host):
    (tmp_path / "browser.py").write_text(BROWSER, "utf-8")
    command = f"{sys.executable} {tmp_path / 'browser.py'} %s"
    with Server(tmp_path, "--host", host, "--open", "--db", "mine.db", BROWSER=command) as server:
        answered, until = tmp_path / "answered", time.monotonic() + 60
        while not (answered.exists() and answered.read_text("utf-8")):
            assert time.monotonic() < until, server.stderr
            time.sleep(0.05)
        assert answered.read_text("utf-8") == "303 /"
        opened = (tmp_path / "opened").read_text("utf-8")
        assert opened.startswith(f"http://127.0.0.1:{server.port}/login?once=")
        assert server.token not in opened
        assert server.status(opened.partition(str(server.port))[2]) == 401  # it was used
        assert opened.partition("=")[2] not in server.stdout + server.stderr


def test_without_a_token_a_browser_is_opened_on_the_first_page(tmp_path):
    (tmp_path / "browser.py").write_text(BROWSER, "utf-8")
    command = f"{sys.executable} {tmp_path / 'browser.py'} %s"
    with Server(tmp_path, "--open", "--no-token", "--db", "mine.db", BROWSER=command) as server:
        opened, until = tmp_path / "opened", time.monotonic() + 60
        while not (opened.exists() and opened.read_text("utf-8")):
            assert time.monotonic() < until, server.stderr
            time.sleep(0.05)
        assert opened.read_text("utf-8") == f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize(("length", "warned"), [(31, True), (32, False)])
def test_a_short_token_is_warned_about(tmp_path, length, warned):
    with Server(tmp_path, "--db", "mine.db", ANCHORPBO_TOKEN="t" * length) as server:
        assert server.studies() == []
        assert ("Warning: the token has fewer than 32 characters" in server.stdout) == warned


def test_a_name_that_others_call_needs_a_token_also_on_loopback(tmp_path):
    with Server(tmp_path, "--name", "studies.example.org") as server:
        assert "#token=" in server.link
        assert server.status("/api/studies") == 401


def test_a_port_is_held_from_the_start():
    (first, *others) = listen("127.0.0.1", 0)
    port = first.getsockname()[1]
    assert not others
    with closing(first), pytest.raises(RunError, match=rf"port {port} of 127.0.0.1.*try --port \d+"):
        listen("127.0.0.1", port)


def test_all_addresses_of_a_host_share_a_port():
    sockets = listen("localhost", 0)
    assert len({each.getsockname()[1] for each in sockets}) == 1
    for each in sockets:
        each.close()


def test_lines_of_the_log_are_discreet():
    record = logging.LogRecord("x", 20, "x", 1, '%s "GET %s HTTP" %d', ("::1", "/login?token=abc", 200), None)
    assert SecretFilter().filter(record)
    assert record.getMessage() == '::1 "GET /login HTTP" 200'
