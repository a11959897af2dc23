"""How a database gets the tables of this release."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, func, inspect, select, text

from anchorpbo.app.storage import schema
from anchorpbo.app.storage.engines import Database
from anchorpbo.errors import DataError

MIGRATIONS = Path(__file__).parent / "migrations"

_ONE_AT_A_TIME = Lock()
"""Alembic has one environment a process."""

_KEY = 4_702_111_234_474_983_745
"""Of the lock that PostgreSQL keeps for whoever migrates; any number that others will not think of."""


def check_structure(database: Database) -> None:
    """Raise where pages or indices of a SQLite file are damaged; rows have checksums, which are compared on reading.

    It reads the whole file. A server looks after its pages itself.
    """
    with database.reading() as connection:
        if connection.dialect.name == "sqlite":
            found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
            if found != "ok":
                raise database.place.damage(found)


def bring_up_to_date(database: Database) -> None:
    """Make the tables of this release, or lead those of an earlier one to them; one process at a time.

    A database that cannot be written to is found here, also where there is nothing to do.
    """
    with _ONE_AT_A_TIME, database.writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_KEY)))
        found = _revision(connection, database.place.shown)
        if found != schema.NEWEST:
            _migrate(connection, found, database.place.shown)
        # Changes nothing, but is refused where nothing may be changed.
        connection.execute(text("DELETE FROM alembic_version WHERE version_num IS NULL"))


def _revision(connection: Connection, shown: str) -> str | None:
    """The last migration that a database has seen, or None where it is empty."""
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        if found is not None:
            return found
    clash = sorted(tables & set(schema.metadata.tables))
    if clash:
        raise _foreign(shown, f"tables of the name {', '.join(clash)}")
    return None


def _migrate(connection: Connection, found: str | None, shown: str) -> None:
    from alembic.command import upgrade
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        if not re.fullmatch(r"\d{4}", found):
            raise _foreign(shown, f"revision {found}")
        rule = "a database must not be ahead of this release; this one was written by a newer release"
        raise DataError(rule, f"{shown} at revision {found}", 'upgrade: pip install -U "anchorpbo[web]"')
    upgrade(config, schema.NEWEST)


def _foreign(shown: str, what: str) -> DataError:
    rule = "a database must be empty or one of this library"
    return DataError(rule, f"{shown} with {what}", "name another one; this one is left as it is")
