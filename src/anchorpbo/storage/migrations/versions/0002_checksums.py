"""Checksums of all rows, and a head for each journal."""

import sqlalchemy as sa
from alembic import op

from anchorpbo.storage.checksums import checksum
from anchorpbo.storage.heads import count_answers
from anchorpbo.storage.rows import Row
from anchorpbo.storage.schema import UTCTime

revision = "0002"
down_revision = "0001"

_NEW = [(table, "checksum") for table in ("studies", "participants", "entries", "secrets")]
_NEW.append(("studies", "definition_checksum"))

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
    """Add columns and a table, and fill them from what is there."""
    connection = op.get_bind()
    for table, name in _NEW:
        op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
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
        connection.execute(change.values(checksum=checksum(name, bytes(value))))
    if connection.dialect.name == "postgresql":  # SQLite would have to copy the tables
        for table, name in _NEW:
            op.alter_column(table, name, server_default=None)


def _fill_study(connection: sa.Connection, id: str) -> None:
    study = connection.execute(sa.select(_studies).where(_studies.c.id == id)).one()
    of_definition = checksum(study.definition)
    own = {"definition_checksum": of_definition, "checksum": checksum(id, study.name, study.created, of_definition)}
    connection.execute(sa.update(_studies).where(_studies.c.id == id).values(own))
    people = connection.execute(sa.select(_participants).where(_participants.c.study == id)).all()
    for one in people:
        change = sa.update(_participants).where(_participants.c.study == id, _participants.c.name == one.name)
        connection.execute(change.values(checksum=checksum(id, one.name, one.position)))
    found = connection.execute(sa.select(_entries).where(_entries.c.study == id).order_by(_entries.c.number)).all()
    rows = [
        (one.number, Row(one.type, one.participant, one.time, one.response_ms, one.data, one.undoes)) for one in found
    ]
    if rows:
        change = sa.update(_entries).where(_entries.c.study == id, _entries.c.number == sa.bindparam("of_number"))
        change = change.values(checksum=sa.bindparam("sum"))
        connection.execute(change, [{"of_number": number, "sum": row.checksum(id, number)} for number, row in rows])
    last, updated = (rows[-1][0], rows[-1][1].time) if rows else (0, None)
    head = (id, last, len(people), count_answers(rows), updated)
    names = ("study", "entries", "participants", "answers", "updated")
    values = dict(zip(names, head, strict=True))
    connection.execute(sa.insert(_heads), [values | {"checksum": checksum(*head)}])
