"""Where a database is, and what is said when it fails: never a driver's own error, and never a password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

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
    "SQLITE_ERROR": _DAMAGED,  # no statement of ours is wrong: the tables are others than it was written for
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
    """

    shown: str
    hidden: tuple[str, ...] = field(default=(), repr=False)

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
        rule, remedy = _meaning(cause)
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
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", "")
        if not name:  # of the driver itself, which could not make a text of what it read
            return _DAMAGED
        return next((said for kind, said in _SQLITE.items() if name.startswith(kind)), _OTHER)
    state = getattr(cause, "sqlstate", "")
    gone = state is None or state[:2] in ("08", "28", "3D", "57")
    return _POSTGRESQL.get(state or "", _UNREACHABLE if gone else _OTHER)
