"""Connections to SQLite and PostgreSQL: transactions, and the errors of drivers translated to `DataError`.

SQLite uses a write-ahead log, so that readers and the one writer do not wait for each other. A commit returns when it
is on the disk. Writers begin with BEGIN IMMEDIATE, so that no transaction fails half-way because of a lock.

PostgreSQL: writers run at READ COMMITTED, so that a statement sees all commits before it began, including those made
while the transaction waited for a lock. Readers run at REPEATABLE READ: all statements of a transaction see the same
snapshot, as in SQLite. Connections are tested before use, so that a restart of the server causes no error.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from anchorpbo.app.storage import schema
from anchorpbo.app.storage.changes import ChangeDetector, ChangeFeed
from anchorpbo.app.storage.data_version import DataVersionDetector
from anchorpbo.errors import DataError, InputError

TIMEOUT_SECONDS = 10.0
"""Seconds to wait for a lock, or for a response of the server."""

_WRITES = "anchorpbo_writes"
_KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""TCP settings: the connection that listens for changes sends nothing, and notices a lost server within a minute."""


class Database:
    """Connections to one database, and transactions on them. Safe to use from several threads, and after a fork.

    Parameters
    ----------
    reader, writer
        Engines that share a pool of connections.
    address
        Address of the database.
    make_detector
        Function that returns a detector of the database's changes.
    """

    def __init__(
        self, reader: Engine, writer: Engine, address: DatabaseAddress, make_detector: Callable[[], ChangeDetector]
    ) -> None:
        self.address = address
        self._reader, self._writer = reader, writer
        self._make_detector = make_detector
        self._changes = ChangeFeed(make_detector())
        self._process, self._closed = os.getpid(), False
        self._inherited: list[object] = []

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Begin a transaction for reading; all its statements see the same snapshot."""
        with self._begin(self._reader) as connection:
            yield connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Begin a transaction for writing; it is committed at its end, and rolled back on an exception."""
        with self._begin(self._writer) as connection:
            yield connection
        self._changes.detector.announce()

    @contextmanager
    def watch(self, on_change: Callable[[], None]) -> Iterator[None]:
        """Call a function after each committed write, by any process, until the context exits."""
        self._check_usable()
        with self._changes.watch(on_change):
            yield

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        if os.getpid() == self._process:
            self._changes.close()
        self._reader.dispose()

    def _check_usable(self) -> None:
        """Raise if this is closed; replace what belongs to the parent after a fork."""
        if self._closed:
            raise DataError("a closed storage cannot be used", self.address.shown, "open it again")
        if os.getpid() != self._process:
            # After a fork these connections belong to the parent: do not use or close them here.
            self._inherited += [self._reader.pool, self._changes]
            self._reader.dispose(close=False)
            self._changes = ChangeFeed(self._make_detector())
            self._process = os.getpid()

    @contextmanager
    def _begin(self, engine: Engine) -> Iterator[Connection]:
        self._check_usable()
        with self.address.translate_errors(), engine.begin() as connection:
            yield connection


# -- SQLite -----------------------------------------------------------------------------------------------------------


def open_sqlite(path: Path) -> Database:
    """Open a SQLite file; create it if it is missing."""
    address = DatabaseAddress(str(path), file=path)
    _make_file(path)
    with address.translate_errors():
        _enable_wal(path)
        url = URL.create("sqlite", database=str(path.absolute()))
        engine = create_engine(url, connect_args={"timeout": TIMEOUT_SECONDS}, hide_parameters=True)
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    writer = engine.execution_options(**{_WRITES: True})
    return Database(engine, writer, address, lambda: DataVersionDetector(path))


def _make_file(path: Path) -> None:
    """Create an empty file that only its owner can read, because it will hold the secrets that sign links."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if path.is_dir():
            raise DataError("a database must be a file", f"the folder {path}", "name a file in it") from None
    except (OSError, ValueError) as error:
        rule = "the folder of a database must exist and be writable for this user"
        raise DataError(rule, error, "create the folder, allow this user to write to it, or name another one") from None


def _enable_wal(path: Path) -> None:
    """Switch the file to a write-ahead log. SQLite does not wait for other processes that do the same."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    with closing(sqlite3.connect(path, timeout=min(TIMEOUT_SECONDS, 0.1), isolation_level=None)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL").fetchall()
                return
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)


def _on_sqlite_connect(connection: Any, record: object) -> None:
    connection.isolation_level = None  # `_on_sqlite_begin` begins transactions instead of the driver
    connection.execute("PRAGMA foreign_keys=ON").close()
    connection.execute("PRAGMA synchronous=FULL").close()


def _on_sqlite_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


def open_postgresql(text: str) -> Database:
    """Open a database on a PostgreSQL server."""
    from anchorpbo.app.storage.listener import Listener  # needs the driver

    url = _parse_url(text)
    shown = URL.create("postgresql", username=url.username, host=url.host, port=url.port, database=url.database)
    address = DatabaseAddress(
        shown.render_as_string(), tuple(str(each) for each in (url.password, url.query.get("password")) if each)
    )
    options = {"connect_timeout": int(TIMEOUT_SECONDS), "fallback_application_name": "anchorpbo"} | _KEEPALIVES
    with address.translate_errors():
        engine = create_engine(
            url,
            connect_args={name: value for name, value in options.items() if name not in url.query},
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            hide_parameters=True,
        )
    event.listen(engine, "connect", _on_postgresql_connect)
    # Not with postgresql_readonly: connections would return to the pool as READ WRITE, even from a read-only server.
    reader = engine.execution_options(isolation_level="REPEATABLE READ")
    return Database(reader, engine, address, lambda: Listener(engine))


