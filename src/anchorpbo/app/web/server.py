"""The server: binds sockets first, keeps secrets out of the log and shuts down within seconds.

Connections are limited in time and number. A connection is dropped if its headers are not complete within
`HEADER_SECONDS` seconds, or its body within `BODY_SECONDS` seconds plus one per `BODY_BYTES_PER_SECOND` bytes.
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

GRACEFUL_SHUTDOWN_SECONDS = 2
"""Time limit for open requests after a stop signal, in seconds."""
_PORTS_TRIED = 50
"""Number of ports tried to suggest a free one."""
_ATTEMPTS = 5


# -- sockets ----------------------------------------------------------------------------------------------------------


def listen(host: str, port: int) -> list[socket.socket]:
    """Open sockets on all addresses of a host; port 0 takes a free one."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return _listen(host, port)
        except RunError:
            if port:
                raise
    return _listen(host, port)  # a free port of one address was repeatedly taken at another


def _listen(host: str, port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    refusal: OSError | None = None
    for family, (name, *rest) in _addresses(host, port):
        # With port 0, all addresses use the same port.
        number = sockets[0].getsockname()[1] if sockets else port
        address = (name, number, *rest[1:])
        try:
            sockets.append(_bind(family, address))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                for each in sockets:
                    each.close()
                raise _port_error(host, port, error) from error
            refusal = error  # such as an IPv6 address without IPv6
    if not sockets:
        remedy = "write 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses"
        raise InputError("--host must be an address of this machine", f"{host}: {refusal}", remedy)
    return sockets


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        remedy = "write 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses"
        raise InputError("--host must be an address of this machine", f"{host}: {error}", remedy) from error
    # IPv4 first, since the printed URL uses it.
    distinct = dict.fromkeys((family, address) for family, _, _, _, address in found)
    return sorted(distinct, key=lambda one: one[0] != socket.AF_INET)


def _bind(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    # With the protocol number asyncio recognises TCP and sets TCP_NODELAY.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows it would let two servers share a port
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


def _port_error(host: str, port: int, error: OSError) -> RunError:
    if error.errno == errno.EACCES:
        return RunError(f"this user must be allowed to listen on port {port}", error.strerror, "try --port 8000")
    received = f"port {port} of {host}, which another program uses"
    return RunError("the port must be free", received, f"end that program, or try --port {_find_free_port(host, port)}")


def _find_free_port(host: str, port: int) -> int:
    """Return a free port: one of the next ones if possible, else any."""
    for other in [*range(port + 1, min(port + 1 + _PORTS_TRIED, 65_536)), 0]:
        with suppress(OSError, StopIteration):
            family, address = next(iter(_addresses(host, other)))
            with _bind(family, address) as bound:
                return int(bound.getsockname()[1])
    return 0


# -- running ----------------------------------------------------------------------------------------------------------


HEADER_SECONDS = 10.0
"""Seconds from the first byte of a request, or the beginning of its connection, to the end of its headers."""
BODY_SECONDS, BODY_BYTES_PER_SECOND = 60.0, 5_000.0
"""Seconds from the end of the headers to the end of the body, and bytes that extend them by one second."""
MAX_CONNECTIONS = 4_096
"""Maximum number of open connections, of about 20 kB each."""
OTHER_FILES = 256
"""Number of files that the process needs for the database, pipes to workers and others."""
SWITCH_INTERVAL = 5e-4
"""Switch interval of the interpreter in seconds. With the default of 5 ms, a thread that prefetches duels would delay a
request several times."""


def run(
    app: FastAPI,
    sockets: Sequence[socket.socket],
    on_ready: Callable[[], None],
    on_shutdown: Callable[[], None],
    *,
    verbose: bool = False,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then return.

    Parameters
    ----------
    on_ready
        Called when the server accepts requests.
    on_shutdown
        Called when the server begins to stop.
    verbose
        Whether each request is logged.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    most = min(MAX_CONNECTIONS, raise_file_limit(MAX_CONNECTIONS + OTHER_FILES) - OTHER_FILES)
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=_logging_config(),
        access_log=verbose,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_SECONDS,
    )
    # Uvicorn raises the signal that stopped it again at the end; it must then do nothing.
    before = signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        _Server(config, app, on_ready, on_shutdown, most).run(list(sockets))
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def raise_file_limit(wanted: int) -> int:
    """Raise the limit of open files to `wanted` if allowed, and return the limit."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are not files
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        return allowed
    return soft


class _ConnectionState(ServerState):
    """State shared by the connections of a server."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.max_connections = most
        """Limit of open connections."""
        self.waiting: dict[Connection, None] = {}
        """Connections with an incomplete request, longest waiting first."""


class Connection(H11Protocol):
    """A connection that is dropped if a request is incomplete at its deadline."""

    server_state: _ConnectionState
    _deadline: asyncio.TimerHandle | None = None
    _body_since: float | None = None
    """Time at which the headers were complete, while the body is not."""
    _received = 0
    """Bytes received of the body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the header deadline; above the connection limit, drop the connection that has waited longest."""
        super().connection_made(transport)
        self._await_headers()
        if len(self.connections) > self.server_state.max_connections and self.server_state.waiting:
            next(iter(self.server_state.waiting)).drop()

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a body."""
        self._received += len(data)
        super().data_received(data)

    def handle_events(self) -> None:
        """Handle received data, then set the deadline for the rest of the request."""
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

    def drop(self) -> None:
        """Drop the connection at once."""
        self._stop_waiting()
        self.transport.abort()

    def _await_headers(self) -> None:
        if self._deadline is None or self._body_since is not None:
            self._wait_until(self.loop.time() + HEADER_SECONDS)
            self._body_since = None

    def _await_body(self) -> None:
        if self._body_since is None:
            self._body_since, self._received = self.loop.time(), 0
        self._wait_until(self._body_since + BODY_SECONDS + self._received / BODY_BYTES_PER_SECOND)

    def _wait_until(self, deadline: float) -> None:
        """Set the deadline and move the connection to the end of the waiting list."""
        self._cancel()
        self._deadline = self.loop.call_at(deadline, self.drop)
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
        self,
        config: uvicorn.Config,
        app: FastAPI,
        on_ready: Callable[[], None],
        on_shutdown: Callable[[], None],
        most: int,
    ) -> None:
        super().__init__(config)
        self.server_state = _ConnectionState(most)
        self._app, self._ready, self._leaving = app, on_ready, on_shutdown

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leaving()
        self._app.state.watcher.close()  # ends event streams; otherwise the shutdown would wait for them
        await super().shutdown(sockets)


# -- the log ----------------------------------------------------------------------------------------------------------

_QUERY = re.compile(r"(/[^\s?\"]*)\?[^\s\"]*")
_LINK = re.compile(r"/join/[^\s\"]*")


class SecretFilter(logging.Filter):
    """Filter that removes secrets from log lines: query strings and participants' links."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite a log line."""
        record.msg, record.args = _LINK.sub("/join/...", _QUERY.sub(r"\1", record.getMessage())), None
        return True


def _logging_config() -> dict[str, Any]:
    """Return a logging configuration that logs warnings, and requests if enabled, to standard error."""
    handlers = {"handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
        "filters": {"discreet": {"()": SecretFilter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["discreet"]}},
        "loggers": {
            "uvicorn": {**handlers, "level": "WARNING"},
            "uvicorn.access": {**handlers, "level": "INFO"},
            "anchorpbo": {**handlers, "level": "WARNING"},
        },
    }
