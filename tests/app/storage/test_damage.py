"""Bytes that change on the disk are reported as damage, or change nothing that is read."""

import os
import random
import sqlite3
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from journals import NOW, entry
from sqlalchemy import text

from anchorpbo.app.storage import clip_tables, open_storage
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.errors import DataError

NAMES = ("owner", "bob")


def fill(storage):
    """Two studies of two participants with what journals hold, and a secret."""
    for id in ("one", "two"):
        first = [entry("created", name) for name in NAMES]
        definition = {"seed": 1, "space": ["a parameter"] * 40, "pictures": {"x.png": "data:" + "A" * 6000}}
        storage.create(StudyInfo(id, f"Study {id}", NOW), definition, first)
        seen = dict.fromkeys(NAMES, 2)
        for turn in range(12):
            name = NAMES[turn % 2]
            pair = {"duel_id": f"d{turn}", "first": {"x": turn / 7}, "second": {"x": 0.5}}
            asked, answered = entry("asked", name, gain=0.1, **pair), entry("answered", name, outcome="first", **pair)
            seen[name] = storage.append(id, [asked, answered], seen[name])[-1].number
        storage.append(id, [entry("undone", event=seen["owner"])], seen["owner"])
        storage.add_participant(id, "Zoë")
        storage.put_clip(id, "a.wav", "audio/wav", b"RIFF" + bytes(range(256)) * 6, 2**40)
    storage.secret("links")


def read_all(path):
    """Everything that a storage returns."""
    with closing(open_storage(path)) as storage:
        found = {"studies": storage.studies(), "secret": storage.secret("links")}
        for id in ("one", "two"):
            found[id] = (
                storage.study(id), storage.definition(id), storage.participants(id), storage.entries(id),
                [storage.entries(id, name, after) for name in (*NAMES, "Zoë") for after in (0, 9)],
                [(clip, storage.read_clip(id, clip, 0, clip.size)) for clip in storage.clips(id)],
            )  # fmt: skip
        return found


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    """Clips of two chunks that do not take up most of the file."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clip_tables, "CHUNK_BYTES", 1_000)
        yield


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A database file, and all that is read from it."""
    path = tmp_path_factory.mktemp("sound") / "studies.db"
    with closing(open_storage(str(path))) as storage:
        fill(storage)
    return path.read_bytes(), read_all(str(path))


def outcomes_of_flips(sound, folder, seed, count):
    """What comes of files that differ in one byte: the error, or what is read where it is not what was stored."""
    content, expected = sound
    rng, reported = random.Random(seed), 0
    for flip in range(count):
        place, bits = rng.randrange(len(content)), rng.randrange(1, 256)
        path = folder / f"{flip}.db"
        path.write_bytes(content[:place] + bytes([content[place] ^ bits]) + content[place + 1 :])
        try:
            assert read_all(str(path)) == expected, f"byte {place} changed by {bits} went unnoticed"
        except DataError:
            reported += 1
        except Exception as problem:
            raise AssertionError(f"byte {place} changed by {bits} gave {problem!r}") from problem
        for file in folder.glob(f"{flip}.db*"):
            file.unlink()
    return reported


FLIPS = 3_000 if "ANCHORPBO_SOAK_SECONDS" in os.environ else 150


def test_flipped_bytes_are_reported_or_change_nothing(sound, tmp_path):
    assert outcomes_of_flips(sound, tmp_path, seed=15, count=FLIPS) > FLIPS // 5


@pytest.mark.parametrize("name", [b"answers", b"undoes", b"definition_checksum", b"position"])
@pytest.mark.parametrize("bits", [0x04, 0x80])
def test_a_flipped_name_of_a_column_is_called_damage(sound, tmp_path, name, bits):
    path, at = tmp_path / "studies.db", sound[0].index(name + b" BIGINT") + 1
    path.write_bytes(sound[0][:at] + bytes([sound[0][at] ^ bits]) + sound[0][at + 1 :])
    with pytest.raises(DataError, match="must not be damaged"):
        read_all(str(path))


# -- one row after another --------------------------------------------------------------------------------------------

