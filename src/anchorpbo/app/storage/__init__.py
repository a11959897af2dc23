"""Where studies are kept: in memory, in a SQLite file or on a PostgreSQL server.

::

    open_storage(url)   the storage of an address
    memory              a dictionary; gone with the process
    sql                 the same statements for SQLite and PostgreSQL
    engines, places     how each of the two is connected to, and what is said when it fails
    schema, opening     its tables, and how a database gets those of this release
    checksums, heads    each row with its checksum, and how much of a study there is
    migrations          one step from each release's tables to the next
    rows, checks        what is kept of an entry, and what may be kept at all

The port is `anchorpbo.app.storage.base`; `anchorpbo.testing.StorageContract` is what every back end passes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError, UnsupportedError

__all__ = ["MemoryStorage", "open_storage"]

_RULE = "a storage must be memory, a file or a PostgreSQL server"
_REMEDY = "write memory, studies.db, sqlite:///studies.db or postgresql://user:password@host/database"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # one letter is a drive
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")


def open_storage(url: str | None) -> Storage:
    """Open the storage of an address.

    ::

        memory, or None                             gone with the process
        studies.db, sqlite:///studies.db            a SQLite file, made where there is none
        postgresql://user:password@host/database    a database on a server

    A database without tables gets those of this release, and one of an earlier release is brought up to date. Raises
    `DataError` where it cannot be opened, and `UnsupportedError` where a package is missing.
    """
    if url is None or url == "memory":
        return MemoryStorage()
    if not isinstance(url, str) or not url.strip():
        raise InputError(_RULE, repr(url), _REMEDY)
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme in _SERVERS:
        return _server(url)
    if scheme in ("", "sqlite"):
        return _file(_path_of(url) if scheme else url)
    raise InputError(_RULE, f"{scheme}:...", _REMEDY)  # the rest may hold a password


def _path_of(url: str) -> str:
    path = url[len("sqlite:") :]
    if not path.startswith("///") or path in ("///", "///:memory:") or "?" in path:
        rule = "the address of a SQLite file is sqlite:/// and a path, without options"
        raise InputError(rule, repr(url), "write sqlite:///studies.db, or memory for one without a file")
    return path[3:]


def _file(path: str) -> Storage:
    with _needing("keeping studies in a database", "web"):
        from anchorpbo.app.storage.engines import sqlite_database
        from anchorpbo.app.storage.sql import SQLStorage

        return SQLStorage(sqlite_database(Path(os.path.expanduser(path))))


def _server(url: str) -> Storage:
    with _needing("keeping studies in a database", "web"):
        from anchorpbo.app.storage.engines import postgresql_database
        from anchorpbo.app.storage.sql import SQLStorage

        with _needing("a PostgreSQL server", "postgresql"):
            database = postgresql_database(url)
        return SQLStorage(database)


@contextmanager
def _needing(what: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as problem:
        raise UnsupportedError(f"{what} needs more packages", problem, f'pip install "anchorpbo[{extra}]"') from problem
