"""Runs an app: sockets that are bound before anything else is done, a log that keeps secrets, an end within seconds.

Connections are limited in time and number. A connection is dropped if its headers are not complete within
`HEADERS_WITHIN` seconds, or its body within `BODY_WITHIN` seconds plus one for each `BODY_RATE` bytes received.
Above the connection limit, the connection that has waited longest for the rest of its request is dropped.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from anchorpbo.errors import InputError, RunError

PATIENCE = 2
"""Seconds that requests may go on for once the server is to stop."""
_NEIGHBOURS = 50
"""Ports looked at for one that is free."""
_ATTEMPTS = 5


# -- sockets ----------------------------------------------------------------------------------------------------------


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen on all addresses of a host; port 0 stands for one that is free."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return _listen(host, port)
        except RunError:
            if port:
                raise
    return _listen(host, port)  # a port that one address had free was taken at another, time and again


def _listen(host: str, port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    refusal: OSError | None = None
    for family, (name, *rest) in _addresses(host, port):
        # Where any port will do, it is the same one for all addresses.
        number = sockets[0].getsockname()[1] if sockets else port
        address = (name, number, *rest[1:])
        try:
            sockets.append(_bound(family, address))
        except OSError as problem:
            if problem.errno in (errno.EADDRINUSE, errno.EACCES):
                for each in sockets:
                    each.close()
                raise _taken(host, port, problem) from problem
            refusal = problem  # such as an IPv6 address where there is no IPv6
    if not sockets:
        remedy = "write 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses"
        raise InputError("--host must be an address of this machine", f"{host}: {refusal}", remedy)
    return sockets


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as problem:
        remedy = "write 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses"
        raise InputError("--host must be an address of this machine", f"{host}: {problem}", remedy) from problem
    # IPv4 first: what the address that is printed leads to.
    distinct = dict.fromkeys((family, address) for family, _, _, _, address in found)
    return sorted(distinct, key=lambda one: one[0] != socket.AF_INET)


def _bound(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    # By its protocol's number asyncio knows that it is TCP, and sends small answers without waiting for more.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            both = address[0] == "::" and socket.has_dualstack_ipv6()
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if both else 1)
        bound.bind(address)
        bound.listen(128)
        bound.set_inheritable(False)
    except OSError:
        bound.close()
        raise
    return bound


def _taken(host: str, port: int, problem: OSError) -> RunError:
    if problem.errno == errno.EACCES:
        return RunError(f"port {port} must be one that this user may listen on", problem.strerror, "try --port 8000")
    received = f"port {port} of {host}, which another program uses"
    return RunError("the port must be free", received, f"end that program, or try --port {_free(host, port)}")


def _free(host: str, port: int) -> int:
    """A port to try instead: one of the next, or any."""
    for other in [*range(port + 1, min(port + 1 + _NEIGHBOURS, 65_536)), 0]:
        with suppress(OSError, StopIteration):
            family, address = next(iter(_addresses(host, other)))
            with _bound(family, address) as bound:
                return int(bound.getsockname()[1])
    return 0


# -- running ----------------------------------------------------------------------------------------------------------


HEADERS_WITHIN = 10.0
"""Seconds from the first byte of a request, or the beginning of its connection, to the end of its headers."""
BODY_WITHIN, BODY_RATE = 60.0, 5_000.0
"""Seconds from the end of the headers to the end of the body, and bytes that extend them by one second."""
MOST_CONNECTIONS = 4_096
"""Of some 20 kB each."""
OTHER_FILES = 256
"""Files that the process needs for other things: the database, pipes to workers, what it reads."""
SWITCH = 5e-4
"""Seconds for which one thread may keep the others waiting. A request gives way several times, and whoever looks ahead
would each time keep it for Python's own 5 ms."""


