"""Notifications of changes: the callbacks of `Storage.watch`, and the thread that calls them.

::

    a write ──> ChangeDetector.announce, after its commit
    the thread of a ChangeFeed ──> ChangeDetector.wait ──> callbacks

Each database has a detector: `data_version.py` for SQLite, `listener.py` for PostgreSQL. The thread runs only while
someone watches.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread

POLL_SECONDS = 0.5
"""Seconds between two checks for changes that no notification announces."""
_STOP_SECONDS = 2.0
"""Seconds that `ChangeFeed.close` waits for its thread; a thread that is connecting to a server ends later."""

_LOG = logging.getLogger(__name__)


class Callbacks:
    """Functions to call after changes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._callbacks: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Return whether there is a callback."""
        return bool(self._callbacks)

    @contextmanager
    def add(self, on_change: Callable[[], None]) -> Iterator[None]:
        """Add a callback until the context exits."""

        def callback() -> None:  # distinct, so that the same function can be added twice
            on_change()

        with self._lock:
            self._callbacks.append(callback)
        try:
            yield
        finally:
            with self._lock, suppress(ValueError):  # cleared
                self._callbacks.remove(callback)

    def clear(self) -> None:
        """Remove all callbacks."""
        with self._lock:
            self._callbacks.clear()

    def call(self) -> None:
        """Call all callbacks; an error of one is logged."""
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            try:
                callback()
            except Exception:
                _LOG.exception("a callback that watches a storage failed")


class ChangeDetector(ABC):
    """Detector of the changes of a database, by any process.

    Only one thread at a time calls `wait` and `disconnect`; any thread calls the other methods.
    """

    @abstractmethod
    def announce(self) -> None:
        """Make `wait` return, here and in other processes, because this process committed a change. Never raises."""

    @abstractmethod
    def wait(self) -> bool:
        """Wait for a change, for `wake` or for a limited time; return whether there may have been a change.

        The first call, and the first one after `disconnect`, returns true. Errors of the database are not raised: they
        make it return true, and the next read raises them.
        """

    @abstractmethod
    def wake(self) -> None:
        """Make `wait` return soon."""

    @abstractmethod
    def disconnect(self) -> None:
        """Close connections to the database; `wait` opens them again."""

    @abstractmethod
    def close(self) -> None:
        """Close everything."""


class ChangeFeed:
    """Calls callbacks after each change that a detector detects, in one thread for all of them. Thread-safe."""

    def __init__(self, detector: ChangeDetector) -> None:
        self.detector = detector
        self._callbacks = Callbacks()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    @contextmanager
    def watch(self, on_change: Callable[[], None]) -> Iterator[None]:
        """Call a function after each change until the context exits; see `Storage.watch`."""
        try:
            with self._callbacks.add(on_change):
                with self._lock:
                    if self._thread is None and not self._closed:
                        self._thread = Thread(target=self._run, name="storage-changes", daemon=True)
                        self._thread.start()
                yield
        finally:
            if not self._callbacks:
                self.detector.wake()

    def close(self) -> None:
        """End the thread; no callback is called any more."""
        with self._lock:
            closed, self._closed, thread = self._closed, True, self._thread
            if thread is None and not closed:
                self.detector.close()
        if thread is not None:
            self.detector.wake()
            thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while not self._is_over():
            try:
                changed = self.detector.wait()
            except Exception:  # a bug: pages must not wait forever
                _LOG.exception("changes of the database could not be detected; looking again in a moment")
                self.detector.disconnect()
                time.sleep(POLL_SECONDS)
                changed = True
            if changed and not self._closed:
                self._callbacks.call()

    def _is_over(self) -> bool:
        """Return whether nobody watches any more; then the next one to watch starts another thread."""
        with self._lock:
            if self._callbacks and not self._closed:
                return False
            self.detector.disconnect()
            if self._closed:
                self.detector.close()
            self._thread = None
            return True
