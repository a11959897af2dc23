"""Checksums of all rows, and one head per journal.

A server of the previous release that still runs on this database must not insert rows without a checksum. On PostgreSQL
the new columns have no default. SQLite cannot drop a default without copying the table, whose deletion would cascade to
others. So its default is -1, which is not a CRC-32, and a trigger rejects it.

A migration imports nothing from the library, so that it stays the same when the library changes.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_TABLES = ("studies", "participants", "entries", "secrets")
_NEW = [*((table, "checksum") for table in _TABLES), ("studies", "definition_checksum")]
_REFUSAL = "this database belongs to a newer release of anchorpbo: stop this server and upgrade it"


class UTCTime(sa.TypeDecorator[datetime]):
    """A time in UTC, returned with its time zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        """Add the time zone."""
        if value is None:
            return None
        time: datetime = value
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


_studies = sa.table(
    "studies", *map(sa.column, ("id", "name", "definition", "definition_checksum", "checksum")),
    sa.column("created", UTCTime()),
)  # fmt: skip
_participants = sa.table("participants", *map(sa.column, ("study", "name", "position", "checksum")))
_entries = sa.table(
    "entries", *map(sa.column, ("study", "number", "type", "participant", "response_ms", "data", "undoes", "checksum")),
    sa.column("time", UTCTime()),
)  # fmt: skip
_heads = sa.table(
    "heads", *map(sa.column, ("study", "entries", "participants", "answers", "checksum")),
    sa.column("updated", UTCTime()),
)  # fmt: skip
_secrets = sa.table("secrets", *map(sa.column, ("name", "value", "checksum")))


def upgrade() -> None:
    """Add columns and a table, and fill them from the existing rows."""
    connection = op.get_bind()
    for table, name in _NEW:
        op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=False, server_default="-1"))
    op.create_table(
        "heads",
        sa.Column("study", sa.Text(), sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("entries", sa.BigInteger(), nullable=False),
        sa.Column("participants", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True)),
        sa.Column("checksum", sa.BigInteger(), nullable=False),
    )
    for id in list(connection.scalars(sa.select(_studies.c.id))):
        _fill_study(connection, id)
    for name, value in connection.execute(sa.select(_secrets.c.name, _secrets.c.value)).all():
        change = sa.update(_secrets).where(_secrets.c.name == name)
        connection.execute(change.values(checksum=_checksum(name, bytes(value))))
    if connection.dialect.name == "postgresql":
        for table, name in _NEW:
            op.alter_column(table, name, server_default=None)
    else:
        for table in _TABLES:
            op.execute(
                f"CREATE TRIGGER {table}_need_checksums BEFORE INSERT ON {table} WHEN NEW.checksum < 0 "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            )


def _fill_study(connection: sa.Connection, id: str) -> None:
    study = connection.execute(sa.select(_studies).where(_studies.c.id == id)).one()
    of_definition = _checksum(study.definition)
    own = {"definition_checksum": of_definition, "checksum": _checksum(id, study.name, study.created, of_definition)}
    connection.execute(sa.update(_studies).where(_studies.c.id == id).values(own))
    people = connection.execute(sa.select(_participants).where(_participants.c.study == id)).all()
    for one in people:
        change = sa.update(_participants).where(_participants.c.study == id, _participants.c.name == one.name)
        connection.execute(change.values(checksum=_checksum(id, one.name, one.position)))
    found = connection.execute(sa.select(_entries).where(_entries.c.study == id).order_by(_entries.c.number)).all()
    if found:
        change = sa.update(_entries).where(_entries.c.study == id, _entries.c.number == sa.bindparam("of_number"))
        change = change.values(checksum=sa.bindparam("sum"))
        connection.execute(change, [{"of_number": one.number, "sum": _entry_checksum(id, one)} for one in found])
    last, updated = (found[-1].number, found[-1].time) if found else (0, None)
    head = (id, last, len(people), _count_answers(found), updated)
    names = ("study", "entries", "participants", "answers", "updated")
    values = dict(zip(names, head, strict=True))
    connection.execute(sa.insert(_heads), [values | {"checksum": _checksum(*head)}])


def _checksum(*values: object) -> int:
    """Return the CRC-32 of values, in order."""
    return crc32("\0".join(map(_as_text, values)).encode("utf-8", "surrogatepass"))


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return value.hex() if isinstance(value, bytes) else str(value)


def _entry_checksum(study: str, row: sa.Row[Any]) -> int:
    return _checksum(study, row.number, row.type, row.participant, row.time, row.response_ms, row.data, row.undoes)


def _count_answers(rows: Iterable[sa.Row[Any]]) -> int:
    """Count the answers that were not undone, without skipped duels."""
    valid: set[int] = set()
    for row in rows:
        if row.type == "answered" and json.loads(row.data).get("outcome") != "skip":
            valid.add(row.number)
        elif row.type == "undone":
            valid.discard(row.undoes or 0)
    return len(valid)
