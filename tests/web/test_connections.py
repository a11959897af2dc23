"""Connections that never become requests: how long they stay, and how many of them keep nobody else out."""

import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing

import pytest

from anchorpbo.web import server as serving
from support.server_process import Server

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of open files")
HALF = b"GET /api/studies HTTP/1.1\r\nHost: 127.0.0.1\r\n"
MANY = 2_000


@pytest.fixture
def many_files():
    """Room for many connections in this process as well."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < MANY + 500:
        pytest.skip(f"this user may open {before[1]} files; the test needs {MANY + 500}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], MANY + 500), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Narrow(Server):
    """A server that is started where few files may be open, as is usual."""

    def start(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, before[1]))
        try:
            return super().start()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def is_closed(connection):
    """Whether the other side has ended it."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_two_thousand_half_open_connections_keep_nobody_out(many_files, tmp_path):
    with Narrow(f"sqlite:///{tmp_path / 'studies.db'}", "--workers", "0") as server, ExitStack() as stack:
        half_open = []
        began = time.monotonic()
        for _ in range(MANY):
            connection = stack.enter_context(closing(connect(server.port)))
            connection.sendall(HALF)
            half_open.append(connection)
        took = time.monotonic() - began
        assert server.get("/api/studies") == []
        if took < serving.HEADERS_WITHIN / 2:  # on a machine that is not too busy to tell
            assert not any(map(is_closed, half_open))  # they are held, while they have time
        until = time.monotonic() + serving.HEADERS_WITHIN + 60
        while not all(map(is_closed, half_open)):
            assert time.monotonic() < until
            time.sleep(0.2)
        assert server.get("/api/studies") == []


QUICK = """
import sys
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from anchorpbo.web import server

server.HEADERS_WITHIN, server.MOST_CONNECTIONS = float(sys.argv[1]), int(sys.argv[2])
app, sockets = FastAPI(), server.listen("127.0.0.1", 0)

@app.get("/")
def home():
    return "home"

@app.get("/stream")
def stream():
    async def text():
        import asyncio
        for n in range(200):
            yield f"{n}\\n"
            await asyncio.sleep(0.05)
    return StreamingResponse(text())

server.run(app, sockets, lambda: print(sockets[0].getsockname()[1], flush=True), lambda: None)
"""


@pytest.fixture
def quick():
    """Start a server that waits for headers for so long, with so many connections; its port."""
    with ExitStack() as stack:

        def start(seconds, most=100):
            command = [sys.executable, "-c", QUICK, str(seconds), str(most)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.terminate)
            return int(process.stdout.readline())

        yield start


def request(connection, path="/"):
    """Send a whole request on an open connection; what comes back, up to the body."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    found = b""
    while b"home" not in found:
        more = connection.recv(1000)
        assert more, found
        found += more
    return found


def ends(connection, seconds=30.0):
    """Wait until the other side ends a connection."""
    connection.settimeout(seconds)
    try:
        while connection.recv(1000):
            pass
    except ConnectionError:
        pass
    return True


def test_headers_must_be_complete_in_time(quick):
    port = quick(0.5)
    with closing(connect(port)) as silent, closing(connect(port)) as slow, closing(connect(port)) as second:
        slow.sendall(HALF)
        assert b"200 OK" in request(second)  # a second request on one connection has a time of its own
        second.sendall(HALF)
        for n in range(200):  # a byte now and then does not help
            try:
                slow.sendall(f"X-{n}: y\r\n".encode())
            except ConnectionError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("headers went on for ten seconds")
        assert ends(silent)
        assert ends(second)


def test_answers_may_take_longer(quick):
    port = quick(0.5)
    with closing(connect(port)) as stream:
        stream.sendall(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        stream.settimeout(60)
        found = b""
        while b"199\n" not in found:
            found += stream.recv(1000)


def test_where_there_are_too_many_the_oldest_half_open_one_goes(quick):
    port = quick(600.0, 20)
    with ExitStack() as stack:
        stream = stack.enter_context(closing(connect(port)))
        stream.sendall(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert stream.recv(15) == b"HTTP/1.1 200 OK"
        half_open = []
        for _ in range(40):
            half_open.append(stack.enter_context(closing(connect(port))))
            half_open[-1].sendall(HALF)
        with closing(connect(port)) as someone:
            assert b"200 OK" in request(someone)
            assert all(ends(one) for one in half_open[:21])
            assert not any(map(is_closed, half_open[22:]))
        assert stream.recv(10)  # whoever is being answered stays


def test_the_limit_of_open_files_is_raised_as_far_as_allowed():
    program = (
        "import resource, sys; from anchorpbo.web.server import raise_file_limit\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))\n"
        "print(raise_file_limit(500), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    for soft, hard, expected in [(200, 600, "500 500 600"), (200, 300, "300 300 300"), (550, 600, "500 550 600")]:
        command = [sys.executable, "-c", program, str(soft), str(hard)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == expected
