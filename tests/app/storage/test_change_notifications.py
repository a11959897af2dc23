"""How changes are detected: the feed, SQLite's data version, and PostgreSQL's notifications with lost connections."""

import logging
import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from threading import Event

import pytest
from journals import entry, make_study

from anchorpbo.app.storage import changes, data_version, listener, open_storage
from anchorpbo.app.storage.changes import POLL_SECONDS, ChangeDetector, ChangeFeed
from anchorpbo.app.storage.data_version import DataVersionDetector
from anchorpbo.errors import DataError
from support.deaf_proxy import deaf_proxy
from support.statements import count_statements

PATIENCE = 30.0
THREAD = "storage-changes"


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def threads():
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


class Calls:
    """A callback that counts its calls."""

    def __init__(self):
        self.count, self.called = 0, Event()

    def __call__(self):
        self.count += 1
        self.called.set()

    def settle(self, seconds=3 * POLL_SECONDS):
        """Let the calls pass that follow the beginning."""
        time.sleep(seconds)
        self.count = 0
        self.called.clear()

    def wait(self):
        """Wait for a call; return the seconds."""
        began = time.monotonic()
        assert self.called.wait(PATIENCE)
        self.called.clear()
        return time.monotonic() - began


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "studies.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, path):
    return path if request.param == "sqlite" else request.getfixturevalue("postgresql_url")


@contextmanager
def opened(url, count=1):
    with ExitStack() as stack:
        storages = [stack.enter_context(closing(open_storage(url))) for _ in range(count)]
        yield storages[0] if count == 1 else storages


# -- the feed ---------------------------------------------------------------------------------------------------------


class Script(ChangeDetector):
    """A detector that detects what a test tells it."""

    def __init__(self):
        self.next, self.connected, self.closed = Event(), False, False

    def announce(self):
        self.next.set()

    def wait(self):
        self.connected = True
        self.next.wait(PATIENCE)
        self.next.clear()
        return True

    def wake(self):
        self.next.set()

    def disconnect(self):
        self.connected = False

    def close(self):
        self.closed = True


def test_an_error_of_a_detector_is_logged_and_the_thread_goes_on(monkeypatch, caplog):
    monkeypatch.setattr(changes, "POLL_SECONDS", 0.01)
    detector, calls = Script(), Calls()
    wait, failures = detector.wait, [ZeroDivisionError(), ZeroDivisionError()]

    def fail_at_first():
        if failures:
            raise failures.pop()
        return wait()

    detector.wait = fail_at_first
    feed = ChangeFeed(detector)
    with feed.watch(calls):
        until(lambda: not failures)
        detector.announce()
        assert calls.wait() < PATIENCE
    feed.close()
    assert caplog.text.count("changes of the database could not be detected") == 2


def test_one_thread_serves_all_watchers_and_ends_with_the_last_one():
    detector, calls = Script(), [Calls() for _ in range(3)]
    feed = ChangeFeed(detector)
    for _ in range(2):
        with ExitStack() as stack:
            for each in calls:
                stack.enter_context(feed.watch(each))
            assert len(threads()) == 1
            detector.announce()
            assert all(each.wait() < PATIENCE for each in calls)
        until(lambda: not threads())
        assert not detector.connected
    feed.close()
    assert detector.closed


def test_a_watcher_that_comes_while_the_thread_ends_is_called():
    detector = Script()
    feed = ChangeFeed(detector)
    for _ in range(200):
        calls = Calls()
        with feed.watch(calls):
            detector.announce()
            calls.wait()
    feed.close()
    until(lambda: not threads())


def test_closing_does_not_wait_long_for_a_detector_that_is_connecting(monkeypatch):
    monkeypatch.setattr(changes, "_STOP_SECONDS", 0.1)
    busy, free = Event(), Event()

    class Connecting(Script):
        def wait(self):
            busy.set()
            assert free.wait(PATIENCE)
            return True

    detector, calls = Connecting(), Calls()
    feed = ChangeFeed(detector)
    with feed.watch(calls):
        assert busy.wait(PATIENCE)
        began = time.monotonic()
        feed.close()
        assert time.monotonic() - began < 5
        assert not detector.closed  # it is in use
        free.set()
        until(lambda: not threads())
    assert (detector.closed, calls.count) == (True, 0)


def test_an_error_of_a_watcher_is_logged(caplog):
    feed = ChangeFeed(Script())
    calls = Calls()

    def fail():
        raise ZeroDivisionError("of a watcher")

    with caplog.at_level(logging.ERROR, "anchorpbo"), feed.watch(fail), feed.watch(calls):
        feed.detector.announce()
        calls.wait()
    feed.close()
    assert "ZeroDivisionError: of a watcher" in caplog.text


