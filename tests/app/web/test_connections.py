"""Connections whose requests are never complete: how long they stay, and how many of them keep nobody else out."""

import json
import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of open files")
HALF = b"GET /api/studies HTTP/1.1\r\nHost: 127.0.0.1\r\n"
UNFINISHED = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nto"
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


QUICK = """
import json, resource, sys
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from anchorpbo.app.web import server

limits = json.loads(sys.argv[1])
server.HEADER_SECONDS, server.BODY_SECONDS = limits["headers"], limits["body"]
server.BODY_BYTES_PER_SECOND = limits["rate"]
server.MAX_CONNECTIONS = limits["most"]
if limits["files"]:
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["files"], resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
app, sockets = FastAPI(), server.listen("127.0.0.1", 0)

@app.get("/")
def home():
    return "home"

@app.post("/login")
async def login(request: Request):
    return f"home of {len(await request.body())}"

@app.post("/unread")
def unread():
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
    """Start a server with these limits; its port."""
    with ExitStack() as stack:

        def start(headers=600.0, body=600.0, rate=100.0, most=100, files=None):
            limits = {"headers": headers, "body": body, "rate": rate, "most": most, "files": files}
            command = [sys.executable, "-c", QUICK, json.dumps(limits)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.terminate)
            return int(process.stdout.readline())

        yield start


def request(connection, path="/"):
    """Send a whole request on an open connection; what comes back, up to the body."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return response(connection)


def response(connection):
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


@pytest.mark.parametrize("beginning", [HALF, UNFINISHED], ids=["headers", "body"])
def test_two_thousand_half_open_connections_keep_nobody_out(many_files, quick, beginning):
    port = quick(headers=600.0, body=600.0, most=4_096, files=1_024)  # few files may be open, as is usual
    with ExitStack() as stack:
        half_open = [stack.enter_context(closing(connect(port))) for _ in range(MANY)]
        for connection in half_open:
            connection.sendall(beginning)
        with closing(connect(port)) as someone:
            assert b"200 OK" in request(someone)
        assert not any(map(is_closed, half_open))  # they are held, while they have time


@pytest.mark.parametrize("beginning", [HALF, UNFINISHED], ids=["headers", "body"])
def test_half_open_connections_are_gone_after_their_time(quick, beginning):
    port = quick(headers=0.5, body=0.5)
    with ExitStack() as stack:
        half_open = [stack.enter_context(closing(connect(port))) for _ in range(50)]
        for connection in half_open:
            connection.sendall(beginning)
        assert all(map(ends, half_open))
        with closing(connect(port)) as someone:
            assert b"200 OK" in request(someone)


def test_headers_must_be_complete_in_time(quick):
    port = quick(headers=0.5)
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


@pytest.mark.parametrize("path", ["/login", "/unread"])
def test_a_body_must_come_in_time(quick, path):
    port = quick(headers=0.5, body=0.5, rate=1_000.0)
    with closing(connect(port)) as slow:
        slow.sendall(UNFINISHED.replace(b"/login", path.encode()))
        for _ in range(600):  # a byte now and then does not help
            try:
                slow.sendall(b"x")
            except ConnectionError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("a body went on for half a minute")


def test_the_body_of_a_second_request_has_a_time_of_its_own(quick):
    port = quick(body=0.5)
    with closing(connect(port)) as twice:
        twice.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + UNFINISHED)  # at once, before the first answer
        assert b"200 OK" in response(twice)
        assert ends(twice)


def test_a_slow_upload_may_take_long_while_it_goes_on(quick):
    port = quick(headers=0.5, body=1.0, rate=100.0)
    with closing(connect(port)) as upload:
        upload.sendall(UNFINISHED)
        sent = 2
        while sent < 5000:  # three seconds and more
            part = b"x" * min(80, 5000 - sent)
            upload.sendall(part)
            sent += len(part)
            time.sleep(0.05)
        assert b"home of 5000" in response(upload)


def test_answers_may_take_longer(quick):
    port = quick(headers=0.5)
    with closing(connect(port)) as stream:
        stream.sendall(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        stream.settimeout(60)
        found = b""
        while b"199\n" not in found:
            found += stream.recv(1000)


@pytest.mark.parametrize("beginning", [HALF, UNFINISHED], ids=["headers", "body"])
def test_where_there_are_too_many_the_oldest_half_open_one_goes(quick, beginning):
    port = quick(most=20)
    with ExitStack() as stack:
        stream = stack.enter_context(closing(connect(port)))
        stream.sendall(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert stream.recv(15) == b"HTTP/1.1 200 OK"
        half_open = []
        for _ in range(40):
            half_open.append(stack.enter_context(closing(connect(port))))
            half_open[-1].sendall(beginning)
        with closing(connect(port)) as someone:
            assert b"200 OK" in request(someone)
            assert all(ends(one) for one in half_open[:21])
            assert not any(map(is_closed, half_open[22:]))
        assert stream.recv(10)  # whoever is being answered stays


def test_an_upload_that_goes_on_stays_where_there_are_too_many(quick):
    port = quick(most=20)
    with closing(connect(port)) as upload, ExitStack() as stack:
        upload.sendall(UNFINISHED)
        for _ in range(40):
            upload.sendall(b"x")
            half_open = stack.enter_context(closing(connect(port)))
            half_open.sendall(HALF)
            time.sleep(0.02)
        upload.sendall(b"x" * (5000 - 42))
        assert b"home of 5000" in response(upload)


def test_the_limit_of_open_files_is_raised_as_far_as_allowed():
    program = (
        "import resource, sys; from anchorpbo.app.web.server import raise_file_limit\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))\n"
        "print(raise_file_limit(500), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    for soft, hard, expected in [(200, 600, "500 500 600"), (200, 300, "300 300 300"), (550, 600, "500 550 600")]:
        command = [sys.executable, "-c", program, str(soft), str(hard)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == expected
