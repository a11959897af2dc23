"""A proxy in front of PostgreSQL that drops notifications, as a connection pool in transaction mode does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from threading import Thread

from sqlalchemy import make_url

_NOTIFICATION = b"A"


@contextmanager
def deaf_proxy(url: str) -> Iterator[str]:
    """Yield the address of a database through a proxy that drops notifications; everything else passes."""
    address = make_url(url)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_accept, args=(listening, (address.host, address.port)), daemon=True).start()
        # Without encryption, so that the proxy can read the server's messages.
        options = {"sslmode": "disable", "gssencmode": "disable"}
        through = address.set(port=listening.getsockname()[1]).update_query_dict(options)
        try:
            yield through.render_as_string(hide_password=False)
        finally:
            listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, target: tuple[str | None, int | None]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            server = socket.create_connection(target)  # type: ignore[arg-type]
            for run, source, sink in ((_copy, client, server), (_copy_without_notifications, server, client)):
                Thread(target=_run, args=(run, source, sink), daemon=True).start()


def _run(copy: object, source: socket.socket, sink: socket.socket) -> None:
    assert callable(copy)
    with suppress(OSError, EOFError), closing(source):
        try:
            copy(source, sink)
        finally:
            sink.shutdown(socket.SHUT_RDWR)


def _copy(source: socket.socket, sink: socket.socket) -> None:
    while data := source.recv(65_536):
        sink.sendall(data)


def _copy_without_notifications(source: socket.socket, sink: socket.socket) -> None:
    """Copy messages: a byte for the type, four for the length including themselves, the content."""
    with source.makefile("rb") as stream:
        while head := stream.read(5):
            content = stream.read(int.from_bytes(head[1:], "big") - 4)
            if head[:1] != _NOTIFICATION:
                sink.sendall(head + content)
