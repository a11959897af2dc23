"""Storage of studies: in memory, in a SQLite file or on a PostgreSQL server.

::

    open_storage(url)   opens the storage at an address; add new back ends here
    base                Storage, the abstract class that every back end implements, and the errors it raises
    journal             Entry, one event of a study's journal
    rows                rows of entries and studies that every back end stores: validated values, checksums
    memory              MemoryStorage, a dictionary; the smallest back end
    clip_tables         the tables of clips, whose content is stored in chunks
    sql                 SQLStorage, the same statements for SQLite and PostgreSQL
    database            connections to both, transactions, and translation of their errors
    changes             notifications of changes: ChangeFeed calls the callbacks of `Storage.watch`
    data_version        detects changes of a SQLite file
    listener            detects changes of a PostgreSQL database by LISTEN and NOTIFY
    schema              the tables of this release
    migration           creates or migrates the tables; migrations has one step per release

Every back end passes `anchorpbo.testing.StorageContract`.
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
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # a single letter is a Windows drive
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")


def open_storage(url: str | None) -> Storage:
    """Open the storage at an address.

    ::

        memory, or None                             in memory, until the process ends
        studies.db, sqlite:///studies.db            a SQLite file, created if it is missing
        postgresql://user:password@host/database    a database on a server

    Creates the tables in an empty database and migrates the tables of an earlier release. Raises `DataError` if the
    database cannot be opened, and `UnsupportedError` if a package is missing.
    """
    if url is None or url == "memory":
        return MemoryStorage()
    if not isinstance(url, str) or not url.strip():
        raise InputError(_RULE, repr(url), _REMEDY)
    match = _SCHEME.match(url)
    scheme = match[1].lower() if match else ""
    if scheme in _SERVERS:
        return _open_server(url)
    if scheme in ("", "sqlite"):
        return _open_file(_parse_path(url) if scheme else url)
    raise InputError(_RULE, f"{scheme}:...", _REMEDY)  # the rest may contain a password


def _parse_path(url: str) -> str:
    path = url[len("sqlite:") :]
    if not path.startswith("///") or path in ("///", "///:memory:") or "?" in path:
        rule = "the address of a SQLite file is sqlite:/// and a path, without options"
        raise InputError(rule, repr(url), "write sqlite:///studies.db, or memory for no file")
    return path[3:]


def _open_file(path: str) -> Storage:
    with _require_extra("keeping studies in a database", "web"):
        from anchorpbo.app.storage.database import open_sqlite
        from anchorpbo.app.storage.sql import SQLStorage

        return SQLStorage(open_sqlite(Path(os.path.expanduser(path))))


def _open_server(url: str) -> Storage:
    with _require_extra("keeping studies in a database", "web"):
        from anchorpbo.app.storage.database import open_postgresql
        from anchorpbo.app.storage.sql import SQLStorage

        with _require_extra("a PostgreSQL server", "postgresql"):
            database = open_postgresql(url)
        return SQLStorage(database)


@contextmanager
def _require_extra(what: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise UnsupportedError(f"{what} needs more packages", error, f'pip install "anchorpbo[{extra}]"') from error
