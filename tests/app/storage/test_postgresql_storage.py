"""A database on a real PostgreSQL server keeps the contract, also across a crash of the server."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from journals import (
    READS,
    after_first_statement,
    check_nothing_lost,
    check_reads_before_a_creation,
    check_reads_before_a_deletion,
    check_same_as_memory,
    entry,
    killed_writers,
    make_study,
    writer,
)
from sqlalchemy import create_engine, text

from anchorpbo.app.storage import database, open_storage, schema
from anchorpbo.errors import DataError, UnknownStudyError
from anchorpbo.testing.storages import StorageContract
from support import postgres_server


@pytest.fixture(scope="module")
def shared(server):
    """One database for all checks of the contract: they do not ask for an empty one."""
    return server.new_database()


@pytest.fixture
def url(postgresql_url):
    return postgresql_url


@pytest.fixture
def storage(url):
    with closing(open_storage(url)) as storage:
        yield storage


@pytest.mark.parametrize("check", StorageContract.checks())
def test_postgresql(check, shared):
    StorageContract(lambda: open_storage(shared)).check(check)


@pytest.mark.parametrize("seed", range(2))
def test_any_calls_on_a_server_do_what_they_do_in_memory(seed, storage):
    check_same_as_memory(storage, seed, calls=150)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "PostgreSQL"])
def test_all_names_of_the_scheme_lead_to_the_server(scheme, shared):
    open_storage(shared.replace("postgresql", scheme, 1)).close()


def test_the_migrations_lead_to_the_schema_on_a_server(url, storage):
    engine = create_engine(url.replace("postgresql", "postgresql+psycopg", 1))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()


def test_sessions_wait_for_the_disk_also_where_the_server_is_set_not_to(server, url):
    server.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET synchronous_commit = off")
    server.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET timezone = 'Asia/Tokyo'")
    with closing(open_storage(url)) as storage:
        with storage._database.begin_read() as connection:
            names = ("synchronous_commit", "TimeZone", "lock_timeout")
            found = [connection.execute(text(f"SHOW {name}")).scalar() for name in names]
        assert found == ["on", "UTC", "10s"]


def test_readers_have_a_snapshot_and_writers_see_what_is_committed(storage):
    def isolation(transaction):
        with transaction() as connection:
            return connection.execute(text("SHOW transaction_isolation")).scalar()

    for _ in range(2):  # connections go back to the pool, and are used by either
        assert isolation(storage._database.begin_read) == "repeatable read"
        assert isolation(storage._database.begin_write) == "read committed"


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("check", [check_reads_before_a_deletion, check_reads_before_a_creation])
def test_a_read_of_a_server_sees_one_moment(url, storage, check, read):
    with closing(open_storage(url)) as other:
        check(storage, other, read)


@pytest.mark.parametrize(
    "write",
    [
        lambda storage: storage.append("study", [entry()], seen=1),
        lambda storage: storage.add_participant("study", "bob"),
    ],
)
def test_a_change_of_a_study_that_is_made_meanwhile_is_refused_and_no_damage(url, storage, write):
    with closing(open_storage(url)) as other:
        meanwhile = after_first_statement(storage._database._writer, lambda: make_study(other))
        with meanwhile, pytest.raises(UnknownStudyError, match="study"):
            write(storage)
        write(storage)


def test_many_open_an_empty_database_at_once(url):
    with ThreadPoolExecutor(4) as pool:
        storages = list(pool.map(lambda _: open_storage(url), range(4)))
    make_study(storages[0], "ann", "bob")
    for each in storages:
        each.close()
    with writer(url, "ann", 30) as ann, writer(url, "bob", 30) as bob:
        told = [len(list(process.stdout)) for process in (ann, bob)]
    assert told == [30, 30]
    with closing(open_storage(url)) as storage:
        assert [each.number for each in storage.entries("study")] == list(range(1, 123))


def test_processes_open_an_empty_database_at_once(server, url):
    code = (
        "import sys; from anchorpbo.app.storage import open_storage\n"
        "sys.stdin.read(1); open_storage(sys.argv[1]).close()"
    )
    openers = [subprocess.Popen([sys.executable, "-c", code, url], stdin=subprocess.PIPE) for _ in range(3)]
    for process in openers:
        process.communicate(b"x")
    assert [process.returncode for process in openers] == [0, 0, 0]
    assert server.execute("SELECT version_num FROM alembic_version", url.rpartition("/")[2]) == [
        (schema.LATEST_REVISION,)
    ]


def test_nothing_acknowledged_is_lost_when_writers_to_a_server_are_killed(url, storage):
    make_study(storage)
    check_nothing_lost(storage, killed_writers(url, "owner", kills=3, after=8))


def test_nothing_acknowledged_is_lost_when_the_server_crashes(server, url, storage):
    make_study(storage)
    with writer(url, "owner", 100_000) as process:
        told = [int(process.stdout.readline()) for _ in range(10)]
        process.kill()
        server.crash()
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    with pytest.raises(DataError, match="the server must be reachable"):
        storage.studies()
    server.start()
    check_nothing_lost(storage, told)  # through connections that did not live through the crash
    storage.append("study", [entry()], seen=2**40)


def test_a_server_that_went_away_says_so_without_the_password(server, url, storage):
    make_study(storage)
    server.crash()
    try:
        with pytest.raises(DataError) as caught:
            storage.append("study", [entry()], seen=1)
        assert server.password not in str(caught.value)
        assert caught.value.__suppress_context__
    finally:
        server.start()
    assert len(storage.entries("study")) == 1


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (
            lambda url, server: url.replace(server.password, "hunter2"),
            "the server must be reachable and accept this user",
        ),
        (lambda url, server: url + "_missing", "the server must be reachable and accept this user"),
        (lambda url, server: url.replace(str(server.port), "1"), "the server must be reachable and accept this user"),
        (lambda url, server: url + "?sslmode=require", "the server must be reachable and accept this user"),
        (lambda url, server: url + "?colour=hunter2", "each part of the address"),
        (
            lambda url, server: url.replace(":" + server.password, "") + "?password=hunter2",
            "the server must be reachable",
        ),
    ],
)
def test_a_server_that_cannot_be_used_is_said_without_passwords(server, url, change, rule):
    with pytest.raises(DataError, match=rule) as caught:
        open_storage(change(url, server))
    assert "hunter2" not in str(caught.value)
    assert server.password not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_read_only_server_is_found_at_once(server, url):
    open_storage(url).close()
    server.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    with pytest.raises(DataError, match="a database must be writable"):
        open_storage(url)


def test_a_server_of_a_newer_release_is_refused(server, url):
    open_storage(url).close()
    server.execute("UPDATE alembic_version SET version_num = '9999'", url.rpartition("/")[2])
    with pytest.raises(DataError, match=r"come from a newer release.*upgrade"):
        open_storage(url)


def test_a_study_locked_for_long_is_an_error_and_others_go_on(server, url, monkeypatch):
    monkeypatch.setattr(database, "TIMEOUT_SECONDS", 1.0)
    with closing(open_storage(url)) as storage:
        make_study(storage)
        make_study(storage, id="other")
        with storage._database.begin_write() as connection:
            connection.execute(text("SELECT * FROM studies WHERE id = 'study' FOR UPDATE"))
            with pytest.raises(DataError, match="must not stay locked"):
                storage.append("study", [entry()], seen=1)
            storage.append("other", [entry()], seen=1)
        assert storage.append("study", [entry()], seen=1)[0].number == 2


@pytest.mark.parametrize(("required", "outcome"), [("0", pytest.skip.Exception), ("1", pytest.fail.Exception)])
def test_without_postgresql_tests_are_skipped_unless_it_is_required(required, outcome, monkeypatch):
    monkeypatch.setattr(postgres_server, "program", lambda name: None)
    monkeypatch.setenv("ANCHORPBO_REQUIRE_POSTGRES", required)
    with pytest.raises(outcome, match="apt install postgresql"), postgres_server.running_server():
        pass