def run(
    app: FastAPI,
    sockets: Sequence[socket.socket],
    ready: Callable[[], None],
    leaving: Callable[[], None],
    *,
    verbose: bool = False,
) -> None:
    """Serve until Ctrl-C or SIGTERM, which end it in the same way: by returning.

    Parameters
    ----------
    ready
        Called once requests are answered.
    leaving
        Called once it is to stop.
    verbose
        Whether each request is written to the log.
    """
    sys.setswitchinterval(SWITCH)
    most = min(MOST_CONNECTIONS, raise_file_limit(MOST_CONNECTIONS + OTHER_FILES) - OTHER_FILES)
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=_logging(),
        access_log=verbose,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=PATIENCE,
    )
    # Uvicorn sends itself the signal that stopped it once more, when all is done: then it is to do nothing.
    before = signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        _Server(config, app, ready, leaving, most).run(list(sockets))
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def raise_file_limit(wanted: int) -> int:
    """Let this process open so many files, connections among them, or as many as it may; how many that is."""
    try:
        import resource
    except ImportError:  # not on this platform, where sockets are no files
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        return allowed
    return soft


class _State(ServerState):
    """State that the connections of a server share."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        """Connections that are held."""
        self.waiting: dict[Connection, None] = {}
        """Connections whose request is not complete; the one that has waited longest comes first."""


class Connection(H11Protocol):
    """A connection that is dropped if a request is not complete in time."""

    server_state: _State
    _deadline: asyncio.TimerHandle | None = None
    _body_since: float | None = None
    """When the headers were complete, while the body is not."""
    _received = 0
    """Bytes of the body so far."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the header deadline; above the connection limit, drop the connection that has waited longest."""
        super().connection_made(transport)
        self._await_headers()
        if len(self.connections) > self.server_state.most and self.server_state.waiting:
            next(iter(self.server_state.waiting)).give_up()

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a body."""
        self._received += len(data)
        super().data_received(data)

    def handle_events(self) -> None:
        """Handle what was received, then set the deadline for the rest of the request, or none if it is complete."""
        super().handle_events()
        if self.conn.their_state is h11.SEND_BODY:
            self._await_body()
        elif self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            self._await_headers()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop_waiting()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Drop the connection at once."""
        self._stop_waiting()
        self.transport.abort()

    def _await_headers(self) -> None:
        if self._deadline is None or self._body_since is not None:
            self._wait_until(self.loop.time() + HEADERS_WITHIN)
            self._body_since = None

    def _await_body(self) -> None:
        if self._body_since is None:
            self._body_since, self._received = self.loop.time(), 0
        self._wait_until(self._body_since + BODY_WITHIN + self._received / BODY_RATE)

    def _wait_until(self, deadline: float) -> None:
        """Set the deadline, as the one that has waited for the shortest time."""
        self._cancel()
        self._deadline = self.loop.call_at(deadline, self.give_up)
        self.server_state.waiting[self] = None

    def _stop_waiting(self) -> None:
        self._body_since = None
        self._cancel()

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            del self.server_state.waiting[self]


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None], leaving: Callable[[], None], most: int
    ) -> None:
        super().__init__(config)
        self.server_state = _State(most)
        self._app, self._ready, self._leaving = app, ready, leaving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leaving()
        # Open event streams end by themselves when they see this; else they would be waited for.
        self._app.state.closing = True
        await super().shutdown(sockets)


# -- the log ----------------------------------------------------------------------------------------------------------

_QUERY = re.compile(r"(/[^\s?\"]*)\?[^\s\"]*")
_LINK = re.compile(r"/join/[^\s\"]*")


class Discreet(logging.Filter):
    """Leaves out what lets someone in: what follows a ? in an address, and participants' links."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite a line of the log."""
        record.msg, record.args = _LINK.sub("/join/...", _QUERY.sub(r"\1", record.getMessage())), None
        return True


def _logging() -> dict[str, Any]:
    """Warnings to standard error; requests too, where they are logged at all."""
    handlers = {"handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
        "filters": {"discreet": {"()": Discreet}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["discreet"]}},
        "loggers": {
            "uvicorn": {**handlers, "level": "WARNING"},
            "uvicorn.access": {**handlers, "level": "INFO"},
            "anchorpbo": {**handlers, "level": "WARNING"},
        },
    }
