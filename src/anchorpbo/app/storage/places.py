"""Where a database is, and what is said when it fails: never a driver's own error, and never a password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from anchorpbo.app.storage import schema
from anchorpbo.errors import DataError

_TRY_AGAIN = "nothing was stored; end the program that holds it, or try again"
_READ_ONLY = "allow this user to write to it, or name another one"

_LOCKED = ("a database must not stay locked by another program", _TRY_AGAIN)
_CLOSED_OFF = ("a database must be one that can be written to", _READ_ONLY)
_DAMAGED = ("a database must not be damaged", "restore it from a backup, as docs/howto/backup.md says")
_FULL = ("the disk must have room for what is stored, and take it", "nothing was stored; make room, then try again")

_SQLITE = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_READONLY": _CLOSED_OFF,
    "SQLITE_PERM": _CLOSED_OFF,
    "SQLITE_AUTH": _CLOSED_OFF,
    "SQLITE_CANTOPEN": ("a database file and its folder must be there and open to this user", _READ_ONLY),
    "SQLITE_NOTADB": ("the file must be a SQLite database", "name another file; this one is left as it is"),
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_FORMAT": _DAMAGED,
    "SQLITE_MISMATCH": _DAMAGED,
    "SQLITE_TOOBIG": _DAMAGED,
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR": _FULL,
}
"""What to say of each kind of error; the names of kinds within a kind begin with it."""

_POSTGRESQL = {
    "25006": _CLOSED_OFF,
    "42501": ("the user of a database must be allowed to use it", "grant the user the rights to create tables"),
    "53100": _FULL,
    "55P03": _LOCKED,
    "40P01": _LOCKED,
    "58030": _FULL,
}

_UNREACHABLE = (
    "the server must be there and let this user in",
    "check that it runs, and each part of the address: user, password, host, port, database and options",
)
_NEWER = ("the tables of a database must be those of this release", "stop all servers, upgrade them, start them again")
_OTHER = ("a database must do what it is asked to", "nothing was stored; see what it answered, and try again")


@dataclass(frozen=True)
class Place:
    """Where a database is.

    Parameters
    ----------
    shown
        Its address, for messages.
    hidden
        What must not be in a message.
    file
        Of a SQLite database; it is examined where an error does not tell whether it is damaged.
    """

    shown: str
    hidden: tuple[str, ...] = field(default=(), repr=False)
    file: Path | None = None

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what the database raises into an error that says what to do."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as problem:
            # Not chained: the driver's words are in the message, without what was to be stored.
            raise self.trouble(problem) from None
        except UnicodeDecodeError as problem:  # the driver could not even read the names in the database's own error
            raise self.damage(problem) from None

    def trouble(self, problem: Exception) -> DataError:
        """The error to raise instead."""
        cause: object = problem.orig if isinstance(problem, DBAPIError) else problem
        rule, remedy = _meaning_in_sqlite(cause, self.file) if isinstance(cause, sqlite3.Error) else _meaning(cause)
        return DataError(rule, f"{self.shown}: {self._without_secrets(str(cause))}", remedy)

    def damage(self, what: object) -> DataError:
        """The error of bytes that are not those that were stored."""
        rule, remedy = _DAMAGED
        return DataError(rule, f"{self.shown}: {self._without_secrets(str(what))}", remedy)

    def _without_secrets(self, text: str) -> str:
        for secret in self.hidden:
            text = text.replace(secret, "***")
        return text


def _meaning(cause: object) -> tuple[str, str]:
    state = getattr(cause, "sqlstate", "")
    gone = state is None or state[:2] in ("08", "28", "3D", "57")
    return _POSTGRESQL.get(state or "", _UNREACHABLE if gone else _OTHER)


def _meaning_in_sqlite(cause: sqlite3.Error, file: Path | None) -> tuple[str, str]:
    name = getattr(cause, "sqlite_errorname", "")  # errors of the driver itself have none
    undecodable = isinstance(cause, sqlite3.OperationalError) and str(cause).startswith("Could not decode")
    if not name and undecodable:
        return _DAMAGED
    if name == "SQLITE_ERROR" and file is not None:
        return _examine(file)
    return next((said for kind, said in _SQLITE.items() if name.startswith(kind)), _OTHER)


def _examine(file: Path) -> tuple[str, str]:
    """Tell why a statement failed: damage, tables of a newer release, or neither.

    Damage is a failed integrity check, or tables that differ from those of this release at its own revision.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # names may be damaged
            if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                return _DAMAGED
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
            if revision != schema.NEWEST:
                return _NEWER if revision > schema.NEWEST else _OTHER
            for table in schema.metadata.tables.values():
                found = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table.name})")}
                if found != set(table.columns.keys()):
                    return _DAMAGED
    except sqlite3.Error as problem:
        return _DAMAGED if _meaning_in_sqlite(problem, None) == _DAMAGED else _OTHER
    return _OTHER