CHANGES = {
    "UPDATE entries SET data = replace(data, 'first', 'fists') WHERE study = 'one' AND number = 4": "entry 4 of study",
    "UPDATE entries SET response_ms = 5 WHERE study = 'one' AND number = 4": "entry 4 of study 'one'",
    "UPDATE entries SET time = '2025-03-01 09:30:00.000001' WHERE study = 'one' AND number = 4": "entry 4 of study",
    "UPDATE entries SET undoes = 6 WHERE study = 'one' AND type = 'undone'": "entry 27 of study 'one'",
    "UPDATE entries SET participant = 'bob' WHERE study = 'one' AND number = 4": "entry 4 of study 'one'",
    "UPDATE entries SET checksum = 7 WHERE study = 'one' AND number = 4": "entry 4 of study 'one'",
    "UPDATE entries SET number = 99 WHERE study = 'one' AND number = 4": "an entry of study 'one' is missing",
    "DELETE FROM entries WHERE study = 'one' AND number = 4": "an entry of study 'one' is missing",
    "DELETE FROM entries WHERE study = 'one' AND number = 27": "an entry of study 'one' is missing",
    "UPDATE studies SET name = 'Study 0ne' WHERE id = 'one'": "study 'one' does not match",
    "UPDATE studies SET definition = replace(definition, 'A', 'B') WHERE id = 'one'": "definition of study 'one'",
    "UPDATE participants SET name = 'Zoe' WHERE study = 'one' AND name = 'Zoë'": "a participant of study 'one'",
    "DELETE FROM participants WHERE study = 'one' AND name = 'Zoë'": "a participant of study 'one' is missing",
    "UPDATE heads SET answers = 12 WHERE study = 'one'": "head of study 'one' does not match",
    "UPDATE heads SET entries = 26 WHERE study = 'one'": "head of study 'one' does not match",
    "DELETE FROM heads WHERE study = 'one'": "head of study 'one' is missing",
    "UPDATE secrets SET checksum = 7": "the secret 'links' does not match",
    "UPDATE clips SET size = size - 1 WHERE study = 'one'": "clip 'a.wav' of study 'one' does not match",
    "UPDATE clips SET type = 'audio/ogg' WHERE study = 'one'": "clip 'a.wav' of study 'one' does not match",
    "UPDATE clip_chunks SET checksum = 7 WHERE study = 'one' AND position = 1": "part 1 of clip 'a.wav' of study 'one'",
    "UPDATE clip_chunks SET position = 5 WHERE study = 'one' AND position = 1": "a part of clip 'a.wav' of study 'one'",
    "DELETE FROM clip_chunks WHERE study = 'one' AND position = 0": "a part of clip 'a.wav' of study 'one' is missing",
}


@pytest.mark.parametrize("statement", CHANGES)
def test_a_changed_row_is_reported_with_its_name(sound, tmp_path, statement):
    path = tmp_path / "studies.db"
    path.write_bytes(sound[0])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount
    with pytest.raises(DataError, match=rf"must not be damaged.*{CHANGES[statement]}.*backup\.md"):
        read_all(str(path))


@pytest.mark.parametrize("statement", [each for each in CHANGES if "time =" not in each and "secrets" not in each])
def test_a_changed_row_on_a_server_is_reported_with_its_name(server, statement):
    url = server.new_database()
    with closing(open_storage(url)) as storage:
        fill(storage)
        with storage._database.begin_write() as connection:
            assert connection.execute(text(statement)).rowcount
    with pytest.raises(DataError, match=rf"must not be damaged.*{CHANGES[statement]}.*backup\.md"):
        read_all(url)


def test_a_lost_row_of_a_study_is_reported(sound, tmp_path):
    path = tmp_path / "studies.db"
    path.write_bytes(sound[0])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM studies WHERE id = 'one'")  # foreign keys are off here
    with closing(open_storage(str(path))) as storage:
        for read in (storage.studies, lambda: storage.study("one"), lambda: storage.definition("one")):
            with pytest.raises(DataError, match="row of study 'one' is missing"):
                read()


def test_an_entry_is_not_written_over_where_the_head_is_behind(sound, tmp_path):
    path = tmp_path / "studies.db"
    path.write_bytes(sound[0])
    with closing(open_storage(str(path))) as storage:
        with storage._database.begin_write() as connection:
            connection.execute(
                text("INSERT INTO entries SELECT study, 28, type, participant, time, response_ms, data, undoes, "
                     "checksum FROM entries WHERE study = 'one' AND number = 27")
            )  # fmt: skip
        with pytest.raises(DataError, match="counts fewer rows than there are"):
            storage.append("one", [entry("commented", "bob", text="x")], seen=100)


# -- databases of the release before ----------------------------------------------------------------------------------

BEFORE = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('0001');
CREATE TABLE studies (id TEXT NOT NULL, name TEXT NOT NULL, created {time} NOT NULL, definition TEXT NOT NULL,
    PRIMARY KEY (id));
CREATE TABLE participants (study TEXT NOT NULL, name TEXT NOT NULL, position BIGINT NOT NULL, PRIMARY KEY (study, name),
    FOREIGN KEY(study) REFERENCES studies (id) ON DELETE CASCADE);
CREATE TABLE entries (study TEXT NOT NULL, number BIGINT NOT NULL, type TEXT NOT NULL, participant TEXT NOT NULL,
    time {time} NOT NULL, response_ms BIGINT, data TEXT NOT NULL, undoes BIGINT, PRIMARY KEY (study, number),
    FOREIGN KEY(study, participant) REFERENCES participants (study, name) ON DELETE CASCADE,
    FOREIGN KEY(study) REFERENCES studies (id) ON DELETE CASCADE);