# -- both databases ---------------------------------------------------------------------------------------------------


def test_watching_a_quiet_database_sends_no_statement(url):
    with opened(url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls):
            calls.settle()
            with count_statements(storage) as sent:
                time.sleep(4 * POLL_SECONDS)
            assert (sent, calls.count) == ([], 0)


def test_an_own_change_calls_once(url):
    with opened(url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls):
            calls.settle()
            for n in range(5):
                storage.append("study", [entry()], seen=n + 1)
                time.sleep(2.5 * POLL_SECONDS)
            # Two calls for one change are possible: a poll between the commit and the call.
            assert 5 <= calls.count < 8


def test_a_write_that_is_refused_calls_nobody(url):
    with opened(url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls):
            calls.settle()
            with pytest.raises(Exception, match="stale write"):
                storage.append("study", [entry()], seen=0)
            time.sleep(2 * POLL_SECONDS)
            assert calls.count == 0


def test_a_change_by_another_process_calls_within_the_time_that_pages_waited_before(url):
    program = (
        "import sys; from anchorpbo.app.storage import open_storage; sys.path.append(sys.argv[2])\n"
        "from journals import entry; storage = open_storage(sys.argv[1]); print('ready', flush=True)\n"
        "for line in sys.stdin: storage.append('study', [entry()], 2**40); print('done', flush=True)"
    )
    with opened(url) as storage:
        make_study(storage)
        calls, waited = Calls(), []
        command = [sys.executable, "-c", program, url, os.path.dirname(__file__)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "ready\n"
            with storage.watch(calls):
                calls.settle()
                for _ in range(5):
                    other.stdin.write("x\n")
                    other.stdin.flush()
                    assert other.stdout.readline() == "done\n"
                    waited.append(calls.wait())
            other.stdin.close()
    assert sorted(waited)[2] < 2 * POLL_SECONDS  # half of them, on a machine that runs other tests


def test_a_closed_storage_cannot_be_watched(url):
    with opened(url) as storage:
        storage.close()
        with pytest.raises(DataError, match="a closed storage cannot be used"), storage.watch(Calls()):
            pass


def _watch_after_fork(storage, done):
    storage.append("study", [entry()], seen=1)
    calls = Calls()
    with storage.watch(calls):
        calls.settle()
        storage.append("study", [entry()], seen=2)
        calls.wait()
    storage.close()
    done.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_watches_on_its_own(url):
    with opened(url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls):
            calls.settle()
            context = multiprocessing.get_context("fork")
            done = context.Event()
            child = context.Process(target=_watch_after_fork, args=(storage, done))
            child.start()
            child.join(PATIENCE)
            assert done.is_set()
            calls.wait()  # of the child's changes
            calls.settle()
            storage.append("study", [entry()], seen=3)
            calls.wait()


# -- SQLite -----------------------------------------------------------------------------------------------------------


def test_a_missing_file_counts_as_changed_so_that_readers_find_the_error_and_is_not_created(tmp_path, monkeypatch):
    monkeypatch.setattr(data_version, "POLL_SECONDS", 0.01)
    missing = tmp_path / "studies.db"
    with closing(DataVersionDetector(missing)) as detector:
        assert all(detector.wait() for _ in range(3))
    assert not missing.exists()


def test_watching_leaves_no_files_behind(path, tmp_path):
    with opened(path) as storage:
        make_study(storage)
        with storage.watch(Calls()):
            time.sleep(2 * POLL_SECONDS)
    assert [file.name for file in tmp_path.iterdir()] == ["studies.db"]


def test_a_locked_file_can_be_watched(path):
    with opened(path) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls), closing(sqlite3.connect(path, isolation_level=None)) as other:
            calls.settle()
            other.execute("BEGIN IMMEDIATE")
            time.sleep(2 * POLL_SECONDS)
            assert calls.count == 0
            other.execute("CREATE TABLE other (x)")
            other.execute("COMMIT")
            calls.wait()


# -- PostgreSQL -------------------------------------------------------------------------------------------------------

LISTENERS = "FROM pg_stat_activity WHERE query = 'LISTEN anchorpbo'"


def test_the_listener_sends_no_statement_while_it_waits(server, postgresql_url):
    with opened(postgresql_url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls):
            calls.settle()
            before = server.execute(f"SELECT pid, query_start, state {LISTENERS}")
            assert len(before) == 1
            for n in range(5):
                storage.append("study", [entry()], seen=n + 1)
                calls.wait()
            assert server.execute(f"SELECT pid, query_start, state {LISTENERS}") == before
        until(lambda: not server.execute(f"SELECT pid {LISTENERS}"))


