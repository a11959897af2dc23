"""A SQLite file keeps the contract, from several processes too."""

import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta, timezone
from threading import Event

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from journals import (
    NOW,
    READS,
    check_nothing_lost,
    check_reads_before_a_creation,
    check_reads_before_a_deletion,
    check_same_as_memory,
    entry,
    killed_writers,
    make_study,
    writer,
)
from sqlalchemy import create_engine

from anchorpbo.app.storage import open_storage, schema
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.app.storage.migration import MIGRATIONS
from anchorpbo.app.storage.sql import insert_study
from anchorpbo.errors import ConflictError
from anchorpbo.testing.storages import StorageContract


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "studies.db")


@pytest.fixture
def storage(path):
    with closing(open_storage(path)) as storage:
        yield storage


@pytest.mark.parametrize("check", StorageContract.checks())
def test_sqlite(check, path):
    StorageContract(lambda: open_storage(path)).check(check)


@pytest.mark.parametrize("seed", range(4))
def test_any_calls_do_what_they_do_in_memory(seed, storage):
    check_same_as_memory(storage, seed, calls=300)


def test_a_path_and_its_address_are_the_same_file(path):
    for url in (path, f"sqlite:///{path}", f"SQLite:///{path}"):
        with closing(open_storage(url)) as storage:
            storage.create(StudyInfo(url, "A study", NOW), {}, [])
    with closing(open_storage(path)) as storage:
        assert len(storage.studies()) == 3


@pytest.mark.parametrize("name", ["100%.db", "a b?c#d.db", "Grüße.db", "no_ending", "-x", "memory"])
def test_file_names_are_taken_as_they_are(name, tmp_path):
    with closing(open_storage(str(tmp_path / name))) as storage:
        make_study(storage)
    assert [file.name for file in tmp_path.iterdir()] == [name]  # the log is gone, and nothing else was made


def test_the_file_is_open_to_its_owner_only(path, storage):
    make_study(storage)
    for file in (path, path + "-wal"):
        assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


def test_commits_are_on_the_disk_and_readers_do_not_wait(storage):
    with storage._database.begin_read() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert found == ["wal", 2, 1]


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("check", [check_reads_before_a_deletion, check_reads_before_a_creation])
def test_a_read_of_a_file_sees_one_moment(path, storage, check, read):
    with closing(open_storage(path)) as other:
        check(storage, other, read)


def test_a_reader_sees_what_was_there_while_someone_writes(path, storage):
    make_study(storage)
    with storage._database.begin_write() as connection:
        connection.execute(schema.studies.delete())
        assert len(storage.studies()) == 1  # on a connection of its own, without waiting
    assert storage.studies() == []


def test_the_migrations_lead_to_the_schema(path, storage):
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == schema.LATEST_REVISION


def test_deletion_leaves_no_row(path, storage):
    make_study(storage)
    storage.put_clip("study", "a.wav", "audio/wav", b"RIFF", 10)
    storage.delete("study")
    with closing(sqlite3.connect(path)) as connection:
        for table in ("studies", "participants", "entries", "heads", "clips", "clip_chunks"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_times_are_kept_in_utc(path, storage):
    make_study(storage)
    storage.append("study", [replace(entry(), time=NOW.astimezone(timezone(timedelta(hours=-8))))], seen=1)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT time FROM entries").fetchall()
    assert rows == [("2025-03-01 09:30:00.000000",)] * 2


def test_many_threads_open_a_new_file_at_once(path):
    with ThreadPoolExecutor(6) as pool:
        storages = list(pool.map(lambda _: open_storage(path), range(6)))
    make_study(storages[0])
    assert {len(each.studies()) for each in storages} == {1}
    for each in storages:
        each.close()


def test_processes_open_a_new_file_at_once_and_append_to_one_study(tmp_path):
    path = str(tmp_path / "studies.db")
    code = (
        "import sys; from anchorpbo.app.storage import open_storage\n"
        "sys.stdin.read(1); open_storage(sys.argv[1]).close()"
    )
    openers = [subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE) for _ in range(3)]
    for process in openers:
        process.communicate(b"x")
    assert [process.returncode for process in openers] == [0, 0, 0]
    with closing(open_storage(path)) as storage:
        make_study(storage, "ann", "bob")
        with writer(path, "ann", 40) as ann, writer(path, "bob", 40) as bob:
            told = {name: [int(line) for line in process.stdout] for name, process in (("ann", ann), ("bob", bob))}
        assert [each.number for each in storage.entries("study")] == list(range(1, 163))
        for name, numbers in told.items():
            assert [each.number for each in storage.entries("study", name, after=2)][1::2] == numbers


def _append_after_fork(storage, done):
    storage.append("study", [entry()], seen=1)
    storage.close()
    done.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_uses_connections_of_its_own(storage):
    make_study(storage)
    context = multiprocessing.get_context("fork")
    done = context.Event()
    child = context.Process(target=_append_after_fork, args=(storage, done))
    child.start()
    child.join(30)
    assert done.is_set()
    with pytest.raises(ConflictError):
        storage.append("study", [entry()], seen=1)
    assert storage.append("study", [entry()], seen=2)[0].number == 3


def test_nothing_acknowledged_is_lost_when_writers_are_killed(path, storage):
    make_study(storage)
    told = killed_writers(path, "owner", kills=5, after=8)
    check_nothing_lost(storage, told)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_thousand_studies_are_listed_quickly(storage):
    pair = [entry("asked", gain=0.1, first=[0.5] * 6, second=[0.25] * 6), entry(outcome="first")]
    journal = [entry("created"), *(pair * 99), entry("undone", event=3)]
    with storage._database.begin_write() as connection:
        for i in range(1000):  # in one transaction, or the disk would be waited for a thousand times
            insert_study(connection, StudyInfo(f"s{i}", "A study", NOW), {}, journal)
    began = time.process_time()
    listed = storage.studies()
    assert time.process_time() - began < 1.0
    assert [each.answers for each in listed] == [98] * 1000


def test_waiting_for_another_writer_is_not_an_error(storage):
    make_study(storage)
    begun, end = Event(), Event()

    def hold():
        with storage._database.begin_write():
            begun.set()
            end.wait(30)

    with ThreadPoolExecutor(2) as pool:
        held = pool.submit(hold)
        begun.wait(30)
        waiting = pool.submit(storage.append, "study", [entry()], 1)
        time.sleep(0.3)
        assert not waiting.done()
        end.set()
        assert waiting.result(30)[0].number == 2
        held.result(30)