CREATE INDEX entries_by_participant ON entries (study, participant, number);
CREATE INDEX entries_by_type ON entries (study, type);
CREATE TABLE secrets (name TEXT NOT NULL, value {bytes} NOT NULL, PRIMARY KEY (name));
INSERT INTO studies VALUES ('old', 'Grüße', '2025-03-01 09:30:00.000000', '{{"seed":1}}'),
    ('empty', 'Empty', '2025-03-02 09:30:00.000000', '{{}}');
INSERT INTO participants VALUES ('old', 'owner', 1), ('old', 'bob', 2);
INSERT INTO entries VALUES
    ('old', 1, 'created', 'owner', '2025-03-01 09:30:00.000000', NULL, '{{}}', NULL),
    ('old', 2, 'answered', 'owner', '2025-03-01 09:31:00.000000', 1200, '{{"outcome":"first"}}', NULL),
    ('old', 3, 'answered', 'bob', '2025-03-01 09:32:00.000000', NULL, '{{"outcome":"skip"}}', NULL),
    ('old', 4, 'answered', 'bob', '2025-03-01 09:33:00.000000', NULL, '{{"outcome":"tie"}}', NULL),
    ('old', 5, 'undone', 'bob', '2025-03-01 09:34:00.250000', NULL, '{{"event":4}}', 4);
INSERT INTO secrets VALUES ('links', {secret});
"""


def check_carried_over(url):
    with closing(open_storage(url)) as storage:
        old, empty = storage.study("old"), storage.study("empty")
        assert (old.name, old.created, old.answers) == ("Grüße", NOW, 1)
        assert old.updated == NOW + timedelta(minutes=4, microseconds=250_000)
        assert (empty.answers, empty.updated, storage.entries("empty"), storage.participants("empty")) == (
            0,
            None,
            [],
            [],
        )
        assert storage.definition("old") == {"seed": 1}
        assert storage.participants("old") == ["owner", "bob"]
        assert [each.type for each in storage.entries("old")] == [
            "created",
            "answered",
            "answered",
            "answered",
            "undone",
        ]
        assert storage.secret("links") == bytes(range(32))
        assert storage.append("old", [entry("answered", outcome="first")], seen=2)[0].number == 6
        assert storage.study("old").answers == 2


def test_a_file_of_the_release_before_gets_checksums(tmp_path):
    path = tmp_path / "studies.db"
    values = {"time": "DATETIME", "bytes": "BLOB", "secret": f"x'{bytes(range(32)).hex()}'"}
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(BEFORE.format(**values))
    check_carried_over(str(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE entries SET response_ms = 1201 WHERE number = 2")
    with closing(open_storage(str(path))) as storage, pytest.raises(DataError, match="entry 2 of study 'old'"):
        storage.entries("old", "owner")


INSERTS_BEFORE = {
    "studies": "INSERT INTO studies (id, name, created, definition) VALUES ('x', 'X', '2025-03-01 09:30:00', '{}')",
    "participants": "INSERT INTO participants (study, name, position) VALUES ('old', 'zoe', 3)",
    "entries": "INSERT INTO entries (study, number, type, participant, time, data) "
    "VALUES ('old', 7, 'answered', 'owner', '2025-03-01 09:30:00', '{}')",
    "secrets": "INSERT INTO secrets (name, value) VALUES ('x', 'x') ON CONFLICT DO NOTHING",
}
"""As a server of the release before goes on writing."""


@pytest.mark.parametrize("table", INSERTS_BEFORE)
def test_a_file_refuses_rows_of_a_server_of_the_release_before(tmp_path, table):
    path = tmp_path / "studies.db"
    values = {"time": "DATETIME", "bytes": "BLOB", "secret": f"x'{bytes(range(32)).hex()}'"}
    with closing(sqlite3.connect(path, isolation_level=None)) as still_open:
        still_open.executescript(BEFORE.format(**values))
        check_carried_over(str(path))
        with pytest.raises(sqlite3.IntegrityError, match=r"newer release .*stop this server"):
            still_open.execute(INSERTS_BEFORE[table])
    with closing(open_storage(str(path))) as storage:
        assert len(storage.entries("old")) == 6


@pytest.mark.parametrize("table", INSERTS_BEFORE)
def test_a_server_refuses_rows_of_a_server_of_the_release_before(server, table):
    url = server.new_database()
    open_storage(url).close()
    with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.NotNullViolation, match="checksum"):
        connection.execute(INSERTS_BEFORE[table])


def test_a_server_of_the_release_before_gets_checksums(server):
    url = server.new_database()
    values = {"time": "TIMESTAMP WITH TIME ZONE", "bytes": "BYTEA", "secret": f"'\\x{bytes(range(32)).hex()}'"}
    with psycopg.connect(url) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        connection.execute(BEFORE.format(**values))
    check_carried_over(url)