def test_changes_are_heard_after_the_listener_was_terminated(server, postgresql_url, caplog):
    with opened(postgresql_url, 2) as (storage, other):
        make_study(storage)
        calls = Calls()
        with caplog.at_level(logging.INFO, "anchorpbo.app.storage"), storage.watch(calls):
            calls.settle()
            for n in range(3):
                (pid,) = server.execute(f"SELECT pid {LISTENERS}")[0]
                server.execute(f"SELECT pg_terminate_backend({pid})")
                calls.wait()  # there may have been changes meanwhile
                until(lambda pid=pid: [one for (one,) in server.execute(f"SELECT pid {LISTENERS}") if one != pid])
                calls.settle()
                other.append("study", [entry()], seen=n + 1)
                assert calls.wait() < PATIENCE
                time.sleep(0.2)
                assert calls.count == 1  # by a notification, not by polling
    assert "the connection that listens for changes was lost" in caplog.text
    assert "polled" not in caplog.text


def test_changes_are_heard_again_after_a_crash_of_the_server(server, postgresql_url, monkeypatch, caplog):
    monkeypatch.setattr(listener, "FIRST_DELAY", 0.2)
    monkeypatch.setattr(listener, "MAX_DELAY", 0.4)
    with opened(postgresql_url, 2) as (storage, other):
        make_study(storage)
        calls = Calls()
        with caplog.at_level(logging.WARNING, "anchorpbo.app.storage"), storage.watch(calls):
            calls.settle()
            server.crash()
            try:
                calls.wait()
                for _ in range(3):  # readers are to try, and to find that the server is away
                    calls.wait()
            finally:
                server.start()
            until(lambda: server.execute(f"SELECT pid {LISTENERS}"))
            until(lambda: storage._database._changes.detector._trusted)
            calls.settle()
            other.append("study", [entry()], seen=1)
            calls.wait()
    assert caplog.text.count("changes by other servers are polled") == 1
    assert server.password not in caplog.text


def test_where_notifications_do_not_arrive_changes_are_polled(postgresql_url, monkeypatch, caplog):
    monkeypatch.setattr(listener, "PROBE_SECONDS", 0.5)
    with deaf_proxy(postgresql_url) as through, opened(through) as storage, opened(postgresql_url) as other:
        make_study(storage)
        calls = Calls()
        with caplog.at_level(logging.WARNING, "anchorpbo.app.storage"), storage.watch(calls):
            until(lambda: "behind a connection pool in transaction mode" in caplog.text)
            calls.settle(0)
            for n in range(3):
                other.append("study", [entry()], seen=n + 1)
                assert calls.wait() < 20 * POLL_SECONDS
            # A change by this process calls without waiting for the next poll.
            calls.settle(0)
            waited = []
            for n in range(5):
                calls.wait()
                calls.called.clear()
                storage.append("study", [entry()], seen=4 + n)
                waited.append(calls.wait())
            assert min(waited) < 0.2 * POLL_SECONDS
            assert calls.count < 100  # it polls, and does not spin
    assert caplog.text.count("polled") == 1


def test_a_write_succeeds_although_others_cannot_be_notified(postgresql_url, monkeypatch, caplog):
    with opened(postgresql_url) as storage:
        make_study(storage)
        calls = Calls()
        with storage.watch(calls), caplog.at_level(logging.WARNING, "anchorpbo.app.storage"):
            calls.settle()
            monkeypatch.setattr(listener, "_NOTIFY", "NOTIFY")
            assert storage.append("study", [entry()], seen=1)[0].number == 2
            calls.wait()  # of this process, all the same
    assert caplog.text.count("other servers were not notified of a change") == 1


def test_attempts_to_listen_become_rarer(monkeypatch):
    now, attempts = [1000.0], []
    monkeypatch.setattr(listener.time, "monotonic", lambda: now[0])

    class Unreachable:
        def connect(self):
            attempts.append(now[0])
            raise listener.SQLAlchemyError("away")

    with closing(listener.Listener(Unreachable())) as detector:
        monkeypatch.setattr(detector, "_select", lambda seconds: (False, False))
        while now[0] < 1200:
            assert detector.wait()  # whoever reads polls
            now[0] += POLL_SECONDS
    waited = [later - earlier for earlier, later in pairwise(attempts)]
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_a_listener_works_with_file_numbers_beyond_those_of_select(postgresql_url):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2000:
        pytest.skip("the limit of open files is too low")
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while True:
            taken = stack.enter_context(socket.socket())
            if taken.fileno() > 1100:
                break
        with opened(postgresql_url) as storage:
            make_study(storage)
            calls = Calls()
            with storage.watch(calls):
                until(lambda: storage._database._changes.detector._trusted)
                calls.settle()
                storage.append("study", [entry()], seen=1)
                calls.wait()