def _parse_url(text: str) -> URL:
    rule = "the address of a server must be postgresql://user:password@host:port/database"
    try:
        url = make_url(text).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise InputError(rule, None, "correct it; it is not shown here because it may contain a password") from None
    if "@" in (url.host or "") or "@" in (url.database or ""):
        raise InputError(rule, "more than one @", "write %40 for an @ in a password")
    return url


def _on_postgresql_connect(connection: Any, record: object) -> None:
    """Set the same lock timeout as for SQLite, and turn synchronous commits on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('TimeZone', 'UTC', false), set_config('lock_timeout', %s, false)",
            [f"{TIMEOUT_SECONDS * 1000:.0f}ms"],
        )
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    connection.commit()


# -- errors -----------------------------------------------------------------------------------------------------------

_TRY_AGAIN = "nothing was stored; end the program that holds the lock, or try again"
_READ_ONLY = "allow this user to write to it, or name another one"

_LOCKED = ("a database must not stay locked by another program", _TRY_AGAIN)
_CLOSED_OFF = ("a database must be writable", _READ_ONLY)
_DAMAGED = ("a database must not be damaged", "restore it from a backup, as docs/howto/backup.md says")
_FULL = ("the disk must be writable and have free space", "nothing was stored; make room, then try again")

_SQLITE_ERRORS = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_READONLY": _CLOSED_OFF,
    "SQLITE_PERM": _CLOSED_OFF,
    "SQLITE_AUTH": _CLOSED_OFF,
    "SQLITE_CANTOPEN": ("a database file and its folder must exist and be writable for this user", _READ_ONLY),
    "SQLITE_NOTADB": ("the file must be a SQLite database", "name another file; this one was not changed"),
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_FORMAT": _DAMAGED,
    "SQLITE_MISMATCH": _DAMAGED,
    "SQLITE_TOOBIG": _DAMAGED,
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR": _FULL,
}
"""Rule and remedy per error code; extended codes begin with their primary code."""

_POSTGRESQL_ERRORS = {
    "25006": _CLOSED_OFF,
    "42501": ("the user of a database must be allowed to use it", "grant the user the rights to create tables"),
    "53100": _FULL,
    "55P03": _LOCKED,
    "40P01": _LOCKED,
    "58030": _FULL,
}

_UNREACHABLE = (
    "the server must be reachable and accept this user",
    "check that it runs, and each part of the address: user, password, host, port, database and options",
)
_NEWER = ("the tables of a database must be those of this release", "stop all servers, upgrade them, start them again")
_OTHER = ("the database could not run a statement", "nothing was stored; read its message, and try again")


@dataclass(frozen=True)
class DatabaseAddress:
    """Address of a database, and translation of its driver's errors to messages without passwords.

    Parameters
    ----------
    shown
        The address as shown in messages.
    hidden
        Texts that messages must not contain.
    file
        File of a SQLite database; it is examined if an error does not tell whether it is damaged.
    """

    shown: str
    hidden: tuple[str, ...] = field(default=(), repr=False)
    file: Path | None = None

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Translate the driver's exceptions to `DataError`."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            # Not chained: the message contains the driver's text, without the values of the statement.
            raise self.to_data_error(error) from None
        except UnicodeDecodeError as error:  # the driver could not decode the database's error message
            raise self.damage_error(error) from None

    def to_data_error(self, error: Exception) -> DataError:
        """Return the `DataError` for an error of the driver."""
        cause: object = error.orig if isinstance(error, DBAPIError) else error
        rule, remedy = (
            _explain_sqlite(cause, self.file) if isinstance(cause, sqlite3.Error) else _explain_postgresql(cause)
        )
        return DataError(rule, f"{self.shown}: {self._without_secrets(str(cause))}", remedy)

    def damage_error(self, what: object) -> DataError:
        """Return the error for stored bytes that have changed."""
        rule, remedy = _DAMAGED
        return DataError(rule, f"{self.shown}: {self._without_secrets(str(what))}", remedy)

    def _without_secrets(self, text: str) -> str:
        for secret in self.hidden:
            text = text.replace(secret, "***")
        return text


def _explain_postgresql(cause: object) -> tuple[str, str]:
    state = getattr(cause, "sqlstate", "")
    gone = state is None or state[:2] in ("08", "28", "3D", "57")
    return _POSTGRESQL_ERRORS.get(state or "", _UNREACHABLE if gone else _OTHER)


def _explain_sqlite(cause: sqlite3.Error, file: Path | None) -> tuple[str, str]:
    name = getattr(cause, "sqlite_errorname", "")  # the driver's own errors have no name
    undecodable = isinstance(cause, sqlite3.OperationalError) and str(cause).startswith("Could not decode")
    if not name and undecodable:
        return _DAMAGED
    if name == "SQLITE_ERROR" and file is not None:
        return _examine(file)
    return next((text for kind, text in _SQLITE_ERRORS.items() if name.startswith(kind)), _OTHER)


def _examine(file: Path) -> tuple[str, str]:
    """Return why a statement failed: damage, tables of a newer release, or another reason.

    A file is damaged if its integrity check fails, or if its tables differ from this release's at the same revision.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # names may be damaged
            if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                return _DAMAGED
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
            if revision != schema.LATEST_REVISION:
                return _NEWER if revision > schema.LATEST_REVISION else _OTHER
            for table in schema.metadata.tables.values():
                columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table.name})")}
                if columns != set(table.columns.keys()):
                    return _DAMAGED
    except sqlite3.Error as error:
        return _DAMAGED if _explain_sqlite(error, None) == _DAMAGED else _OTHER
    return _OTHER
