"""Studies in a database: the same statements for SQLite and PostgreSQL.

Whoever changes a study locks its row first, so that the changes of one study happen one after another: numbers have no
gaps, and what `append` has seen is compared with what there is. SQLite has no locks on rows and needs none: it has one
writer at a time.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, distinct, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from anchorpbo.storage import schema
from anchorpbo.storage.checks import (
    as_count,
    as_json,
    as_name,
    as_study,
    as_text,
    as_utc,
    overtaken,
    taken,
    unknown_participant,
    unknown_study,
)
from anchorpbo.storage.engines import Database
from anchorpbo.storage.opening import bring_up_to_date
from anchorpbo.storage.rows import Row, rows_of, rows_of_one
from anchorpbo.study.journal import Entry
from anchorpbo.study.storage import Storage, StudyInfo

_STUDIES, _PEOPLE, _ENTRIES, _SECRETS = schema.studies.c, schema.participants.c, schema.entries.c, schema.secrets.c

_MOST_PARAMETERS = 1_000
"""Of a statement; databases have limits of their own, all of them higher."""


class SQLStorage(Storage):
    """Keeps studies in a database. Safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            bring_up_to_date(database)
        except BaseException:
            database.close()
            raise

    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Keep a new study."""
        rows = rows_of(entries)
        study = {
            "id": as_name("a study's id", info.id),
            "name": as_text("a study's name", info.name),
            "created": as_utc("when a study was created", info.created),
            "definition": as_json("a study's definition", definition),
        }
        people = dict.fromkeys(row.participant for row in rows)
        with self._database.writing() as connection:
            try:
                connection.execute(insert(schema.studies), study)
            except IntegrityError:
                raise taken(info.id) from None
            for position, name in enumerate(people, 1):
                _add_participant(connection, info.id, name, position)
            _add_rows(connection, info.id, rows, first=1)

    def studies(self) -> list[StudyInfo]:
        """All studies, the newest first."""
        with self._database.reading() as connection:
            infos = [StudyInfo(*row) for row in connection.execute(_infos())]
        # Sorted here: servers do not agree on the order of text.
        return sorted(infos, key=lambda info: (info.created, info.id), reverse=True)

    def study(self, id: str) -> StudyInfo:
        """One study."""
        with self._database.reading() as connection:
            row = connection.execute(_infos().where(_STUDIES.id == as_study(id))).one_or_none()
        if row is None:
            raise unknown_study(id)
        return StudyInfo(*row)

    def definition(self, id: str) -> dict[str, Any]:
        """What a study was made with."""
        with self._database.reading() as connection:
            text = connection.scalar(select(_STUDIES.definition).where(_STUDIES.id == as_study(id)))
        if text is None:
            raise unknown_study(id)
        made_with: dict[str, Any] = json.loads(text)
        return made_with

    def participants(self, id: str) -> list[str]:
        """Who takes part."""
        names = select(_PEOPLE.name).where(_PEOPLE.study == as_study(id)).order_by(_PEOPLE.position)
        with self._database.reading() as connection:
            found = list(connection.scalars(names))
            if not found:
                _find(connection, id)
        return found

    def add_participant(self, id: str, name: str) -> None:
        """Let someone take part."""
        name = as_name("a participant's name", name)
        with self._database.writing() as connection:
            _find(connection, id, lock=True)
            if not _takes_part(connection, id, name):
                last = connection.scalar(select(func.max(_PEOPLE.position)).where(_PEOPLE.study == id)) or 0
                _add_participant(connection, id, name, last + 1)

    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """The journal."""
        wanted = select(schema.entries).where(
            _ENTRIES.study == as_study(id), _ENTRIES.number > as_count("after", after)
        )
        if participant is not None:
            wanted = wanted.where(_ENTRIES.participant == as_text("a participant's name", participant))
        with self._database.reading() as connection:
            found = connection.execute(wanted.order_by(_ENTRIES.number)).all()
            if not found:
                _find(connection, id)
        return [
            Row(row.type, row.participant, row.time, row.response_ms, row.data, row.undoes).entry(row.number)
            for row in found
        ]

    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Number of the last entry of each of these studies."""
        # A look at the end of an index for each, where a GROUP BY would read all entries.
        last = select(func.max(_ENTRIES.number)).where(_ENTRIES.study == _STUDIES.id).scalar_subquery()
        wanted, names = select(_STUDIES.id, func.coalesce(last, 0).label("last")), [as_study(id) for id in ids]
        found: dict[str, int] = {}
        with self._database.reading() as connection:
            for start in range(0, len(names), _MOST_PARAMETERS):
                some = wanted.where(_STUDIES.id.in_(names[start : start + _MOST_PARAMETERS]))
                found |= {row.id: row.last for row in connection.execute(some)}
        return found

    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Add entries of one participant."""
        rows, seen = rows_of_one(entries), as_count("seen", seen)
        with self._database.writing() as connection:
            _find(connection, id, lock=True)
            if not rows:
                return []
            participant = rows[0].participant
            if not _takes_part(connection, id, participant):
                raise unknown_participant(participant)
            numbers = select(func.max(_ENTRIES.number)).where(_ENTRIES.study == id)
            last = connection.scalar(numbers.where(_ENTRIES.participant == participant)) or 0
            if last > seen:
                raise overtaken(participant, last, seen)
            first = (connection.scalar(numbers) or 0) + 1
            _add_rows(connection, id, rows, first)
        return [row.entry(number) for number, row in enumerate(rows, first)]

    def delete(self, id: str) -> None:
        """Forget a study; the rest of it goes with its row."""
        with self._database.writing() as connection:
            if connection.execute(delete(schema.studies).where(_STUDIES.id == as_study(id))).rowcount == 0:
                raise unknown_study(id)

    def secret(self, name: str) -> bytes:
        """32 random bytes under a name."""
        name = as_name("a secret's name", name)
        kept = select(_SECRETS.value).where(_SECRETS.name == name)
        with self._database.reading() as connection:
            found: bytes | None = connection.scalar(kept)
        if found is not None:
            return found
        with self._database.writing() as connection:
            _add_secret(connection, name, secrets.token_bytes(32))
            return bytes(connection.execute(kept).scalar_one())

    def close(self) -> None:
        """Let go of files and connections."""
        self._database.close()


def _infos() -> Select[Any]:
    """The fields of `StudyInfo`, of each study."""
    entries = schema.entries
    of_study = entries.c.study == _STUDIES.id
    answered = select(func.count()).where(of_study, entries.c.type == "answered").scalar_subquery()
    undone, target = entries.alias(), entries.alias()
    undo = (undone.c.study == target.c.study) & (undone.c.undoes == target.c.number)
    taken_back = (
        select(func.count(distinct(target.c.number)))
        .select_from(undone.join(target, undo))
        .where(undone.c.study == _STUDIES.id, undone.c.type == "undone", target.c.type == "answered")
        .scalar_subquery()
    )
    updated = select(entries.c.time).where(of_study).order_by(entries.c.number.desc()).limit(1).scalar_subquery()
    return select(_STUDIES.id, _STUDIES.name, _STUDIES.created, answered - taken_back, updated)


def _find(connection: Connection, id: str, lock: bool = False) -> None:
    """Make sure that there is a study, and with a lock that nobody else changes it until the transaction ends."""
    found = select(_STUDIES.id).where(_STUDIES.id == as_study(id))
    if connection.scalar(found.with_for_update() if lock else found) is None:
        raise unknown_study(id)


def _takes_part(connection: Connection, study: str, name: str) -> bool:
    found = select(_PEOPLE.position).where(_PEOPLE.study == study, _PEOPLE.name == name)
    return connection.scalar(found) is not None


def _add_participant(connection: Connection, study: str, name: str, position: int) -> None:
    connection.execute(insert(schema.participants), {"study": study, "name": name, "position": position})


def _add_rows(connection: Connection, study: str, rows: Sequence[Row], first: int) -> None:
    values = [{"study": study, "number": number, **vars(row)} for number, row in enumerate(rows, first)]
    if values:
        connection.execute(insert(schema.entries), values)


def _add_secret(connection: Connection, name: str, value: bytes) -> None:
    """Keep it unless someone else was faster."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(schema.secrets).on_conflict_do_nothing(), {"name": name, "value": value})
