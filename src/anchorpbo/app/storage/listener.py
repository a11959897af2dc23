"""Detection of changes of a PostgreSQL database: `Listener`, with LISTEN and NOTIFY.

A write notifies the channel after its commit, in a transaction of its own that does not wait for the disk: PostgreSQL
holds a lock of the whole server while it commits a notification, so that within the transaction of the write all
writes would wait for each other's disk access. The listener has a connection of its own, which waits on its socket
and sends no statement. A new connection is trusted once it has received a probe, a notification sent through another
connection: behind a connection pool in transaction mode, such as pgbouncer's, LISTEN succeeds but no notification
arrives. Without a trusted connection `wait` returns true every `POLL_SECONDS`, so that readers poll, and the listener
connects again after increasing delays.
"""

from __future__ import annotations

import logging
import selectors
import socket
import time
from contextlib import suppress

import psycopg
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from anchorpbo.app.storage.changes import POLL_SECONDS, ChangeDetector

CHANNEL = "anchorpbo"
"""Channel of the notifications; their payload is empty."""
_NOTIFY = f"BEGIN; SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}; COMMIT"
"""Statement that notifies without waiting for the disk."""
PROBE_SECONDS = 2.0
"""Seconds within which a probe must arrive."""
FIRST_DELAY, MAX_DELAY = 1.0, 60.0
"""Seconds between two attempts to connect: the first delay, which doubles up to the last one."""

_LOG = logging.getLogger(__name__)


class Listener(ChangeDetector):
    """Detector of the changes of a PostgreSQL database.

    Parameters
    ----------
    engine
        Engine of the database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._trusted = False
        """Whether the connection has received a notification."""
        self._probe_ends = 0.0
        self._next_attempt, self._delay = 0.0, FIRST_DELAY
        self._waking, self._woken = socket.socketpair()
        self._waking.setblocking(False)
        self._woken.setblocking(False)

    def announce(self) -> None:
        """Send a notification, and wake the thread unless the notification does."""
        try:
            self._notify()
        except (SQLAlchemyError, UnicodeDecodeError) as error:
            _LOG.warning("other servers were not notified of a change: %s", type(error).__name__)
            self.wake()
        if not self._trusted:
            self.wake()

    def wait(self) -> bool:
        """Wait for a notification, or for `POLL_SECONDS` without a trusted connection."""
        if self._connection is None and time.monotonic() >= self._next_attempt:
            self._connect()
            return True  # there may have been changes before LISTEN
        try:
            received, woken = self._select(None if self._trusted else POLL_SECONDS)
        except (psycopg.Error, OSError) as error:
            _LOG.info("the connection that listens for changes was lost: %s", type(error).__name__)
            self.disconnect()
            return True
        if received:
            self._trusted, self._delay = True, FIRST_DELAY
        elif self._connection is not None and not self._trusted and time.monotonic() >= self._probe_ends:
            self._give_up("notifications do not arrive, as behind a connection pool in transaction mode")
        return received or woken or not self._trusted

    def wake(self) -> None:
        """Make `wait` return."""
        with suppress(OSError):  # the buffer is full: it will return anyway
            self._waking.send(b"x")

    def disconnect(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        self._trusted, self._next_attempt = False, 0.0
        if connection is not None:
            with suppress(SQLAlchemyError, psycopg.Error):
                connection.close()

    def close(self) -> None:
        """Close the connection and the sockets."""
        self.disconnect()
        self._waking.close()
        self._woken.close()

    def _connect(self) -> None:
        """Open a connection that listens, and send a probe through another one."""
        try:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._connection.detach()  # it no longer counts as one of the pool's, and closing it does not return it
            self._connection.exec_driver_sql(f"LISTEN {CHANNEL}")
            self._notify()
        except (SQLAlchemyError, UnicodeDecodeError) as error:  # the second: a message that the driver cannot decode
            self._give_up(f"the connection failed ({type(error).__name__})")
        else:
            self._probe_ends = time.monotonic() + PROBE_SECONDS

    def _notify(self) -> None:
        """Send a notification through a connection of the pool."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(_NOTIFY)

    def _give_up(self, reason: str) -> None:
        """Close the connection and poll until the next attempt."""
        if self._delay == FIRST_DELAY:
            _LOG.warning("changes by other servers are polled every %g s: %s", POLL_SECONDS, reason)
        self.disconnect()
        self._next_attempt = time.monotonic() + self._delay
        self._delay = min(2 * self._delay, MAX_DELAY)

    def _select(self, seconds: float | None) -> tuple[bool, bool]:
        """Wait for the connection or for `wake`; return whether notifications were received, and whether it woke."""
        driver = None if self._connection is None else self._connection.connection.dbapi_connection
        # Not `select.select`, which cannot wait for file descriptors above 1,023.
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            if driver is not None:
                selector.register(driver.fileno(), selectors.EVENT_READ)
            ready = {key.fileobj for key, _ in selector.select(seconds)}
        woken = self._woken in ready
        if woken:
            self._woken.recv(4096)
        received = driver is not None and len(ready) > woken and bool(list(driver.notifies(timeout=0)))
        return received, woken
