"""The tables of this release.

::

    studies        id, name, created, definition, definition_checksum, edits, checksum
    participants   study, name, position, checksum
    entries        study, number, type, participant, time, response_ms, data, undoes, checksum
    heads          study, entries, participants, answers, updated, checksum
    secrets        name, value, checksum
    clips          study, name, type, size, content_checksum, checksum
    clip_chunks    study, name, position, content, checksum

Deleting a study deletes its rows in all tables. `rows` lists the columns that each checksum covers. `migrations` has
the steps to this schema; a test compares their result with it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

LATEST_REVISION = "0004"
"""Last migration of this release."""


class UTCTime(TypeDecorator[datetime]):
    """A time stored in UTC and returned with its time zone; SQLite stores no zone, PostgreSQL returns the session's."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Add the time zone."""
        if value is None:
            return None
        time: datetime = value
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


metadata = MetaData()

studies = Table(
    "studies",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created", UTCTime, nullable=False),
    Column("definition", Text, nullable=False),
    Column("definition_checksum", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("edits", Text),
)

participants = Table(
    "participants",
    metadata,
    Column("study", Text, ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("study", Text, ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),
    Column("participant", Text, nullable=False),
    Column("time", UTCTime, nullable=False),
    Column("response_ms", BigInteger),
    Column("data", Text, nullable=False),
    Column("undoes", BigInteger),
    Column("checksum", BigInteger, nullable=False),
    ForeignKeyConstraint(["study", "participant"], ["participants.study", "participants.name"], ondelete="CASCADE"),
    Index("entries_by_participant", "study", "participant", "number"),
    Index("entries_by_type", "study", "type"),
)

heads = Table(
    "heads",
    metadata,
    Column("study", Text, ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    Column("entries", BigInteger, nullable=False),
    Column("participants", BigInteger, nullable=False),
    Column("answers", BigInteger, nullable=False),
    Column("updated", UTCTime),
    Column("checksum", BigInteger, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("checksum", BigInteger, nullable=False),
)

clips = Table(
    "clips",
    metadata,
    Column("study", Text, ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content_checksum", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
)

clip_chunks = Table(
    "clip_chunks",
    metadata,
    Column("study", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    ForeignKeyConstraint(["study", "name"], ["clips.study", "clips.name"], ondelete="CASCADE"),
)
