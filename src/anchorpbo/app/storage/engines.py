"""How SQLite and PostgreSQL are connected to.

SQLite: a write-ahead log, so that readers and the one writer do not wait for each other; each commit is on the disk
before it returns; whoever means to write says so at the start (BEGIN IMMEDIATE), so that no transaction is turned down
half-way.

PostgreSQL: writers run at READ COMMITTED, where a statement sees what was committed before it began, so also what was
committed while it waited for a lock. Readers run at REPEATABLE READ: all statements of a transaction see the same
snapshot, as in SQLite. Connections are tried before use, so that a restart of the server goes unnoticed.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from anchorpbo.app.storage.places import Place
from anchorpbo.errors import DataError, InputError

WAIT = 10.0
"""Seconds to wait for a lock, or for a server to answer."""

_WRITES = "anchorpbo_writes"


class Database:
    """Connections to one database, and transactions on them. Safe to use from several threads, and after a fork.

    Parameters
    ----------
    reader, writer
        Engines that share a pool of connections.
    place
        Where the database is.
    """

    def __init__(self, reader: Engine, writer: Engine, place: Place) -> None:
        self.place = place
        self._reader, self._writer = reader, writer
        self._process, self._closed = os.getpid(), False
        self._left: list[object] = []

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction for reading, whose statements all see the same snapshot."""
        with self._begun(self._reader) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept for good when it ends, or leaves nothing where something is raised."""
        with self._begun(self._writer) as connection:
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self._closed = True
        self._reader.dispose()

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        if self._closed:
            raise DataError("a closed storage keeps nothing", self.place.shown, "open it again")
        if os.getpid() != self._process:
            # These connections are the parent's: not to be used here, nor to be closed.
            self._left.append(self._reader.pool)
            self._reader.dispose(close=False)
            self._process = os.getpid()
        with self.place.guarded(), engine.begin() as connection:
            yield connection


# -- SQLite -----------------------------------------------------------------------------------------------------------


def sqlite_database(path: Path) -> Database:
    """A file, made where there is none."""
    place = Place(str(path), file=path)
    _make_file(path)
    with place.guarded():
        _keep_a_log(path)
        url = URL.create("sqlite", database=str(path.absolute()))
        engine = create_engine(url, connect_args={"timeout": WAIT}, hide_parameters=True)
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return Database(engine, engine.execution_options(**{_WRITES: True}), place)


def _make_file(path: Path) -> None:
    """Make an empty file that only its owner can read: it will hold the secrets that links are signed with."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if path.is_dir():
            raise DataError("a database must be a file", f"the folder {path}", "name a file in it") from None
    except (OSError, ValueError) as problem:
        rule = "the folder of a database must be there and open to this user"
        raise DataError(rule, problem, "make the folder, allow this user to write to it, or name another one") from None


def _keep_a_log(path: Path) -> None:
    """Switch to a write-ahead log, once for good. SQLite does not wait here when others are about the same."""
    give_up = time.monotonic() + WAIT
    with closing(sqlite3.connect(path, timeout=min(WAIT, 0.1), isolation_level=None)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL").fetchall()
                return
            except sqlite3.OperationalError as problem:
                if not problem.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > give_up:
                    raise
            time.sleep(0.02)


def _on_sqlite_connect(connection: Any, record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing; `_on_sqlite_begin` does
    connection.execute("PRAGMA foreign_keys=ON").close()
    connection.execute("PRAGMA synchronous=FULL").close()


def _on_sqlite_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


def postgresql_database(address: str) -> Database:
    """A database on a server."""
    url = _parsed(address)
    shown = URL.create("postgresql", username=url.username, host=url.host, port=url.port, database=url.database)
    place = Place(
        shown.render_as_string(), tuple(str(each) for each in (url.password, url.query.get("password")) if each)
    )
    options = {"connect_timeout": int(WAIT), "fallback_application_name": "anchorpbo"}
    with place.guarded():
        engine = create_engine(
            url,
            connect_args={name: value for name, value in options.items() if name not in url.query},
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            hide_parameters=True,
        )
    event.listen(engine, "connect", _on_postgresql_connect)
    # Without postgresql_readonly: connections go back to the pool as READ WRITE, also where the server says read only.
    return Database(engine.execution_options(isolation_level="REPEATABLE READ"), engine, place)


def _parsed(address: str) -> URL:
    rule = "the address of a server must be postgresql://user:password@host:port/database"
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise InputError(rule, None, "correct it; it is not shown here since it may hold a password") from None
    if "@" in (url.host or "") or "@" in (url.database or ""):
        raise InputError(rule, "more than one @", "write %40 for an @ in a password")
    return url


def _on_postgresql_connect(connection: Any, record: object) -> None:
    """Wait for locks as long as SQLite does, and for the disk also where the server is set not to."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('TimeZone', 'UTC', false), set_config('lock_timeout', %s, false)",
            [f"{WAIT * 1000:.0f}ms"],
        )
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    connection.commit()
