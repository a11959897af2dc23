"""Creation of the tables of this release, and migration of the tables of earlier releases."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, func, inspect, select, text

from anchorpbo.app.storage import schema
from anchorpbo.app.storage.database import Database
from anchorpbo.errors import DataError

MIGRATIONS = Path(__file__).parent / "migrations"

_MIGRATION_LOCK = Lock()
"""Lock around Alembic, which has one environment per process."""

_LOCK_KEY = 4_702_111_234_474_983_745
"""Key of PostgreSQL's advisory lock during a migration: an arbitrary number that no other program uses."""


def check_integrity(database: Database) -> None:
    """Raise if pages or indices of a SQLite file are damaged; checksums of rows are compared when they are read.

    Reads the whole file. PostgreSQL checks its own pages, so nothing is done there.
    """
    with database.begin_read() as connection:
        if connection.dialect.name == "sqlite":
            result = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
            if result != "ok":
                raise database.address.damage_error(result)


def migrate(database: Database) -> None:
    """Create the tables of this release, or migrate those of an earlier one; one process at a time.

    Raises on a read-only database, even if there is nothing to migrate.
    """
    with _MIGRATION_LOCK, database.begin_write() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
        revision = _read_revision(connection, database.address.shown)
        if revision != schema.LATEST_REVISION:
            _run_migrations(connection, revision, database.address.shown)
        # This changes no row, but fails on a read-only database.
        connection.execute(text("DELETE FROM alembic_version WHERE version_num IS NULL"))


def _read_revision(connection: Connection, shown: str) -> str | None:
    """Return the last migration of a database, or ``None`` if it is empty."""
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        if revision is not None:
            return revision
    clash = sorted(tables & set(schema.metadata.tables))
    if clash:
        raise _foreign_error(shown, f"tables named {', '.join(clash)}")
    return None


def _run_migrations(connection: Connection, revision: str | None, shown: str) -> None:
    from alembic.command import upgrade
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        if not re.fullmatch(r"\d{4}", revision):
            raise _foreign_error(shown, f"revision {revision}")
        rule = "a database must not come from a newer release than this one"
        raise DataError(rule, f"{shown} at revision {revision}", 'upgrade: pip install -U "anchorpbo[web]"')
    upgrade(config, schema.LATEST_REVISION)


def _foreign_error(shown: str, what: str) -> DataError:
    rule = "a database must be empty or belong to anchorpbo"
    return DataError(rule, f"{shown} with {what}", "name another one; this one was not changed")
