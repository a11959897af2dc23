"""When a database cannot be used: an error that says what to do, and nothing half done."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from journals import entry, make_study
from sqlalchemy import event, inspect

from anchorpbo.app.storage import database, migration, open_storage, schema
from anchorpbo.app.storage.database import DatabaseAddress
from anchorpbo.errors import DataError


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "studies.db")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(database, "TIMEOUT_SECONDS", 0.3)


def run_sql(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


# -- schemas ----------------------------------------------------------------------------------------------------------


def test_a_newer_schema_is_refused_and_left_alone(path):
    open_storage(path).close()
    run_sql(path, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(
        DataError, match=r"come from a newer release than this one; received .*studies\.db at revision 9999; upgrade"
    ):
        open_storage(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


STEP = """
from alembic import op
import sqlalchemy as sa
revision, down_revision = "0999", "0004"
def upgrade():
    op.create_table("later", sa.Column("x", sa.Text()))
"""


def test_an_older_schema_is_migrated_and_keeps_its_studies(path, tmp_path, monkeypatch):
    with closing(open_storage(path)) as storage:
        make_study(storage)
    steps = tmp_path / "100% migrations"
    shutil.copytree(migration.MIGRATIONS, steps)
    (steps / "versions" / "0999_later.py").write_text(STEP, "utf-8")
    monkeypatch.setattr(migration, "MIGRATIONS", steps)
    monkeypatch.setattr(schema, "LATEST_REVISION", "0999")
    with closing(open_storage(path)) as storage:
        assert len(storage.entries("study")) == 1
    run_sql(path, "SELECT x FROM later")


def check_a_database_without_clips_gets_them(address, monkeypatch):
    with monkeypatch.context() as patched:  # as the release before clips made it
        patched.setattr(schema, "LATEST_REVISION", "0003")
        with closing(open_storage(address)) as storage:
            make_study(storage)
            names = inspect(storage._database._reader).get_table_names()
            assert not {"clips", "clip_chunks"} & set(names)
    with closing(open_storage(address)) as storage:
        assert (len(storage.entries("study")), storage.clips("study")) == (1, [])
        clip = storage.put_clip("study", "a.wav", "audio/wav", b"RIFF", 10)
        assert storage.read_clip("study", clip, 0, 4) == b"RIFF"


def test_a_database_of_the_release_before_clips_opens_and_takes_them(path, monkeypatch):
    check_a_database_without_clips_gets_them(path, monkeypatch)


def test_a_server_of_the_release_before_clips_opens_and_takes_them(server, monkeypatch):
    check_a_database_without_clips_gets_them(server.new_database(), monkeypatch)


def test_a_migration_that_fails_changes_nothing(path, tmp_path, monkeypatch):
    open_storage(path).close()
    steps = tmp_path / "steps"
    shutil.copytree(migration.MIGRATIONS, steps)
    (steps / "versions" / "0999_later.py").write_text(STEP + "    op.execute('SELECT nonsense')\n", "utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(migration, "MIGRATIONS", steps)
        patched.setattr(schema, "LATEST_REVISION", "0999")
        with pytest.raises(DataError, match="nonsense"):
            open_storage(path)
    open_storage(path).close()
    with pytest.raises(sqlite3.OperationalError, match="no such table: later"):
        run_sql(path, "SELECT x FROM later")


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE studies (study_id INTEGER PRIMARY KEY)"],
        ["CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('v3.2.0.a')"],
    ],
)
def test_a_database_of_another_program_is_refused_and_left_alone(path, statements):
    run_sql(path, *statements)
    with pytest.raises(DataError, match="empty or belong to anchorpbo"):
        open_storage(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone() == (1,)


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"hello", b"PAR1" + bytes(range(256)) * 64, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path, content):
    Path(path).write_bytes(content)
    with pytest.raises(DataError, match=r"must be a SQLite database|must not be damaged"):
        open_storage(path)
    assert Path(path).read_bytes() == content


def test_a_damaged_database_is_said_to_be_damaged(path):
    with closing(open_storage(path)) as storage:
        make_study(storage)
        storage.append("study", [entry(text="x" * 500)] * 200, seen=1)
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:4096] + b"\x55" * (len(content) - 4096))
    with pytest.raises(DataError, match="must not be damaged"), closing(open_storage(path)) as storage:
        storage.entries("study")


def test_a_folder_or_a_file_in_no_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="must be a file"):
        open_storage(str(tmp_path))
    with pytest.raises(DataError, match="create the folder"):
        open_storage(str(tmp_path / "none" / "studies.db"))


@contextmanager
def ordinary_user():
    """Root may write to anything: be someone else."""
    if os.getuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that another user can get to."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name != "posix", reason="rights work differently here")
def test_read_only_files_and_folders_are_found_at_once(open_folder):
    path = open_folder / "studies.db"
    with ordinary_user():
        open_storage(str(path)).close()
        path.chmod(0o444)
        with pytest.raises(DataError, match="must be writable"):
            open_storage(str(path))
        path.chmod(0o000)
        with pytest.raises(DataError, match="writable for this user"):
            open_storage(str(path))
        path.chmod(0o600)
    open_folder.chmod(0o755 if os.getuid() == 0 else 0o555)
    with ordinary_user():
        with pytest.raises(DataError, match=r"must be writable|writable for this user"):
            open_storage(str(path))
        with pytest.raises(DataError, match="create the folder, allow this user"):
            open_storage(str(open_folder / "other.db"))


def test_a_locked_database_is_an_error_after_a_while(path, impatient):
    with closing(open_storage(path)) as storage, closing(sqlite3.connect(path, isolation_level=None)) as other:
        make_study(storage)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DataError, match=r"must not stay locked .*try again"):
            storage.append("study", [entry()], seen=1)
        with pytest.raises(DataError, match="must not stay locked"):
            open_storage(path)
        assert len(storage.entries("study")) == 1  # reading goes on
        other.execute("ROLLBACK")
        assert storage.append("study", [entry()], seen=1)[0].number == 2


def test_a_file_locked_by_another_program_before_it_is_a_database_is_an_error(path, impatient):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE x (y)")
        with pytest.raises(DataError, match="must not stay locked"):
            open_storage(path)


def test_a_closed_storage_says_so(path):
    storage = open_storage(path)
    storage.close()
    with pytest.raises(DataError, match="open it again"):
        storage.studies()


# -- what is damage, and what is not ----------------------------------------------------------------------------------


def test_a_wrong_statement_is_not_called_damage(path):
    with closing(open_storage(path)) as storage:
        make_study(storage)
        for statement in ("SELECT nonsense FROM entries", "SELEKT 1"):
            problem = pytest.raises(DataError, match="could not run a statement")
            with problem, storage._database.begin_read() as connection:
                connection.exec_driver_sql(statement)


def test_a_wrong_statement_on_a_damaged_file_is_called_damage(path):
    with closing(open_storage(path)) as storage:
        make_study(storage)
        storage.append("study", [entry(text="x" * 500)] * 200, seen=1)
    with closing(open_storage(path)) as storage:
        content = Path(path).read_bytes()
        Path(path).write_bytes(content[:-8192] + b"\x55" * 8192)
        problem = pytest.raises(DataError, match="must not be damaged")
        with problem, storage._database.begin_read() as connection:
            connection.exec_driver_sql("SELECT nonsense FROM alembic_version")


def test_a_closed_connection_is_not_called_damage():
    connection = sqlite3.connect(":memory:")
    connection.close()
    with (
        pytest.raises(DataError, match=r"could not run a statement.*closed database"),
        DatabaseAddress("x.db").translate_errors(),
    ):
        connection.execute("SELECT 1")


def test_text_that_cannot_be_decoded_is_called_damage():
    problem = pytest.raises(DataError, match=r"must not be damaged.*decode")
    with closing(sqlite3.connect(":memory:")) as connection, problem, DatabaseAddress("x.db").translate_errors():
        connection.execute("SELECT CAST(x'ff' AS TEXT)").fetchall()


@pytest.mark.parametrize(
    ("revision", "rule"),
    [("9999", r"must be those of this release.*upgrade"), (schema.LATEST_REVISION, "must not be damaged")],
)
def test_tables_that_change_under_a_server_are_damage_unless_a_newer_release_changed_them(path, revision, rule):
    with closing(open_storage(path)) as storage:
        make_study(storage)
        run_sql(
            path,
            "ALTER TABLE entries RENAME COLUMN data TO content",
            f"UPDATE alembic_version SET version_num={revision!r}",
        )
        with pytest.raises(DataError, match=rule):
            storage.entries("study")


# -- full disks -------------------------------------------------------------------------------------------------------


def allow_forty_pages(connection, record):
    connection.execute("PRAGMA max_page_count=40").close()


def append_until_it_fails(storage, told):
    while True:
        told.append(storage.append("study", [entry(text="x" * 3000)] * 3, told[-1] if told else 1)[-1].number)


def test_a_full_database_takes_all_of_an_append_or_nothing(path):
    with closing(open_storage(path)) as storage:
        make_study(storage)

        storage._database._reader.dispose()
        event.listen(storage._database._reader, "connect", allow_forty_pages)
        told = []
        with pytest.raises(DataError, match=r"free space;.*nothing was stored"):
            append_until_it_fails(storage, told)
        seen = told[-1]
        assert [each.number for each in storage.entries("study")] == list(range(1, seen + 1))
        assert storage.study("study").answers == seen - 1
    with closing(open_storage(path)) as storage:
        assert storage.append("study", [entry()], seen)[0].number == seen + 1


LIMITED = """
import resource, signal, sys
from contextlib import closing
from datetime import UTC, datetime
from anchorpbo.errors import DataError
from anchorpbo.app.storage import open_storage
from anchorpbo.app.storage.journal import Entry

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with closing(open_storage(sys.argv[1])) as storage:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    seen = 1
    try:
        while True:
            entries = [Entry("answered", "owner", datetime.now(UTC), {"text": "x" * 5000})] * 3
            seen = storage.append("study", entries, seen)[-1].number
    except DataError as problem:
        assert "free space" in str(problem), problem
    assert len(storage.entries("study")) == seen
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(storage.append("study", entries, seen)[-1].number)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit here")
def test_a_disk_that_takes_no_more_leaves_what_was_acknowledged(path):
    with closing(open_storage(path)) as storage:
        make_study(storage)
    done = subprocess.run([sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with closing(open_storage(path)) as storage:
        assert [each.number for each in storage.entries("study")] == list(range(1, int(done.stdout) + 1))
        assert int(done.stdout) > 10


# -- packages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "url", "extra"),
    [("sqlalchemy", "a.db", "web"), ("alembic", "a.db", "web"), ("psycopg", "postgresql://u:p@h/d", "postgresql")],
)
def test_a_missing_package_is_named_with_the_extra_that_has_it(missing, url, extra, tmp_path):
    code = f"""
import sys
sys.modules[{missing!r}] = None
from anchorpbo.errors import UnsupportedError
from anchorpbo.app.storage import open_storage
open_storage("memory").close()
try:
    open_storage({url!r})
except UnsupportedError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert f'pip install "anchorpbo[{extra}]"' in done.stdout
    assert missing in done.stdout


def test_memory_needs_no_database_packages():
    code = "import sys; from anchorpbo.app.storage import *; open_storage('memory'); print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
