"""Studies in a database: the same statements for SQLite and PostgreSQL.

A transaction that changes a study first locks its row and its head, so that the changes of one study are serialized:
numbers have no gaps, and `append` detects stale writes. SQLite has no row locks and needs none: it has one writer at a
time.

Every row read is compared with its checksum, and the rows of a study with its head. A mismatch means that the database
is damaged and raises `DataError`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from anchorpbo.app.storage import schema
from anchorpbo.app.storage.base import (
    ClipInfo,
    Storage,
    StudyInfo,
    duplicate_study_error,
    stale_write_error,
    unknown_participant_error,
    unknown_study_error,
)
from anchorpbo.app.storage.clip_tables import ClipTables
from anchorpbo.app.storage.database import Database
from anchorpbo.app.storage.journal import Entry
from anchorpbo.app.storage.migration import check_integrity, migrate
from anchorpbo.app.storage.rows import (
    ColumnValue,
    EntryRow,
    Head,
    as_count,
    as_json,
    as_name,
    as_study_id,
    as_text,
    as_utc,
    compute_checksum,
    count_answers,
    make_clip,
    make_rows,
    make_rows_of_one,
    merge_edits,
)
from anchorpbo.errors import DataError

_STUDIES, _PEOPLE, _ENTRIES, _SECRETS = schema.studies.c, schema.participants.c, schema.entries.c, schema.secrets.c
_HEADS = schema.heads.c
_STUDY = (_STUDIES.id, _STUDIES.name, _STUDIES.created, _STUDIES.definition_checksum, _STUDIES.edits, _STUDIES.checksum)
_HEAD = [column.label(f"head_{column.name}") for column in _HEADS]

_MAX_BOUND_PARAMETERS = 1_000
"""Maximum number of bound parameters in one statement; the databases allow more."""


class SQLStorage(Storage):
    """A store of studies in a database. Safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clips = ClipTables(database.address)
        try:
            check_integrity(database)
            migrate(database)
        except BaseException:
            database.close()
            raise

    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Store a new study."""
        with self._database.begin_write() as connection:
            insert_study(connection, info, definition, entries)

    def studies(self) -> list[StudyInfo]:
        """Return all studies, newest first."""
        without_row = select(_HEADS.study).where(~exists().where(_STUDIES.id == _HEADS.study))
        with self._database.begin_read() as connection:
            infos = [self._parse_info(row) for row in self._fetch(connection, _select_infos())]
            for row in self._fetch(connection, without_row):
                raise self._missing_error(f"the row of study {row.study!r}")
        # Sorted here, because servers differ in the order of text.
        return sorted(infos, key=lambda info: (info.created, info.id), reverse=True)

    def study(self, id: str) -> StudyInfo:
        """Return one study."""
        with self._database.begin_read() as connection:
            rows = self._fetch(connection, _select_infos().where(_STUDIES.id == as_study_id(id)))
            if not rows:
                self._read_head(connection, id)
                raise self._missing_error(f"the row of study {id!r}")
        return self._parse_info(rows[0])

    def definition(self, id: str) -> dict[str, Any]:
        """Return the definition of a study."""
        query = select(_STUDIES.definition, _STUDIES.definition_checksum).where(_STUDIES.id == as_study_id(id))
        with self._database.begin_read() as connection:
            rows = self._fetch(connection, query)
            if not rows:
                self._read_head(connection, id)
                raise self._missing_error(f"the row of study {id!r}")
        text = rows[0].definition
        self._check_checksum(rows[0].definition_checksum, f"the definition of study {id!r}", text)
        definition: dict[str, Any] = json.loads(text)
        return definition

    def participants(self, id: str) -> list[str]:
        """Return the participants."""
        query = select(*schema.participants.c, *_HEAD).join(schema.heads, _HEADS.study == _PEOPLE.study)
        query = query.where(_PEOPLE.study == as_study_id(id)).order_by(_PEOPLE.position)
        with self._database.begin_read() as connection:
            rows = self._fetch(connection, query)
            head = self._parse_head(rows[0]) if rows else self._read_head(connection, id)
        for row in rows:
            self._check_checksum(row.checksum, f"a participant of study {id!r}", row.study, row.name, row.position)
        if [row.position for row in rows] != list(range(1, head.participants + 1)):
            raise self._missing_error(f"a participant of study {id!r}")
        return [row.name for row in rows]

    def add_participant(self, id: str, name: str) -> None:
        """Add a participant."""
        name = as_name("a participant's name", name)
        with self._database.begin_write() as connection:
            head = self._read_head(connection, id, lock=True)
            if not _is_participant(connection, id, name):
                head = replace(head, participants=head.participants + 1)
                self._insert(connection, id, head, lambda: _insert_participant(connection, id, name, head.participants))

    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """Return entries of the journal."""
        query = select(schema.entries).where(
            _ENTRIES.study == as_study_id(id), _ENTRIES.number > as_count("after", after)
        )
        if participant is not None:
            query = query.where(_ENTRIES.participant == as_text("a participant's name", participant))
        with self._database.begin_read() as connection:
            # Skipped for one participant: the head counts the entries of all, and reading it costs a query per request.
            head = self._read_head(connection, id) if participant is None else None
            rows = self._fetch(connection, query.order_by(_ENTRIES.number))
            if not rows and head is None:
                self._read_head(connection, id)
        if head is not None:
            numbers = [row.number for row in rows]
            if numbers != list(range(after + 1, after + 1 + len(rows))) or after + len(rows) < head.entries:
                raise self._missing_error(f"an entry of study {id!r}")
        return [self._parse_row(each).to_entry(each.number) for each in rows]

    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of the last entry of each of these studies."""
        # One index lookup per study; a GROUP BY would read all entries.
        last = select(func.max(_ENTRIES.number)).where(_ENTRIES.study == _STUDIES.id).scalar_subquery()
        query, names = select(_STUDIES.id, func.coalesce(last, 0).label("last")), [as_study_id(id) for id in ids]
        numbers: dict[str, int] = {}
        with self._database.begin_read() as connection:
            for start in range(0, len(names), _MAX_BOUND_PARAMETERS):
                some = query.where(_STUDIES.id.in_(names[start : start + _MAX_BOUND_PARAMETERS]))
                numbers |= {row.id: row.last for row in connection.execute(some)}
        return numbers

    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Append entries of one participant."""
        rows, seen = make_rows_of_one(entries), as_count("seen", seen)
        with self._database.begin_write() as connection:
            head = self._read_head(connection, id, lock=True)
            if not rows:
                return []
            participant = rows[0].participant
            if not _is_participant(connection, id, participant):
                raise unknown_participant_error(participant)
            theirs = select(func.max(_ENTRIES.number)).where(_ENTRIES.study == id, _ENTRIES.participant == participant)
            last = connection.scalar(theirs) or 0
            if last > seen:
                raise stale_write_error(participant, last, seen)
            first = head.entries + 1
            answers = head.answers + sum(row.is_informative for row in rows)
            if any(row.type == "undone" for row in rows):
                answers = count_answers([*self._read_answers(connection, id), *enumerate(rows, first)])
            self._insert(connection, id, head.append(rows, answers), lambda: _insert_rows(connection, id, rows, first))
            if any(row.type == "edited" for row in rows):
                self._update_edits(connection, id, rows)
        return [row.to_entry(number) for number, row in enumerate(rows, first)]

    def delete(self, id: str) -> None:
        """Delete a study and its rows in all tables."""
        with self._database.begin_write() as connection:
            if connection.execute(delete(schema.studies).where(_STUDIES.id == as_study_id(id))).rowcount == 0:
                raise unknown_study_error(id)

    def put_clip(self, id: str, name: str, type: str, content: bytes, max_total: int) -> ClipInfo:
        """Store a clip."""
        clip = make_clip(name, type, content)
        with self._database.begin_write() as connection:
            self._read_head(connection, id, lock=True)
            self._clips.write(connection, id, clip, content, max_total)
        return clip

    def clips(self, id: str) -> list[ClipInfo]:
        """Return the clips of a study by name."""
        with self._database.begin_read() as connection:
            self._read_head(connection, id)
            return self._clips.read(connection, id)

    def read_clip(self, id: str, clip: ClipInfo, start: int, stop: int) -> bytes:
        """Return some bytes of a clip."""
        start, stop = as_count("start", start), as_count("stop", stop)
        with self._database.begin_read() as connection:
            self._read_head(connection, id)
            return self._clips.read_content(connection, id, clip, start, stop)

    def secret(self, name: str) -> bytes:
        """Return the secret with this name, 32 random bytes."""
        name = as_name("a secret's name", name)
        query = select(schema.secrets).where(_SECRETS.name == name)
        with self._database.begin_read() as connection:
            rows = self._fetch(connection, query)
        if not rows:
            with self._database.begin_write() as connection:
                _insert_secret(connection, name, secrets.token_bytes(32))
                rows = self._fetch(connection, query)
        value = bytes(rows[0].value)
        self._check_checksum(rows[0].checksum, f"the secret {name!r}", name, value)
        return value

    def watch(self, on_change: Callable[[], None]) -> AbstractContextManager[None]:
        """Call a function after each change, by any process, until the context exits."""
        return self._database.watch(on_change)

    def close(self) -> None:
        """Close files and connections."""
        self._database.close()

    # -- internals ----------------------------------------------------------------------------------------------------

    def _fetch(self, connection: Connection, query: Select[Any]) -> Sequence[Row[Any]]:
        """Return the rows of a query; raise if a value does not have the type of its column."""
        try:
            return connection.execute(query).all()
        except (ValueError, TypeError, OverflowError) as error:  # an invalid time
            raise self._database.address.damage_error(error) from None

    def _check_checksum(self, expected: Any, what: str, *values: ColumnValue) -> None:
        """Raise unless the values match their stored checksum."""
        if expected != compute_checksum(*values):
            raise self._database.address.damage_error(f"{what} does not match its checksum")

    def _missing_error(self, what: str) -> DataError:
        return self._database.address.damage_error(f"{what} is missing")

    def _read_head(self, connection: Connection, id: str, lock: bool = False) -> Head:
        """Read the head of a study; with `lock`, lock the study until the transaction ends."""
        row = select(_STUDIES.id).where(_STUDIES.id == as_study_id(id))
        # Lock the study's row, as `delete` does; locking rows in different orders could deadlock.
        if lock and connection.scalar(row.with_for_update()) is None:
            raise unknown_study_error(id)
        heads = self._fetch(connection, select(*_HEAD).where(_HEADS.study == id))
        if heads:
            return self._parse_head(heads[0])
        if connection.scalar(row) is None:
            raise unknown_study_error(id)
        raise self._missing_error(f"the head of study {id!r}")

    def _parse_head(self, row: Row[Any]) -> Head:
        head = Head(row.head_entries, row.head_participants, row.head_answers, row.head_updated)
        if row.head_checksum != head.checksum(row.head_study):
            raise self._database.address.damage_error(
                f"the head of study {row.head_study!r} does not match its checksum"
            )
        return head

    def _parse_info(self, row: Row[Any]) -> StudyInfo:
        edits = self._parse_edits(row)
        if row.head_study is None:
            raise self._missing_error(f"the head of study {row.id!r}")
        head = self._parse_head(row)
        return StudyInfo(row.id, edits.get("name", row.name), row.created, head.answers, head.updated, edits)

    def _parse_edits(self, row: Row[Any]) -> dict[str, Any]:
        """Return the edits of a study; raise unless its row matches its checksum."""
        self._check_checksum(row.checksum, f"study {row.id!r}", *_study_values(row))
        edits: dict[str, Any] = {} if row.edits is None else json.loads(row.edits)
        return edits

    def _update_edits(self, connection: Connection, id: str, rows: Sequence[EntryRow]) -> None:
        """Update the edits of a study by its new rows."""
        (row,) = self._fetch(connection, select(*_STUDY).where(_STUDIES.id == id))
        text = as_json("the edits of a study", merge_edits(self._parse_edits(row), rows))
        change = {"edits": text, "checksum": compute_checksum(*_study_values(row)[:4], text)}
        connection.execute(update(schema.studies).where(_STUDIES.id == id).values(change))

    def _parse_row(self, stored: Row[Any]) -> EntryRow:
        row = EntryRow(stored.type, stored.participant, stored.time, stored.response_ms, stored.data, stored.undoes)
        if stored.checksum != row.checksum(stored.study, stored.number):
            what = f"entry {stored.number} of study {stored.study!r} does not match its checksum"
            raise self._database.address.damage_error(what)
        return row

    def _read_answers(self, connection: Connection, id: str) -> list[tuple[int, EntryRow]]:
        """Return answers and undo entries, with their numbers."""
        query = select(schema.entries).where(_ENTRIES.study == id, _ENTRIES.type.in_(("answered", "undone")))
        return [(row.number, self._parse_row(row)) for row in self._fetch(connection, query.order_by(_ENTRIES.number))]

    def _insert(self, connection: Connection, id: str, head: Head, insert_rows: Callable[[], None]) -> None:
        """Insert rows together with the new head."""
        try:
            insert_rows()
        except IntegrityError:  # a row with this number exists already
            raise self._database.address.damage_error(
                f"the head of study {id!r} counts fewer rows than there are"
            ) from None
        changed = {**vars(head), "checksum": head.checksum(id)}
        connection.execute(update(schema.heads).where(_HEADS.study == id).values(changed))


def insert_study(
    connection: Connection, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]
) -> None:
    """Validate a new study and insert it, in the transaction of a connection."""
    rows = make_rows(entries)
    edits = merge_edits({}, rows)
    id, name = as_name("a study's id", info.id), as_text("a study's name", info.name)
    created, text = as_utc("when a study was created", info.created), as_json("a study's definition", definition)
    of_text, edited = compute_checksum(text), [as_json("the edits of a study", edits)] if edits else []
    study = {
        "id": id, "name": name, "created": created, "definition": text, "definition_checksum": of_text,
        "edits": edited[0] if edited else None, "checksum": compute_checksum(id, name, created, of_text, *edited),
    }  # fmt: skip
    people = dict.fromkeys(row.participant for row in rows)
    head = Head(participants=len(people))
    if rows:
        head = head.append(rows, count_answers(enumerate(rows, 1)))
    try:
        connection.execute(insert(schema.studies), study)
    except IntegrityError:
        raise duplicate_study_error(id) from None
    for position, participant in enumerate(people, 1):
        _insert_participant(connection, id, participant, position)
    _insert_rows(connection, id, rows, first=1)
    connection.execute(insert(schema.heads), {"study": id, **vars(head), "checksum": head.checksum(id)})


def _select_infos() -> Select[Any]:
    """Select the rows and heads of studies for their list."""
    return select(*_STUDY, *_HEAD).outerjoin(schema.heads, _HEADS.study == _STUDIES.id)


def _study_values(row: Row[Any]) -> tuple[ColumnValue, ...]:
    """Return the values that the checksum of a study covers."""
    edits = () if row.edits is None else (row.edits,)
    return (row.id, row.name, row.created, row.definition_checksum, *edits)


def _is_participant(connection: Connection, study: str, name: str) -> bool:
    position = select(_PEOPLE.position).where(_PEOPLE.study == study, _PEOPLE.name == name)
    return connection.scalar(position) is not None


def _insert_participant(connection: Connection, study: str, name: str, position: int) -> None:
    row = {"study": study, "name": name, "position": position, "checksum": compute_checksum(study, name, position)}
    connection.execute(insert(schema.participants), row)


def _insert_rows(connection: Connection, study: str, rows: Sequence[EntryRow], first: int) -> None:
    values = [
        {"study": study, "number": number, **vars(row), "checksum": row.checksum(study, number)}
        for number, row in enumerate(rows, first)
    ]
    if values:
        connection.execute(insert(schema.entries), values)


def _insert_secret(connection: Connection, name: str, value: bytes) -> None:
    """Insert a secret unless another process was faster."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    row = {"name": name, "value": value, "checksum": compute_checksum(name, value)}
    connection.execute(dialect.insert(schema.secrets).on_conflict_do_nothing(), row)
