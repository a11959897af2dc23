"""Contract of `Storage.watch`; part of `StorageContract`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from threading import Event, Thread
from uuid import uuid4

from anchorpbo.app.storage.base import Storage, StudyInfo
from anchorpbo.app.storage.changes import POLL_SECONDS
from anchorpbo.app.storage.journal import OWNER, Entry
from anchorpbo.testing.contract import Contract, ensure

_NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)
_PATIENCE = 20.0
"""Seconds to wait for a call, on a busy machine."""
_WRITERS, _WRITES = 4, 5


class NotificationContract(Contract):
    """Checks that callbacks are called after each change, and no longer than they may."""

    open: Callable[[], Storage]
    kept: bool

    def check_each_kind_of_change_calls_the_watcher(self) -> None:
        """Whoever reads only when called sees every change that this storage makes."""
        with closing(self.open()) as storage:
            _ensure_heard(storage, storage, "made by the storage itself")

    def check_changes_through_another_storage_call_the_watcher(self) -> None:
        """Whoever reads only when called sees every change that another storage makes, as another process would."""
        if self.kept:
            with closing(self.open()) as watched, closing(self.open()) as other:
                _ensure_heard(watched, other, "made through another storage")

    def check_own_changes_call_at_once(self) -> None:
        """A call after a change by the storage itself does not wait for the next check for changes by others."""
        with closing(self.open()) as storage:
            id, called = _new(storage), Event()
            with storage.watch(called.set):
                time.sleep(2 * POLL_SECONDS)  # calls that follow the beginning
                waited = []
                for n in range(5):
                    called.clear()
                    storage.append(id, [_entry()], seen=n)
                    began = time.monotonic()
                    called.wait(_PATIENCE)
                    waited.append(time.monotonic() - began)
            ensure(min(waited) < 0.2 * POLL_SECONDS, f"own changes must call within milliseconds; waited {waited} s")

    def check_no_change_is_missed_by_concurrent_writers(self) -> None:
        """Whoever reads only when called sees the last of many changes by several threads."""
        with closing(self.open()) as storage:
            id, reader = _new(storage, *(f"p{n}" for n in range(_WRITERS))), _Reader()

            def write(name: str) -> None:
                seen = _WRITERS
                for _ in range(_WRITES):
                    seen = storage.append(id, [_entry(name)], seen)[-1].number

            threads = [Thread(target=write, args=(f"p{n}",)) for n in range(_WRITERS)]
            with storage.watch(reader.read):
                time.sleep(2 * POLL_SECONDS)
                expected = {id: _WRITERS * (1 + _WRITES)}
                reader.expect(lambda: storage.last_numbers([id]) == expected)
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                reader.ensure("changes by several threads")

    def check_watching_ends_with_its_context(self) -> None:
        """After the context has exited at most one call follows, and other watchers are still called."""
        with closing(self.open()) as storage:
            id, first, remaining = _new(storage), Event(), Event()
            calls: list[None] = []

            def call() -> None:
                calls.append(None)
                first.set()

            with storage.watch(remaining.set):
                with storage.watch(call):
                    storage.append(id, [_entry()], seen=0)
                    ensure(first.wait(_PATIENCE), "a change must call every watcher")
                before = len(calls)
                time.sleep(0.2)
                for n in range(1, 4):
                    remaining.clear()
                    storage.append(id, [_entry()], seen=n)
                    ensure(remaining.wait(_PATIENCE), "a watcher must be called after another one has ended")
                ensure(len(calls) <= before + 1, "a watcher must not be called after its context has exited")
            again = Event()
            with storage.watch(again.set):
                storage.append(id, [_entry()], seen=4)
                ensure(again.wait(_PATIENCE), "watching must be possible again after all watchers have ended")

    def check_an_error_of_a_watcher_stops_nothing(self) -> None:
        """A watcher that raises does not disturb writers, other watchers or later calls."""
        with closing(self.open()) as storage:
            id, called = _new(storage), Event()

            def fail() -> None:
                raise ZeroDivisionError("of a watcher; the contract raises it on purpose")

            with storage.watch(fail), storage.watch(called.set):
                for n in range(3):
                    called.clear()
                    storage.append(id, [_entry()], seen=n)
                    ensure(called.wait(_PATIENCE), "a watcher must be called although another one fails")

    def check_closing_ends_watching(self) -> None:
        """`close` ends the calls and leaves no thread, also while someone watches."""
        before = set(threading.enumerate())
        storage = self.open()
        calls: list[None] = []
        with storage.watch(lambda: calls.append(None)):
            _new(storage)
            storage.close()
            time.sleep(0.1)
            count = len(calls)
            with suppress(Exception):  # most storages cannot be used any more
                _new(storage)
            time.sleep(2 * POLL_SECONDS)
            ensure(len(calls) == count, "a closed storage must not call its watchers")
        end = time.monotonic() + _PATIENCE
        while set(threading.enumerate()) - before and time.monotonic() < end:
            time.sleep(0.01)
        left = set(threading.enumerate()) - before
        ensure(not left, f"a closed storage must leave no thread; there is {left}")


# -- helpers ----------------------------------------------------------------------------------------------------------


def _entry(participant: str = OWNER) -> Entry:
    return Entry("commented", participant, _NOON, {"text": "x"})


def _new(storage: Storage, *participants: str) -> str:
    """Create a study with an entry per participant, or an empty one with its owner; return its id."""
    id = uuid4().hex
    storage.create(StudyInfo(id, "A study", _NOON), {}, [_entry(name) for name in participants])
    if not participants:
        storage.add_participant(id, OWNER)
    return id


class _Reader:
    """A watcher that reads in each call whether what it expects is there."""

    def __init__(self) -> None:
        self._is_there: Callable[[], bool] = lambda: False
        self._found = Event()

    def read(self) -> None:
        is_there = self._is_there
        if is_there():
            self._found.set()

    def expect(self, is_there: Callable[[], bool]) -> None:
        self._is_there = is_there
        self._found.clear()

    def ensure(self, what: str) -> None:
        """Raise unless a call began after the change was committed."""
        found = self._found.wait(_PATIENCE)
        ensure(found, f"{what} must call the watcher after it was committed; it did not within {_PATIENCE:g} s")


def _ensure_heard(watched: Storage, changing: Storage, how: str) -> None:
    """Raise unless a watcher that reads when it is called sees each kind of change."""
    id, reader = _new(changing), _Reader()
    copy = uuid4().hex
    info = StudyInfo(copy, "A study", _NOON)
    steps: dict[str, tuple[Callable[[], object], Callable[[], bool]]] = {
        "a new study": (lambda: changing.create(info, {}, []), lambda: watched.last_numbers([copy]) == {copy: 0}),
        "an entry": (lambda: changing.append(id, [_entry()], seen=0), lambda: watched.last_numbers([id]) == {id: 1}),
        "another entry": (
            lambda: changing.append(id, [_entry()], seen=1),
            lambda: watched.last_numbers([id]) == {id: 2},
        ),
        "a new participant": (lambda: changing.add_participant(id, "ann"), lambda: "ann" in watched.participants(id)),
        "a clip": (
            lambda: changing.put_clip(id, "a.wav", "audio/wav", b"x", 1),
            lambda: [clip.name for clip in watched.clips(id)] == ["a.wav"],
        ),
        "a deletion": (lambda: changing.delete(id), lambda: watched.last_numbers([id]) == {}),
    }
    with watched.watch(reader.read):
        time.sleep(2 * POLL_SECONDS)  # calls that follow the beginning, which could replace later ones
        for what, (change, is_there) in steps.items():
            reader.expect(is_there)
            change()
            reader.ensure(f"{what} {how}")
        reader.expect(lambda: False)
